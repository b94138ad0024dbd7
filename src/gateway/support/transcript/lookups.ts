import type { LookedUp, LookupRequest, MenuState, Proxied, ProxyTurn } from '../../../menu/state/state.ts';
import { isList, type Scalar, type Value } from '../../../menu/text/format.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { type DialogueHistory, readMenuState } from './history-query.ts';

/** The request of a lookup, or of a proxy screen. */
type Request = LookupRequest & Partial<ProxyTurn>;

/** Returns the request of a lookup from its stored key; `undefined` when the key is not readable. */
function findLookupRequest(key: string): Request | undefined {
  try {
    const [, request] = JSON.parse(key) as [unknown, Request];
    return request;
  } catch {
    return undefined;
  }
}

type Conditions = Readonly<Record<string, unknown>>;
/** One answer of a lookup, as the key `lookups` of a transcript has it. */
type Entry = { asked?: Conditions; once?: true; answer: unknown };

/**
 * Returns the lookups and the requests of proxy screens in the dialogues, by the names of their screens; `undefined` when
 * there were none.
 */
export function findLookups(history: DialogueHistory): Record<string, Entry[]> | undefined {
  const entries: Record<string, Entry[]> = {};
  const add = (name: string, entry: Entry) => {
    entries[name] = [...(entries[name] ?? []), entry];
  };
  for (const { screen, input, proxied } of proxiedScreens(history)) add(screen, screenEntry(input, proxied));
  for (const { request, answer } of answeredLookups(history)) {
    const fields = answer === 'not_found' ? answer : listFields(answer);
    const isEnd = request.turn !== undefined && typeof fields === 'object';
    add(request.lookup, {
      asked: listConditions(request),
      answer: isEnd ? { ...fields, done: true } : fields,
    });
  }
  if (Object.keys(entries).length === 0) return undefined;
  return Object.fromEntries(Object.entries(entries).map(([name, list]) => [name, inOrder(list)]));
}

/** Returns each answer once for each dialogue. */
function answeredLookups({ turns }: DialogueHistory): { request: Request; answer: LookedUp['answer'] }[] {
  const seen = new Set<string>();
  return turns.flatMap((turn) =>
    (readMenuState(turn).lookedUp ?? []).flatMap(({ key, answer }) => {
      const answerKey = JSON.stringify([turn.dialogueId, key]);
      if (seen.has(answerKey)) return [];
      seen.add(answerKey);
      const request = findLookupRequest(key);
      return request ? [{ request, answer }] : [];
    }),
  );
}

/** A text of the merchant's system, with the input that it answers. */
export type ProxiedScreen = { screen: string; input: string; proxied: Proxied };

/** Returns each text of a merchant's system once for each dialogue, also on its further pages. */
export function proxiedScreens({ turns }: DialogueHistory): ProxiedScreen[] {
  const states = new Map<string, MenuState>();
  return turns.flatMap((turn) => {
    const state = readMenuState(turn);
    const { screen, proxied } = state;
    const before = states.get(turn.dialogueId);
    states.set(turn.dialogueId, state);
    // A resumed dialogue shows the last text again.
    const isShownAgain = before?.proxied?.turn === proxied?.turn || before?.screen === '(resume)';
    if (proxied === undefined || isShownAgain) return [];
    return { screen, input: turn.input?.trim() ?? '', proxied };
  });
}

function screenEntry(input: string, { turn, ...answer }: Proxied): Entry {
  return { asked: turn === 1 ? { turn } : { turn, input }, answer };
}

function listConditions(request: Request): Conditions {
  const { payer, dialler, amountMinor, reference, values, turn, input } = request;
  return {
    ...(turn === undefined ? {} : { turn }),
    ...(input === undefined ? {} : { input }),
    ...(payer === dialler ? {} : { payer: localForm(payer) }),
    ...(amountMinor === undefined ? {} : { amount: formatCedis(amountMinor).replace(/^GHS /, '') }),
    ...(reference === undefined ? {} : { reference }),
    ...(Object.keys(values).length === 0 ? {} : { values }),
  };
}

/** The fields as the merchant's system returns them, under the names of the menu. */
function listFields(values: Readonly<Record<string, Value>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isList(value) ? value.map(listFields) : getScalar(value),
    ]),
  );
}

function getScalar(value: Scalar): string | number {
  if (typeof value === 'string') return value;
  return 'number' in value ? value.number : value.amountMinor;
}

/**
 * Orders the entries for a rehearsal, which takes the first entry that fits: the entry with the most conditions first. An
 * answer that changed later applies once. A lookup without an answer has none again, by the last entry.
 */
function inOrder(entries: readonly Entry[]): Entry[] {
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const changed = entries.filter((entry, i) => {
    const previous = entries.slice(0, i).findLast(({ asked }) => isSame(asked, entry.asked));
    return previous === undefined || !isSame(previous, entry);
  });
  const listed = changed.map(({ asked = {}, answer }, i): Entry => {
    const changesLater = changed.slice(i + 1).some((other) => isSame(other.asked, asked));
    return {
      ...(Object.keys(asked).length === 0 ? {} : { asked }),
      ...(changesLater ? { once: true } : {}),
      answer,
    };
  });
  const conditionCount = ({ asked = {} }: Entry) => JSON.stringify(asked).split('":').length;
  return [...listed.toSorted((a, b) => conditionCount(b) - conditionCount(a)), { answer: 'none' }];
}
