import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import { awaitsService, type CollectionRow, isOpen, isUnconfirmed } from '../../collection/collection.ts';
import { watchMs } from '../../collection/decide/decision.ts';

/** What happens next to a collection, and when. */
export type NextStep = {
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
export function getNextStep(row: CollectionRow): NextStep {
  const needsDecision = row.review !== null;
  if (awaitsService(row)) {
    const until = (row.awaitsServiceSince ?? row.updatedAt) + watchMs;
    return { kind: 'service', at: row.nextAt, until, needsDecision };
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

function findUntil({
  status,
  restoredAt,
  promptDeadline,
  closedAt,
  initiateSentAt,
}: CollectionRow): EpochMs | null {
  const from = status === 'paid' ? closedAt : (initiateSentAt ?? restoredAt);
  if (from !== null) return from + watchMs;
  return promptDeadline;
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
] as const;

/** Describes the next step in one sentence, with times of the same day as `now` without their date. Times are UTC. */
export function describeNextStep(step: NextStep, now: EpochMs): string {
  const { kind, at, until, needsDecision } = step;
  const isOverdue = at !== null && now - at > overdueMs;
  const due = at === null ? '' : `${isOverdue ? 'was due' : ''} ${showWhen(at, now)}`.trim();
  const note = isOverdue ? ': check whether the gateway runs' : '';
  const decision = needsDecision ? '; a person must decide, too' : '';
  switch (kind) {
    case 'none':
      return 'The result is final.';
    case 'service':
      return `The service decides about the money. Next check ${due}${note}; after ${showDay(until ?? now)}, people here decide.`;
    case 'decision':
      return 'A person must decide.';
    case 'create':
      return `Next request to the service ${due}${note}; no prompt is sent after ${showWhen(until ?? now, now)}.`;
    case 'prompt':
      return `Prompt ${due}${note}; none is sent after ${showWhen(until ?? now, now)}.`;
    case 'poll':
      return `Next check ${due}${note}, watched until ${showDay(until ?? now)}${decision}.`;
    default:
      return unreachable(kind);
  }
}

/** A running gateway makes a step long before this time has passed since it was due. */
const overdueMs = 5 * 60_000;

function showDay(at: EpochMs): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
}

function showWhen(at: EpochMs, now: EpochMs): string {
  const time = new Date(at).toISOString().slice(11, 19);
  return showDay(at) === showDay(now) ? `${time} UTC` : `${showDay(at)} ${time} UTC`;
}
