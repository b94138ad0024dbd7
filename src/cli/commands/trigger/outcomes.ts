/** An event that a simulated payer brings about, and the ending of the payer's number. */
export type Outcome = {
  readonly event: 'payment.opened' | 'payment.paid' | 'payment.not_paid' | 'payment.review_opened';
  /** As the option `--reason` names it. */
  readonly reason: string;
  /** The magic number of the service whose prompts end like this: `dialtill service numbers`. */
  readonly ending: string;
  readonly what: string;
};

/** The first one of each event is what the event means without a reason. */
export const outcomes: readonly Outcome[] = [
  { event: 'payment.opened', reason: 'paid', ending: '901', what: 'a payer confirms; paid follows' },
  { event: 'payment.paid', reason: 'paid', ending: '901', what: 'the payer approves after 3 s' },
  { event: 'payment.paid', reason: 'slow', ending: '909', what: 'the payer approves after 18 s' },
  { event: 'payment.not_paid', reason: 'declined', ending: '902', what: 'the payer declines' },
  { event: 'payment.not_paid', reason: 'no_funds', ending: '903', what: 'the wallet is empty' },
  { event: 'payment.not_paid', reason: 'timed_out', ending: '910', what: 'the payer does not answer' },
  { event: 'payment.not_paid', reason: 'pin_limit', ending: '911', what: 'too many wrong PINs' },
  { event: 'payment.not_paid', reason: 'no_wallet', ending: '912', what: 'the number has no wallet' },
  { event: 'payment.not_paid', reason: 'limit', ending: '913', what: 'a limit of the wallet is reached' },
  { event: 'payment.review_opened', reason: 'paid_short', ending: '906', what: 'half of the amount arrives' },
  { event: 'payment.review_opened', reason: 'paid_over', ending: '916', what: 'too much money arrives' },
];

/** Returns the outcome of an event, the first one without a reason; `undefined` when there is none. */
export function findOutcome(event: string, reason: string | undefined): Outcome | undefined {
  return outcomes.find((one) => one.event === event && (reason === undefined || one.reason === reason));
}
