import { expect, test } from 'vitest';
import { StoreFault } from '../../src/sqlite/store.ts';
import { createTill } from '../kit/till.ts';

test('S02: an input whose turn was written slowly, with a lost answer of the database, is not applied twice', async () => {
  let isSlow = false;
  const till = await createTill({
    wrapStore: (store, clock) => ({
      ...store,
      async apply(batch, signal) {
        const isWritten = await store.apply(batch, signal);
        if (!isSlow || !batch.some(({ sql }) => sql.includes('"turn"'))) return isWritten;
        isSlow = false;
        // Longer than the window in which an equal input is a repeat.
        await clock.sleep(2_500);
        throw new StoreFault('unknown', 'the connection to the database was lost');
      },
    }),
  });
  const phone = till.phone('0244123456', 'moolre');
  await phone.dial();
  await till.clock.advance(5_000);
  isSlow = true;
  const sent = phone.send('1');
  await till.clock.advance(3_000);
  expect(await sent).toMatch(/^Amount in GHS/);
});
