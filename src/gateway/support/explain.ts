import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { maskedForm } from '../../shared/msisdn.ts';
import { localTimeAt } from '../../shared/time-text.ts';
import {
  type AmountSource,
  awaitsService,
  type CollectionRow,
  type CollectionWithJob,
  isOpen,
  isUnconfirmed,
} from '../collection/collection.ts';
import { watchMs } from '../collection/decide/decision.ts';
import type { RecordedFact } from '../collection/fact.ts';
import { readFact } from '../collection/fact-row.ts';
import type { CollectionRecord, PostingRow } from './collection-query.ts';
import { getOutcome, type Outcome } from './playbook/playbook.ts';

/** The confirmed price and the quote of the service, in pesewas. Null until the service has quoted it. */
type ExpectedAmounts = {
  priceMinor: number;
  /** Price and fee on the confirm screen; null when it showed no fee. */
  shownTotalMinor: number | null;
  feeMinor: number | null;
  totalMinor: number | null;
  netMinor: number | null;
};

/** Where the money of a payment is now, in pesewas: the sums of its postings. */
export type ReceivedAmounts = {
  /** The payments of payers, less what was booked back to them. */
  amountMinor: number;
  feeMinor: number;
  /** The merchant's part. */
  netMinor: number;
  suspendedMinor: number;
};

/** Returns the quote of a collection. A person compares it with what arrived, so it is read from the create answer. */
function expectedAmounts({ collection, facts }: CollectionRecord): ExpectedAmounts {
  const created = facts.map(readFact).find((fact) => fact.kind === 'created') as
    | Extract<RecordedFact, { kind: 'created' }>
    | undefined;
  const { amountMinor = null, feeMinor = null, netMinor = null } = created?.data ?? {};
  const { goodsMinor: priceMinor, shownTotalMinor } = collection;
  return { priceMinor, shownTotalMinor, feeMinor, totalMinor: amountMinor, netMinor };
}

/** Returns the sums of postings; null when no money was booked. */
export function receivedAmounts(
  postings: readonly Pick<PostingRow, 'account' | 'amountMinor'>[],
): ReceivedAmounts | null {
  if (postings.length === 0) return null;
  const computeSum = (isCounted: (account: string) => boolean) =>
    postings.reduce((sum, { account, amountMinor }) => (isCounted(account) ? sum + amountMinor : sum), 0);
  return {
    // The balance of `payers` is minus the total that they paid.
    amountMinor: 0 - computeSum((account) => account === 'payers'),
    feeMinor: computeSum((account) => account === 'service_fees'),
    netMinor: computeSum((account) => account.startsWith('merchant:')),
    suspendedMinor: computeSum((account) => account === 'suspense'),
  };
}

/** Received amounts with the source of the amount that arrived. */
type SourcedAmounts = ReceivedAmounts & { source: AmountSource | null };

/** The next step of a collection, and its time. */
type NextStep = {
  /**
   * `create`: the service is asked for a payment session; `prompt`: the prompt is requested; `poll`: the service is asked for
   * the result; `service`: a person at the service decides, and polls show it; `decision`: a person here decides; `none`: the
   * result is final.
   */
  kind: 'create' | 'prompt' | 'poll' | 'service' | 'decision' | 'none';
  /** When the step is due; null when no time is set. */
  at: EpochMs | null;
  /** The step is not made after this time; null without an end. */
  until: EpochMs | null;
  /** True when a person must decide, too. */
  needsDecision: boolean;
};

/** Returns the next step of a collection. */
export function getNextStep(row: CollectionWithJob): NextStep {
  const needsDecision = row.review !== null;
  if (awaitsService(row)) {
    const until = (row.awaitsServiceSince ?? row.updatedAt) + watchMs;
    return { kind: 'service', at: row.nextAt, until, needsDecision: false };
  }
  if (!isOpen(row.status) && !isUnconfirmed(row)) {
    return { kind: needsDecision ? 'decision' : 'none', at: null, until: null, needsDecision };
  }
  return { kind: getKind(row), at: row.nextAt, until: findUntil(row), needsDecision };
}

function getKind({ status, restoredAt }: CollectionRow): NextStep['kind'] {
  switch (status) {
    case 'accepted':
      return 'create';
    case 'created':
      return restoredAt === null ? 'prompt' : 'poll';
    case 'initiating':
    case 'initiated':
    case 'paid':
      return 'poll';
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review':
      return 'none';
    default:
      return unreachable(status);
  }
}

