import { type MagicName, magicNumbers } from '../../../contract/service/magic-numbers.ts';

type TriggeredEvent = 'payment.opened' | 'payment.paid' | 'payment.not_paid' | 'payment.review_opened';

/** An event that a simulated payer brings about, and the ending of the payer's number. */
export type Outcome = {
  readonly event: TriggeredEvent;
  /** As the option `--reason` names it: the name of the magic number, which is the `reason` of the notification if it has one. */
  readonly reason: MagicName;
  /** The `review` of the notification, which names a wrong amount in one word. */
  readonly review?: 'amount_mismatch' | 'second_charge';
  readonly ending: string;
  readonly what: string;
};

/** The cases of each event that end within a minute. The first one is what the event means without a reason. */
const cases = {
  'payment.opened': ['paid'],
  'payment.paid': ['paid', 'rail_slow', 'rail_unknown'],
  'payment.not_paid': [
    ...(['declined', 'cancelled', 'pin_limit', 'insufficient_funds', 'limit_exceeded'] as const),
    ...(['wallet_not_registered', 'network_down', 'prompt_expired'] as const),
  ],
  'payment.review_opened': ['paid_short', 'paid_over', 'second_charge'],
} as const satisfies Record<TriggeredEvent, readonly MagicName[]>;

const reviews: Partial<Record<MagicName, Outcome['review']>> = {
  paid_short: 'amount_mismatch',
  paid_over: 'amount_mismatch',
  second_charge: 'second_charge',
};

export const outcomes: readonly Outcome[] = (Object.keys(cases) as TriggeredEvent[]).flatMap((event) =>
  cases[event].map((reason): Outcome => {
    const { ending = '', behaviour: what = '' } = magicNumbers.find(({ name }) => name === reason) ?? {};
    const review = event === 'payment.review_opened' ? reviews[reason] : undefined;
    return { event, reason, ...(review && { review }), ending, what };
  }),
);

/** Returns the outcome of an event, the first one without a reason; `undefined` when there is none. */
export function findOutcome(event: string, reason: string | undefined): Outcome | undefined {
  return outcomes.find(
    (one) => one.event === event && (reason === undefined || one.reason === reason || one.review === reason),
  );
}
