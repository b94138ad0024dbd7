import type { Collection, RequestedBy } from '../../collection/collection.ts';
import { type MoneyState, type PlaybookRow, payerTexts } from './playbook-row.ts';

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
export function adviceForRequested<Row extends PlaybookRow & { money: MoneyState }>(
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
