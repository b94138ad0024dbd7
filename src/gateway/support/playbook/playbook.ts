import { unreachable } from '../../../shared/errors.ts';
import {
  awaitsService,
  type Collection,
  isFailureReported,
  isUnconfirmed,
  type RequestedBy,
} from '../../collection/collection.ts';
import { endRows } from './end-rows.ts';
import { type MoneyState, type PlaybookRow, payerTexts } from './playbook-row.ts';
import { reviewRows, unconfirmedInReview } from './review-rows.ts';
import {
  type StateCode,
  serviceDecides,
  stateRows,
  type UnpaidStatus,
  unknownReview,
  unpaidRows,
} from './state-rows.ts';

type Text = PlaybookRow['tellPayer'];

/** The texts of a payer who did not dial, by the texts of one who did. The others hold for both. */
const requestedTexts = new Map<Text, Text>([
  [payerTexts.coming, payerTexts.requestedWaiting],
  [payerTexts.waiting, payerTexts.requestedWaiting],
  [payerTexts.notPaid, payerTexts.requestedNotPaid],
  [payerTexts.declined, payerTexts.requestedDeclined],
  [payerTexts.pinLimit, payerTexts.requestedPinLimit],
  [payerTexts.noFunds, payerTexts.requestedNotPaid],
  [payerTexts.notApproved, payerTexts.requestedNotPaid],
  [payerTexts.notPossible, payerTexts.requestedNotPaid],
  [payerTexts.totalChanged, payerTexts.requestedNotPaid],
]);

const offer: Readonly<Record<Exclude<RequestedBy, 'payer'>, string>> = {
  attendant: 'Ask whether the payer agreed to it with the attendant.',
  other:
    'Ask whether the payer agreed to it. If not, read the requests of that phone, and offer to block it.',
};

const neverPaid = 'Never ask the payer for another attempt: another phone requested this one.';

/**
 * Returns the advice about a payment that another phone requested. Its payer did not dial, and may know nothing of it, so no text asks
 * that payer to dial again.
 */
function adviceForRequested<Row extends PlaybookRow & { money: MoneyState }>(
  row: Row,
  { requestedBy }: Pick<Collection, 'requestedBy'>,
): Row {
  if (requestedBy === 'payer') return row;
  const tellPayer = requestedTexts.get(row.tellPayer) ?? row.tellPayer;
  const isUnpaid = row.money === 'not_taken' && tellPayer !== payerTexts.requestedWaiting;
  return {
    ...row,
    tellPayer,
    action: isUnpaid ? offer[requestedBy] : `${row.action} ${offer[requestedBy]}`,
    never: isUnpaid ? neverPaid : row.never,
  };
}

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
    const row = toReviewRow(collection, review);
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

function toReviewRow(collection: Collection, review: string): PlaybookRow {
  const { status } = collection;
  if (review === 'unconfirmed_paid' && status === 'review') return unconfirmedInReview;
  return known(reviewRows, isLateMoney(collection) ? `paid_while_${status}` : review) ?? unknownReview;
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
