/** Reasons whose code does not read as their short name. */
const words: Readonly<Record<string, string>> = {
  pin_limit: 'Too many wrong PINs',
  insufficient_funds: 'Too little money',
  limit_exceeded: 'Over a limit',
  wallet_not_registered: 'No wallet',
  rail_refused: 'Rejected by the network',
  not_prompted: 'Prompt not delivered',
  never_initiated: 'Prompt never requested',
  amount_mismatch: 'Amount differs',
  second_charge: 'Charged twice',
  service_failed: 'Failed without a reason',
  service_expired: 'Expired without a reason',
  prompt_deadline: 'No prompt in time',
  never_prompted: 'Prompt request lost',
  clock_ahead: 'System clock was ahead',
  restored: 'Ledger was restored',
  restored_unknown: 'Restored, result unknown',
  session_taken: 'Session of another payment',
  session_already_driven: 'Session used before',
  unconfirmed_paid: 'Paid, not confirmed',
  unplaced_decided: 'Money given away before',
  unknown_final_status: 'Unknown final status',
  offline_mode_not_enabled: 'Merchant not approved for USSD',
  offline_scope_required: 'Key without USSD payments',
  invalid_msisdn: 'Number rejected',
  decided_accept: 'Decided: accepted',
  decided_paid: 'Decided: paid',
  decided_returned: 'Decided: returned',
  decided_not_paid: 'Decided: not paid',
  service_accepted: 'Accepted by the service',
  service_rejected: 'Rejected by the service',
  matched: 'Matched with unplaced money',
};

/** Returns the short name of a reason of a payment or of a review: `Too little money`. A newer code is named by its own words. */
export function nameReason(code: string): string {
  const [known] = Object.hasOwn(words, code) ? [words[code]] : [];
  const plain = code.replaceAll('_', ' ');
  return known ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}
