import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import { openForReading } from '../../../gateway/database/open-for-reading.ts';
import type { PaymentEvent } from '../../../gateway/notify/payment-events.ts';
import { eventsOfCollection } from '../../../gateway/notify/replay-query.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';

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
async function readEvents(database: DatabaseLocation, dialler: Msisdn): Promise<Triggered | undefined> {
  const store = await openForReading(database);
  try {
    const collectionId = await findLastCollection(store, dialler);
    return collectionId === undefined
      ? undefined
      : { collectionId, events: await eventsOfCollection(store, collectionId) };
  } finally {
    await store.close();
  }
}
