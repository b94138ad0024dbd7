import { Scalar } from 'yaml';
import { promptFailures } from '../../../contract/service/end-reason.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn, operatorByPrefix } from '../../../shared/msisdn.ts';
import { fitScreen } from '../../../shared/screen-text.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { isRetryExcluded } from '../../collection/payment-summary.ts';
import type { TurnRow } from '../../dialogue/turn-store.ts';
import { listTranscriptEvents, type RehearsedReferences } from './events.ts';
import { type DialogueHistory, type OpenedCollection, readMenuState } from './history-query.ts';

type Step = string | Readonly<Record<string, unknown>>;

/** Returns a YAML scalar in single quotes. */
export function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_SINGLE;
  return scalar;
}

const style = { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' } as const;

/** Returns a text in the characters of a handset. Further characters that a channel forbids are not in the ledger. */
export function asDisplayed(text: string): string {
  return fitScreen(text, style);
}

/** The step that ends the prompt of a collection as payers see it. `isReplaced`: the collection ended in another way. */
type EndStep = { step: Step; isReplaced: boolean };

/**
 * Returns the step that ends the prompt of a collection; `undefined` for a collection that is open, or that ended in a way
 * which no rehearsal can repeat. Not for one that timed out.
 */
function findEndStep(row: CollectionRow): EndStep | undefined {
  const { status, reason, amountMinor } = row;
  switch (status) {
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated':
      return undefined;
    case 'paid':
      return { step: { approve: quoted('1234') }, isReplaced: false };
    case 'review':
      if (reason !== 'amount_mismatch' || amountMinor === null) return undefined;
      return { step: { charge: quoted(cedis(amountMinor)) }, isReplaced: false };
    case 'expired':
    case 'failed':
    case 'abandoned': {
      if (status === 'failed' && reason === 'declined') return { step: 'decline', isReplaced: false };
      const failure = promptFailures.find((one) => status === 'failed' && one === reason);
      if (failure !== undefined) return { step: { fail: failure }, isReplaced: false };
      return isRetryExcluded(row) ? undefined : { step: { fail: 'network_down' }, isReplaced: true };
    }
    default:
      return unreachable(status);
  }
}

/** Returns whether the prompt expired without an answer, which payers read. A rehearsal waits for the end of its lifetime. */
export function isTimedOut({ status, reason }: CollectionRow): boolean {
  return status === 'expired' && (reason === 'prompt_expired' || reason === 'service_expired');
}

/** Formats an amount without the currency. */
function cedis(minor: number): string {
  return formatCedis(minor).replace(/^GHS /, '');
}

/** A rehearsal accepts this number of fees. */
const maxFees = 10;

type Fee = { priceMinor: number; feeMinor: number };

/** The fees of the payments by price. `isComplete` is false when a price had two fees, or there are too many. */
type Fees = { entries: Record<string, unknown>[]; isComplete: boolean };

/** Returns the fees that the service quoted for the prices of the dialogues. */
export function getFees({ turns, opened }: DialogueHistory): Fees {
  const found: Fee[] = [
    ...turns.flatMap((turn) => readMenuState(turn).quoted?.quote ?? []).map(quotedFee),
    ...opened.flatMap(({ row }) => getFee(row)),
    // Without a quote, screens show the price as the charge.
    ...opened
      .filter(({ row }) => getFee(row).length === 0)
      .map(({ row }) => ({ ...noFee, priceMinor: row.goodsMinor })),
  ];
  const byPrice = new Map<number, number>();
  let hasConflict = false;
  for (const { priceMinor, feeMinor } of found) {
    const known = byPrice.get(priceMinor);
    if (known === undefined) byPrice.set(priceMinor, feeMinor);
    else if (known !== feeMinor) hasConflict = true;
  }
  const entries = [...byPrice].map(([price, fee]) => ({
    price: quoted(cedis(price)),
    fee: quoted(cedis(fee)),
  }));
  return { entries: entries.slice(0, maxFees), isComplete: !hasConflict && entries.length <= maxFees };
}

const noFee = { feeMinor: 0 };

function quotedFee({ totalMinor, feeMinor }: { totalMinor: number; feeMinor: number }): Fee {
  return { priceMinor: totalMinor - feeMinor, feeMinor };
}

function getFee({ goodsMinor, feeMinor, shownTotalMinor }: CollectionRow): Fee[] {
  const minor = feeMinor ?? (shownTotalMinor === null ? undefined : shownTotalMinor - goodsMinor);
  return minor === undefined ? [] : [{ priceMinor: goodsMinor, feeMinor: minor }];
}

/** Events that a rehearsal cannot repeat. */
export type Omission = 'late' | 'end' | 'replaced' | 'session';

type Steps = { steps: Step[]; omissions: Set<Omission> };

type StepOptions = {
  references: RehearsedReferences;
  serviceCode: string;
  /** True when screens depend on times: each step then happens at its own millisecond, otherwise as soon as possible. */
  isTimed: boolean;
  /** The lifetime of a prompt of the rehearsal. */
  promptLifeMs: number;
};

/** A step waits no longer; each prompt of a rehearsal ends before. */
const maxWaitMs = 24 * 3_600_000;

/** Returns the steps of a transcript in order: dials, inputs, screens, and the payers' answers to prompts. */
export function getSteps(history: DialogueHistory, options: StepOptions): Steps {
  const { references, serviceCode, isTimed, promptLifeMs } = options;
  const steps: Step[] = [];
  const omissions = new Set<Omission>();
  /** The phone of each dialogue; empty after the phone has started another dialogue. */
  const phones = new Map<string, string>();
  let currentPhone: string | undefined = history.turns[0]?.dialler;
  let lastTurnAt: EpochMs | undefined;
  const confirmed: OpenedCollection[] = [];

  function switchPhone(dialler: string, operator?: string): void {
    if (dialler === currentPhone) return;
    currentPhone = dialler;
    const msisdn = quoted(localForm(dialler as Msisdn));
    const isPorted = operator !== undefined && operator !== operatorByPrefix(dialler as Msisdn);
    steps.push({ phone: isPorted ? { msisdn, operator } : msisdn });
  }

  /** The rehearsal starts with the first dial, which therefore has no time. */
  function waitUntil(time: EpochMs): void {
    if (isTimed && lastTurnAt !== undefined) steps.push({ until: quoted(new Date(time).toISOString()) });
  }

  function addTurn(turn: TurnRow, time: EpochMs): void {
    const { dialler, operator, dialogueId } = turn;
    const isFirst = !phones.has(dialogueId);
    if (!isFirst && phones.get(dialogueId) !== dialler) {
      // An end notice has no screen, so that nothing is missing.
      if (turn.ending === null) omissions.add('session');
      return;
    }
    if (isFirst) {
      for (const [id, phone] of phones) if (phone === dialler) phones.set(id, '');
      phones.set(dialogueId, dialler);
    }
    switchPhone(dialler, operator);
    waitUntil(time);
    lastTurnAt = time;
    if (turn.ending !== null) {
      steps.push('leave');
      return;
    }
    steps.push(isFirst ? dialStep(turn) : { send: quoted(getInput(turn.input ?? '')) });
    const screen = references.inScreen(asDisplayed(turn.screen));
    steps.push({ [turn.reply === 'end' ? 'end' : 'screen']: block(screen) });
    const opened = history.opened.find(
      ({ row }) => row.dialogueId === dialogueId && row.id === turn.collectionId,
    );
    if (opened) confirmed.push(opened);
  }

  function getInput(input: string): string {
    return references.forInput(input) ?? input;
  }

  function dialStep({ input }: TurnRow): Step {
    const suffix = (input ?? '').split('*').filter((answer) => answer !== '');
    const answers = suffix.map((answer) => `*${getInput(answer)}`).join('');
    return { dial: quoted(serviceCode.replace(/#$/, `${answers}#`)) };
  }

  /** Adds the payer's answer to the prompt, where it is known and a rehearsal can repeat it. */
  function addEnd({ row, endedAt }: OpenedCollection, time: EpochMs): void {
    const { id, status, payer, dialler, goodsMinor, openedAt } = row;
    const hasTimedOut = isTimedOut(row);
    const end = hasTimedOut ? undefined : findEndStep(row);
    if (end === undefined && !hasTimedOut) {
      if (endedAt !== null) omissions.add('end');
      return;
    }
    // The exact time of the answer is on no screen. It may move to before the simulated prompt expires, if no turn followed.
    const lastAt = openedAt + promptLifeMs - 1;
    if (isTimed && (lastTurnAt ?? 0) > lastAt) {
      omissions.add('late');
      return;
    }
    if (end?.isReplaced) omissions.add('replaced');
    waitUntil(Math.min(time, lastAt));
    steps.push(payer === currentPhone ? 'prompt' : { prompt: { msisdn: quoted(localForm(payer)) } });
    if (end === undefined) {
      if (isTimed) waitUntil(Math.min(time, openedAt + maxWaitMs));
      else steps.push({ wait: formatSeconds(promptLifeMs) });
      return;
    }
    steps.push(end.step);
    if (status === 'abandoned' || status === 'expired') return;
    if (confirmed.findLast((one) => one.row.dialler === dialler)?.row.id !== id) return;
    switchPhone(dialler);
    const amount = quoted(cedis(goodsMinor));
    steps.push({ expect: id === history.collection?.id ? { status, amount } : { status } });
  }

  for (const event of listTranscriptEvents(history)) {
    if (event.kind === 'turn') addTurn(event.turn, event.at);
    else addEnd(event.ended, event.at);
  }
  return { steps, omissions };
}

/** Formats a time of whole seconds as a transcript has it. */
export function formatSeconds(ms: number): string {
  return `${ms / 1_000}s`;
}

function block(text: string): Scalar {
  const scalar = new Scalar(`${text}\n`);
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}
