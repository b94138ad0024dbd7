import { expect, test } from 'vitest';
import { type Store, StoreFault, type Write } from '../../src/sqlite/store.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent } from '../kit/till.ts';

const payer = '0244123456';

/** Whether the batch whose answer is lost was written. */
const outcomes = [{ isWritten: true }, { isWritten: false }];

/** Loses the answer to the first batch that inserts into a table. */
function loseAnswer(table: string, isWritten: boolean) {
  let isLost = false;
  const inserts = (batch: readonly Write[]) =>
    batch.some(({ sql }) => sql.includes(`insert into "${table}"`));
  return (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      if (isLost || !inserts(batch)) return store.apply(batch, signal);
      isLost = true;
      if (isWritten) await store.apply(batch, signal);
      throw new StoreFault('unknown', 'the connection to the database was lost');
    },
  });
}

test.each(outcomes)(
  'an END screen announces a prompt only after its collection is found or written (isWritten: $isWritten)',
  async ({ isWritten }) => {
    const till = await createTill({ wrapStore: loseAnswer('collection', isWritten) });
    expect(await till.pay(payer)).toContain('Approve GHS 20.00');
    expect(await till.find(payer)).toHaveLength(1);
    await till.untilStatus(payer, 'initiated');
    await till.approved();
    expect((await till.service.statement()).pushes).toBe(1);
  },
);

test.each(outcomes)(
  'an event is acknowledged only after it is known to be stored (isWritten: $isWritten)',
  async ({ isWritten }) => {
    const till = await createTill({ wrapStore: loseAnswer('inbox', isWritten) });
    const row = await till.prompted();
    const event = paidEvent(row);
    expect((await till.deliver(event)).status).toBe(503);
    expect((await till.deliver(event)).status).toBe(200);
    await till.untilStatus(payer, 'paid');
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await till.inbox()).toHaveLength(1);
  },
);
