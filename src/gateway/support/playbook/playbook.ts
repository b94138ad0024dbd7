import { unreachable } from '../../../shared/errors.ts';
import {
  awaitsService,
  type Collection,
  isFailureReported,
  isUnconfirmed,
} from '../../collection/collection.ts';
import { endRows } from './end-rows.ts';
import type { MoneyState, PlaybookRow } from './playbook-row.ts';
import { adviceForRequested } from './requested-rows.ts';
import { reviewRows } from './review-rows.ts';
import {
  type StateCode,
  serviceDecides,
  stateRows,
  type UnpaidStatus,
  unknownReview,
  unpaidRows,
} from './state-rows.ts';

/** One outcome: a single code, what happened, where the money is, and what to do. */
export type Outcome = PlaybookRow & {
  /** `<status>`, or `<status>.<reason>`: one code for each outcome, such as `failed.declined` or `review.no_outcome`. */
  code: string;
  money: MoneyState;
};

/** Returns the outcome of a collection as it is now. A reason that this version does not know gets a general row. */
export function getOutcome(collection: Collection): Outcome {
  const { code, row } = toRow(collection);
  return adviceForRequested({ ...row, code, money: getMoney(collection) }, collection);
}

function toRow(collection: Collection): { code: string; row: PlaybookRow } {
  const { status, reason, review, booked } = collection;
  if (review !== null) {
    const row = known(reviewRows, isLateMoney(collection) ? `paid_while_${status}` : review) ?? unknownReview;
    return { code: `review.${review}`, row: awaitsService(collection) ? { ...row, ...serviceDecides } : row };
  }
  if (reason === 'decided_not_paid' && status === 'failed') return unpaid(status, reason);
  if (booked === 'released' || booked === 'returned' || booked === 'reversed') {
    return { code: `decided.${booked}`, row: stateRows[booked] };
  }
  switch (status) {
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated': {
      const state = getOpenState(collection);
      return { code: `open.${state}`, row: stateRows[state] };
    }
    case 'paid':
      if (isUnconfirmed(collection)) return { code: 'paid.unconfirmed', row: stateRows.paid_unconfirmed };
      if (reason === 'decided_paid') return { code: 'decided.paid', row: stateRows.decided_paid };
      if (reason === 'decided_accept') return { code: 'decided.kept', row: stateRows.decided_kept };
      return { code: 'paid', row: stateRows.paid };
    case 'failed':
    case 'expired':
    case 'abandoned':
      return unpaid(status, reason);
    case 'review':
      return { code: 'review', row: unknownReview };
    default:
      return unreachable(status);
  }
}

/** Returns whether the amount that the payer saw arrived after an unpaid end. The service has the reason of another amount for it, too. */
function isLateMoney({ status, review, booked, amountMinor, shownTotalMinor }: Collection): boolean {
  const isOver = status === 'failed' || status === 'expired' || status === 'abandoned';
  return review === 'amount_mismatch' && isOver && booked === 'suspense' && amountMinor === shownTotalMinor;
}

function getOpenState(collection: Collection): StateCode {
  const { status, restoredAt, lapsedAt } = collection;
  if (isFailureReported(collection)) return 'failure_reported';
  if (lapsedAt !== null) return 'lapsed';
  if (restoredAt !== null) return 'restored_open';
  return status === 'accepted' || status === 'created' ? 'prompt_pending' : 'awaiting_pin';
}

function unpaid(status: UnpaidStatus, reason: string | null): { code: string; row: PlaybookRow } {
  if (reason === null) return { code: status, row: unpaidRows[status] };
  return { code: `${status}.${reason}`, row: known(endRows, reason) ?? unpaidRows[status] };
}

function known(rows: Readonly<Record<string, PlaybookRow>>, reason: string): PlaybookRow | undefined {
  return Object.hasOwn(rows, reason) ? rows[reason] : undefined;
}

/** Returns where the money is, from the bookings and the proven status. */
function getMoney(collection: Collection): MoneyState {
  const { booked, status, restoredAt } = collection;
  // The booking is undone, and people state that no money was taken.
  if (status === 'failed' && collection.reason === 'decided_not_paid') return 'not_taken';
  switch (booked) {
    case 'paid':
      return collection.confirmedAt === null ? 'reported' : 'received';
    case 'released':
      return 'received';
    case 'suspense':
      return 'suspended';
    case 'returned':
    case 'reversed':
      return 'returned';
    case null:
      break;
    default:
      return unreachable(booked);
  }
  switch (status) {
    case 'accepted':
    case 'created':
      return restoredAt === null && collection.review === null ? 'not_taken' : 'unknown';
    case 'failed':
    case 'expired':
    case 'abandoned':
      // A review of an unpaid end means that a source claims money, and a rejected amount was charged.
      return collection.review === null && collection.reason !== 'amount_mismatch' ? 'not_taken' : 'unknown';
    case 'initiating':
    case 'initiated':
    case 'paid':
    case 'review':
      return 'unknown';
    default:
      return unreachable(status);
  }
}
