import type { LookedUp, LookupRequest } from '../../menu/state/state.ts';
import { isList, type Scalar, type Value } from '../../menu/state/value.ts';
import { formatCedis } from '../../shared/money.ts';
import { type DialogueHistory, stateOf } from './dialogue-query.ts';
import type { Mask } from './mask.ts';

/** What a look-up has told, as a mask must know it. */
export type Told = { texts: string[]; amounts: number[]; counts: number[] };

/** What was asked, from the question as a dialogue keeps it; `undefined` where another program has kept it otherwise. */
export function requestOf(question: string): LookupRequest | undefined {
  try {
    const [, request] = JSON.parse(question) as [unknown, LookupRequest];
    return request;
  } catch {
    return undefined;
  }
}

/** The texts, amounts and numbers in values, also those of lists. */
export function toldIn(values: readonly Value[]): Told {
  const told: Told = { texts: [], amounts: [], counts: [] };
  for (const value of values.flatMap(scalarsOf)) {
    if (typeof value === 'string') told.texts.push(value);
    else if ('number' in value) told.counts.push(value.number);
    else told.amounts.push(value.amountMinor);
  }
  return told;
}

function scalarsOf(value: Value): Scalar[] {
  if (typeof value !== 'object') return [value];
  return isList(value) ? value.flatMap((item) => Object.values(item)) : [value];
}

type Asked = Readonly<Record<string, unknown>>;
type Entry = { asked?: Asked; once?: true; answer: unknown };

/** The look-ups of a story as a transcript has them, by screen; `undefined` where there were none. */
export function lookupsOf(story: DialogueHistory, mask: Mask): Record<string, Entry[]> | undefined {
  const known = knownIn(story);
  if (known.length === 0) return undefined;
  const screens: Record<string, Entry[]> = {};
  for (const { request, answer } of known) {
    const entries = screens[request.lookup] ?? [];
    entries.push({ asked: askedOf(request, mask), answer: answerOf(answer, mask) });
    screens[request.lookup] = entries;
  }
  return Object.fromEntries(Object.entries(screens).map(([name, entries]) => [name, inOrder(entries)]));
}

/** Each answer once for each dialogue that asked. */
function knownIn({ turns }: DialogueHistory): { request: LookupRequest; answer: LookedUp['answer'] }[] {
  const seen = new Set<string>();
  return turns.flatMap((turn) =>
    (stateOf(turn).lookedUp ?? []).flatMap(({ question, answer }) => {
      const key = JSON.stringify([turn.dialogueId, question]);
      if (seen.has(key)) return [];
      seen.add(key);
      const request = requestOf(question);
      return request ? [{ request, answer }] : [];
    }),
  );
}

function askedOf({ payer, dialler, amountMinor, reference, values }: LookupRequest, mask: Mask): Asked {
  const said = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'string') return [name, mask.value(value)] as const;
    // Amounts and numbers are asked alike.
    const amount = mask.amount(value);
    return [name, amount === value ? mask.count(value) : amount] as const;
  });
  return {
    ...(payer === dialler ? {} : { payer: mask.number(payer) }),
    ...(amountMinor === undefined ? {} : { amount: formatCedis(amountMinor).replace(/^GHS /, '') }),
    ...(reference === undefined ? {} : { reference: mask.value(reference) }),
    ...(said.length === 0 ? {} : { values: Object.fromEntries(said) }),
  };
}

/** As the merchant's system would send it, but under the menu's own names. */
function answerOf(answer: LookedUp['answer'], mask: Mask): unknown {
  return answer === 'not_found' ? answer : fieldsOf(answer, mask);
}

function fieldsOf(values: Readonly<Record<string, Value>>, mask: Mask): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'object' && isList(value)
        ? value.map((item) => fieldsOf(item, mask))
        : scalarOf(value, mask),
    ]),
  );
}

function scalarOf(value: Scalar, mask: Mask): string | number {
  if (typeof value === 'string') return mask.value(value);
  return 'number' in value ? mask.count(value.number) : mask.amount(value.amountMinor);
}

/**
 * The first that fits is given: what asks for more comes first, what was answered otherwise later is given once, and
 * whatever was not answered then comes to nothing again.
 */
function inOrder(entries: readonly Entry[]): Entry[] {
  const same = (a: Entry, b: Entry) => JSON.stringify(a) === JSON.stringify(b);
  const asksSame = (a: Entry, b: Entry) => JSON.stringify(a.asked) === JSON.stringify(b.asked);
  const lone = entries.filter((one, i) => {
    const before = entries.slice(0, i).findLast((other) => asksSame(one, other));
    return before === undefined || !same(one, before);
  });
  const given = lone.map((one, i): Entry => {
    const { asked = {}, answer } = one;
    const changes = lone.slice(i + 1).some((other) => asksSame(one, other));
    return {
      ...(Object.keys(asked).length === 0 ? {} : { asked }),
      ...(changes ? { once: true } : {}),
      answer,
    };
  });
  const parts = ({ asked = {} }: Entry) => JSON.stringify(asked).split('":').length;
  return [...given.toSorted((a, b) => parts(b) - parts(a)), { answer: 'none' }];
}
