const words: Readonly<Record<string, string>> = {
  unknown_session: 'No payment has its payment session.',
  no_session: 'The event names no payment session.',
  other_channels: 'It may belong to another channel of the merchant.',
  stated_channel: 'The event states another channel.',
  other_currency: 'It is in another currency. No amount is booked.',
  second_charge: 'The payer was charged a second time.',
  declared_foreign: 'People declared it as money of another channel.',
};

const notes: Readonly<Record<string, string>> = {
  amount_mismatch: 'A later event states another amount.',
  other_currency: 'A later event states another currency.',
  failure_reported: 'An event reports a failure of the same payment session.',
  refund_reported: 'An event reports a refund.',
};

/** Returns in words why no payment explains money, and what a later event contradicts. */
export function unplacedWords({ reason, note }: { reason: string; note: string | null }): string {
  return [words[reason] ?? reason, ...(note === null ? [] : [notes[note] ?? note])].join(' ');
}
