import { type MagicName, magicNumbers } from '../../../contract/service/magic-numbers.ts';
import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { PaymentEvent } from '../../../gateway/notify/payment-events.ts';
import { eventsOfCollection } from '../../../gateway/notify/replay-query.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { readLedger } from '../../open-reads.ts';

type TriggeredEvent = 'payment.opened' | 'payment.paid' | 'payment.not_paid' | 'payment.review_opened';

/** An event that a simulated payer brings about, and the ending of the payer's number. */
export type TriggeredOutcome = {
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

const reviews: Partial<Record<MagicName, TriggeredOutcome['review']>> = {
  paid_short: 'amount_mismatch',
  paid_over: 'amount_mismatch',
  second_charge: 'second_charge',
};

export const outcomes: readonly TriggeredOutcome[] = (Object.keys(cases) as TriggeredEvent[]).flatMap(
  (event) =>
    cases[event].map((reason): TriggeredOutcome => {
      const { ending = '', behaviour: what = '' } = magicNumbers.find(({ name }) => name === reason) ?? {};
      const review = event === 'payment.review_opened' ? reviews[reason] : undefined;
      return { event, reason, ...(review && { review }), ending, what };
    }),
);

/** Returns the outcome of an event, the first one without a reason; `undefined` when there is none. */
export function findOutcome(event: string, reason: string | undefined): TriggeredOutcome | undefined {
  return outcomes.find(
    (one) => one.event === event && (reason === undefined || one.reason === reason || one.review === reason),
  );
}

/** The payment of a phone so far, with its events in their order. */
export type Triggered = { collectionId: string; events: readonly PaymentEvent[] };

const pollMs = 500;

/**
 * Waits until the newest payment of a phone has an event of this type.
 *
 * @returns the payment at the end of the wait, with or without the event; `undefined` when the phone has none.
 * @throws UserError when the ledger cannot be read.
 */
export async function awaitEvent(
  database: DatabaseLocation,
  clock: Clock,
  { dialler, type, waitMs }: { dialler: Msisdn; type: string; waitMs: number },
): Promise<Triggered | undefined> {
  const deadline = clock.now() + waitMs;
  for (;;) {
    const found = await readEvents(database, dialler);
    const isOver = found?.events.some((event) => event.type === type) || clock.now() >= deadline;
    if (isOver) return found;
    await clock.sleep(pollMs);
  }
}

/** A reader sees the ledger as it was when it was opened. */
function readEvents(database: DatabaseLocation, dialler: Msisdn): Promise<Triggered | undefined> {
  return readLedger(database, async (store) => {
    const collectionId = await findLastCollection(store, dialler);
    return collectionId === undefined
      ? undefined
      : { collectionId, events: await eventsOfCollection(store, collectionId) };
  });
}