function findUntil(row: CollectionRow): EpochMs | null {
  const from = row.status === 'paid' ? row.closedAt : (row.initiateSentAt ?? row.restoredAt);
  return from === null ? row.promptDeadline : from + watchMs;
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
] as const;

/**
 * Describes the next step in one sentence, with times of the same day as `now` without their date.
 *
 * @param timeZone the zone of times to the minute; without one, times are UTC to the second, and say so.
 * @param namesZone adds the name of the time zone to times.
 */
export function describeNextStep(step: NextStep, now: EpochMs, timeZone?: string, namesZone = false): string {
  const showDay = (at: EpochMs) => showDayIn(at, timeZone ?? 'UTC');
  const showWhen = (at: EpochMs) => {
    const time =
      timeZone === undefined
        ? `${new Date(at).toISOString().slice(11, 19)} UTC`
        : `${localTimeAt(at, timeZone).slice(11)}${namesZone ? ` ${timeZone}` : ''}`;
    return showDay(at) === showDay(now) ? time : `${showDay(at)} ${time}`;
  };
  const { kind, at, until, needsDecision } = step;
  const isOverdue = at !== null && now - at > overdueMs;
  const due = at === null ? '' : `${isOverdue ? 'was due' : ''} ${showWhen(at)}`.trim();
  const note = isOverdue ? ': check whether the gateway runs' : '';
  const decision = needsDecision ? '; a person must decide, too' : '';
  switch (kind) {
    case 'none':
      return 'The result is final.';
    case 'service':
      return `The service decides; there is nothing to do before ${showDay(until ?? now)}. Next check ${due}${note}.`;
    case 'decision':
      return 'A person must decide.';
    case 'create':
      return `Next request to the service ${due}${note}; no prompt is sent after ${showWhen(until ?? now)}.`;
    case 'prompt':
      return `Prompt ${due}${note}; none is sent after ${showWhen(until ?? now)}.`;
    case 'poll':
      return `Next check ${due}${note}, watched until ${showDay(until ?? now)}${decision}.`;
    default:
      return unreachable(kind);
  }
}

/** A running gateway makes a step long before this time has passed since it was due. */
const overdueMs = 5 * 60_000;

function showDayIn(at: EpochMs, timeZone: string): string {
  const [, month = 0, day = 0] = localTimeAt(at, timeZone).slice(0, 10).split('-').map(Number);
  return `${day} ${months[month - 1]}`;
}

/** The answer to the first questions about a collection. */
export type Explanation = {
  /** One sentence: what happened, and whether money moved. */
  summary: string;
  nextStep: NextStep & { text: string };
  expected: ExpectedAmounts;
  /** Null when no money was booked. */
  received: SourcedAmounts | null;
  /** The outcome's code, and what to say and do. */
  playbook: Outcome;
};

/**
 * Explains a collection as it is at `now`.
 *
 * @param showPhone shows the number of the phone that requested the payment, masked by default.
 */
export function explain(record: CollectionRecord, now: EpochMs, showPhone = maskedForm): Explanation {
  const { collection, postings } = record;
  const received = receivedAmounts(postings);
  const outcome = getOutcome(collection);
  const step = getNextStep(collection);
  return {
    summary: `${describeEvent(outcome, collection, showPhone)}; ${describeMoney(outcome, collection.amountMinor ?? 0)}.`,
    nextStep: { ...step, text: describeNextStep(step, now) },
    expected: expectedAmounts(record),
    received: received && { ...received, source: collection.amountSource },
    playbook: outcome,
  };
}

/** Describes what happened, and names the phone that requested the payment when it is not the payer's. */
function describeEvent(
  { happened }: Outcome,
  { requestedBy, dialler }: CollectionRow,
  showPhone: typeof maskedForm,
): string {
  const event = happened.replace(/\.$/, '');
  if (requestedBy === 'payer') return event;
  const phone = requestedBy === 'attendant' ? "An attendant's phone" : 'Another phone';
  return `${phone}, ${showPhone(dialler)}, requested this payment. ${event}`;
}

function describeMoney({ money }: Outcome, amountMinor: number): string {
  switch (money) {
    case 'not_taken':
      return 'no money was taken';
    case 'unknown':
      return 'whether money was taken is not known';
    case 'reported':
      return `${formatCedis(amountMinor)} is reported, and not confirmed`;
    case 'received':
      return `${formatCedis(amountMinor)} was received`;
    case 'suspended':
      return `${formatCedis(amountMinor)} arrived and is in suspense`;
    case 'returned':
      return `${formatCedis(amountMinor)} was booked back to the payer`;
    default:
      return unreachable(money);
  }
}
