import type { MagicName } from '../../contract/simulated-phone.ts';

/**
 * Payers whose prompts end by themselves, in test mode: the last three digits of the number say how. Each stands
 * for a way in which a rail or a payer behaves that a merchant's program must survive.
 *
 * The times are those of the default configuration.
 */
export const magicNumbers = [
  { ending: '901', name: 'paid', behaviour: 'The payer approves 3 s after the push.' },
  { ending: '902', name: 'declined', behaviour: 'The payer declines after 3 s: failed.' },
  { ending: '903', name: 'no_funds', behaviour: "The payer's wallet is found empty after 3 s: failed." },
  {
    ending: '904',
    name: 'no_answer',
    behaviour: 'Neither payer nor rail is ever heard of: expired (`no_result`) 195 s after the push.',
  },
  {
    ending: '905',
    name: 'paid_late',
    behaviour:
      'As 904, and the payer approves 3 s later still: the session stays expired, a review is opened.',
  },
  {
    ending: '906',
    name: 'paid_short',
    behaviour: 'Half of the amount is taken after 3 s: the session is held, a review is opened.',
  },
  { ending: '907', name: 'rail_down', behaviour: 'The push is refused at once: 502 `rail_refused`, failed.' },
  {
    ending: '908',
    name: 'rail_slow',
    behaviour: 'The rail takes 8 s to accept the push; the payer approves 3 s after that.',
  },
  {
    ending: '909',
    name: 'rail_lost',
    behaviour:
      'The push is answered too late (504 `rail_unknown`), yet the payer is asked, and approves 18 s after the push.',
  },
] as const satisfies readonly { ending: string; name: MagicName; behaviour: string }[];

/** What a payer's number makes of its prompts; `undefined` for an ordinary number. */
export function magicNameOf(payer: string): MagicName | undefined {
  return magicNumbers.find(({ ending }) => payer.endsWith(ending))?.name;
}
