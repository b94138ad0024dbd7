import type { MagicName } from '../../contract/simulated-phone.ts';

/**
 * The magic numbers: payers of test mode whose last three digits choose the behaviour of the rail and the payer. Each is
 * a case that a merchant's program must handle. The times are those of the default configuration.
 */
export const magicNumbers = [
  { ending: '901', name: 'paid', behaviour: 'The payer approves 3 s after the push.' },
  { ending: '902', name: 'declined', behaviour: 'The payer declines after 3 s: failed.' },
  { ending: '903', name: 'no_funds', behaviour: "The payer's wallet is empty: failed after 3 s." },
  {
    ending: '904',
    name: 'no_answer',
    behaviour: 'Neither the payer nor the rail answers: expired (`no_result`) 195 s after the push.',
  },
  {
    ending: '905',
    name: 'paid_late',
    behaviour:
      'As 904, and the payer approves another 3 s later: the session stays expired, a review is opened.',
  },
  {
    ending: '906',
    name: 'paid_short',
    behaviour: 'Half of the amount is charged after 3 s: the session is on hold, a review is opened.',
  },
  {
    ending: '907',
    name: 'rail_down',
    behaviour: 'The rail rejects the push at once: 502 `rail_refused`, failed.',
  },
  {
    ending: '908',
    name: 'rail_slow',
    behaviour: 'The rail takes 8 s to accept the push; the payer approves 3 s after that.',
  },
  {
    ending: '909',
    name: 'rail_lost',
    behaviour:
      'The rail answers the push too late (504 `rail_unknown`). The payer gets the prompt and approves 18 s after the push.',
  },
] as const satisfies readonly { ending: string; name: MagicName; behaviour: string }[];

/** Returns the magic name of a payer's number; `undefined` for an ordinary number. */
export function magicNameOf(payer: string): MagicName | undefined {
  return magicNumbers.find(({ ending }) => payer.endsWith(ending))?.name;
}
