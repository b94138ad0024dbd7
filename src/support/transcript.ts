import { basename } from 'node:path';
import { Document, Scalar } from 'yaml';
import { formatCedis } from '../shared/money.ts';
import { type Msisdn, operatorByPrefix } from '../shared/msisdn.ts';
import type { CollectionFile, TurnRow } from './collection-query.ts';
import { type Mask, noMask, openMask } from './mask.ts';

/** What the ledger does not know: it is in the gateway's configuration. */
export type TranscriptHead = {
  menu?: string | undefined;
  merchant?: string | undefined;
  aggregator?: string | undefined;
  serviceCode?: string | undefined;
};

/** Where a head is missing, for a person to fill in. */
const blank = 'FILL-IN';

/**
 * Writes the dialogues of a collection as a transcript for `dialtill rehearse`: what was dialled and typed, the screens,
 * and how it ended where a rehearsal can come to the same. With `masked`, numbers of payers become others, and what
 * they typed of their own `MASKED`.
 */
export function transcriptOf(file: CollectionFile, head: TranscriptHead, masked: boolean): string {
  const mask = masked ? maskOf(file) : noMask;
  const { aggregator = blank, serviceCode = '*000#' } = head;
  const { dialler, operator } = file.turns[0] ?? { dialler: file.collection.dialler, operator: undefined };
  const network =
    operator !== undefined && operator !== operatorByPrefix(dialler as Msisdn) ? { operator } : {};
  const document = new Document({
    // Where it lies here is nobody's business where payers are masked.
    menu: masked ? basename(head.menu ?? blank) : (head.menu ?? blank),
    merchant: head.merchant ?? blank,
    channel: { aggregator, serviceCode: quoted(serviceCode) },
    msisdn: quoted(mask.number(dialler as Msisdn)),
    ...network,
    steps: [...dialoguesOf(file, mask, serviceCode), ...endOf(file, mask)],
  });
  document.commentBefore = commentOf(head);
  return document.toString({ lineWidth: 0 });
}

type Answers = { payer?: string; amountMinor?: number; reference?: string; texts?: Record<string, string> };

function maskOf({ collection, turns }: CollectionFile): Mask {
  const answers = turns.map(({ state }) => (JSON.parse(state) as { answers?: Answers }).answers ?? {});
  const set = <T>(values: readonly (T | null | undefined)[]) =>
    new Set(values.filter((value) => value !== undefined && value !== null));
  return openMask({
    numbers: set([
      ...[collection.payer, collection.dialler],
      ...turns.flatMap(({ dialler, payer }) => [dialler, payer]),
      ...answers.map(({ payer }) => payer),
    ]),
    texts: set(answers.flatMap(({ reference, texts }) => [reference, ...Object.values(texts ?? {})])),
    amounts: set(answers.map(({ amountMinor }) => amountMinor)),
  });
}

function commentOf({ menu, aggregator }: TranscriptHead): string {
  const all = menu === undefined || aggregator === undefined;
  return all
    ? ' From the ledger. Fill in the menu, as seen from this file, the merchant, the aggregator and the code.'
    : ' From the ledger. The menu is looked for from this file: put its path right where it is not.';
}

type Step = string | Readonly<Record<string, unknown>>;

/** The turns as steps. A dialogue that began later waits as long as it did. */
function dialoguesOf({ turns }: CollectionFile, mask: Mask, serviceCode: string): Step[] {
  return turns.flatMap((turn, i): Step[] => {
    const before = turns[i - 1];
    if (turn.ending !== null) return ['leave'];
    if (before?.dialogueId === turn.dialogueId) return [...typed(turn, mask), shown(turn, mask)];
    const pause = before === undefined ? [] : waits(turn.at - before.at);
    return [...pause, dialled(turn, mask, serviceCode), shown(turn, mask)];
  });
}

function dialled({ input }: TurnRow, mask: Mask, serviceCode: string): Step {
  const suffix = (input ?? '').split('*').filter((answer) => answer !== '');
  const answers = suffix.map((answer) => `*${mask.input(answer)}`).join('');
  return { dial: quoted(serviceCode.replace(/#$/, `${answers}#`)) };
}

function typed({ input }: TurnRow, mask: Mask): Step[] {
  return [{ send: quoted(mask.input(input ?? '')) }];
}

function shown({ reply, screen }: TurnRow, mask: Mask): Step {
  const text = new Scalar(`${mask.text(screen)}\n`);
  text.type = Scalar.BLOCK_LITERAL;
  return { [reply === 'end' ? 'end' : 'screen']: text };
}

const longestWaitSeconds = 24 * 3_600;
/** What passes before every dial by itself. */
const dialSeconds = 3;

function waits(ms: number): Step[] {
  const seconds = Math.min(Math.round(ms / 1_000), longestWaitSeconds);
  return seconds > dialSeconds ? [{ wait: `${seconds}s` }] : [];
}

/** What the payer did with the prompt, where that is known and can be done again. */
function endOf({ collection }: CollectionFile, mask: Mask): Step[] {
  const { status, reason, payer, dialler, goodsMinor } = collection;
  const prompt = payer === dialler ? 'prompt' : { prompt: { msisdn: quoted(mask.number(payer)) } };
  const amount = quoted(formatCedis(goodsMinor).replace(/^GHS /, ''));
  if (status === 'paid') return [prompt, { approve: quoted('1234') }, { expect: { status, amount } }];
  if (status === 'failed' && reason === 'declined')
    return [prompt, 'decline', { expect: { status, amount } }];
  return [];
}

function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}
