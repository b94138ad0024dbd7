/**
 * The magic numbers: payers of test mode whose last three digits choose the behaviour of the rail and the payer. Each is
 * a case that a merchant's program must handle. The name is the reason, the reason of the review, or the error code that the number
 * causes; the names of the other cases are no reasons. The times are those of the default configuration.
 */
export const magicNumbers = [
  { ending: '901', name: 'paid', behaviour: 'The payer approves 3 s after the push.' },
  { ending: '902', name: 'declined', behaviour: 'The payer declines after 3 s: failed.' },
  {
    ending: '903',
    name: 'insufficient_funds',
    behaviour: "The payer's wallet has too little money: failed after 3 s.",
  },
  {
    ending: '904',
    name: 'no_result',
    behaviour:
      'Neither the payer nor the rail answers, and inquiries get no answer: initiated until the long stop, then expired 24 h after the push.',
  },
  {
    ending: '905',
    name: 'late_approval',
    behaviour:
      'As no_result, and the payer approves 3 s after the long stop: the session stays expired, a review is opened.',
  },
  {
    ending: '906',
    name: 'paid_short',
    behaviour: 'Half of the amount is charged after 3 s: the session is on hold, a review is opened.',
  },
  {
    ending: '907',
    name: 'rail_refused',
    behaviour: 'The rail rejects the push at once: the initiate call returns 502, failed.',
  },
  {
    ending: '908',
    name: 'rail_slow',
    behaviour: 'The rail takes 8 s to accept the push; the payer approves 3 s after that.',
  },
  {
    ending: '909',
    name: 'rail_unknown',
    behaviour:
      'The rail answers the push too late: the initiate call returns 504. The payer gets the prompt and approves 18 s after the push.',
  },
  {
    ending: '910',
    name: 'prompt_expired',
    behaviour: 'The payer does not answer, and the prompt ends after 3 s: expired.',
  },
  { ending: '911', name: 'pin_limit', behaviour: 'Too many wrong PINs: failed after 3 s.' },
  { ending: '912', name: 'wallet_not_registered', behaviour: 'The number has no wallet: failed after 3 s.' },
  {
    ending: '913',
    name: 'limit_exceeded',
    behaviour: 'The amount exceeds a limit of the wallet or of its day: failed after 3 s.',
  },
  { ending: '914', name: 'cancelled', behaviour: 'The payer cancels: failed after 3 s.' },
  {
    ending: '915',
    name: 'network_down',
    behaviour: 'The network cannot deliver the prompt: failed after 3 s.',
  },
  {
    ending: '916',
    name: 'paid_over',
    behaviour: 'One cedi too much is charged after 3 s: the session is on hold, a review is opened.',
  },
  {
    ending: '917',
    name: 'second_charge',
    behaviour: 'The payer approves after 3 s, and is charged again 3 s later: paid, and a review is opened.',
  },
  {
    ending: '918',
    name: 'event_twice',
    behaviour: 'As paid, and each event is delivered twice, the second time under the same id.',
  },
  {
    ending: '919',
    name: 'events_reversed',
    behaviour: 'As second_charge, and the paid event is delivered after the review event.',
  },
  {
    ending: '920',
    name: 'report_lost',
    behaviour:
      'The payer approves after 3 s, and the rail loses its report: paid 195 s after the push, when the service inquires.',
  },
] as const;

export type MagicName = (typeof magicNumbers)[number]['name'];

export const magicNames: readonly MagicName[] = magicNumbers.map(({ name }) => name);

/** Returns the magic name of a payer's number; `undefined` for an ordinary number. */
export function findMagicName(payer: string): MagicName | undefined {
  return magicNumbers.find(({ ending }) => payer.endsWith(ending))?.name;
}
