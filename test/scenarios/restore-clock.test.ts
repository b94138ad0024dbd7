import { expect, test } from 'vitest';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { backUpTill, isRecovering } from '../kit/backup-till.ts';
import { allNeedFile } from '../kit/engine.ts';
import { createTill, type Till } from '../kit/till.ts';

allNeedFile('restore copies of a file; test/postgres/{backup,failover} restore a server');

const payer = '0244123456';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const fault = 'Sorry, something went wrong. Please try again.';

const dial = (till: Till) => till.phone(payer).dial();

/** Restores with a command whose machine's clock is wrong by so much. */
function restoreAt(till: Till, copy: string, aheadMs: number): Promise<void> {
  return till.restart(async () => {
    await restoreCopy(copy, till.config.database.file, till.clock.now() + aheadMs);
  });
}

test.each([20 * hour, 30 * day])(
  'a restore with a clock %i ms ahead pauses new payments for the normal time',
  async (ahead) => {
    const till = await createTill({ onMachineClock: true });
    await till.prompted();
    const { file } = await backUpTill(till);
    await restoreAt(till, file, ahead);
    expect(await dial(till)).toBe(fault);
    await till.clock.advance(7 * minute);
    expect(await dial(till)).not.toBe(fault);
    expect(await isRecovering(till)).toBe(false);
  },
);

test('a restore with a clock an hour behind opens no collection beside a prompt that the copy does not contain', async () => {
  const till = await createTill({ onMachineClock: true });
  await till.prompted('0201234567');
  const { file } = await backUpTill(till);
  await till.clock.advance(minute);
  await till.prompted(payer);
  till.setMachineClock(-hour);
  await restoreAt(till, file, -hour);
  expect(await dial(till)).toBe(fault);
  await till.clock.advance(5 * minute);
  expect(await dial(till)).toBe(fault);
  const book = await till.service.statement();
  expect(book.sessions.map(({ pushes }) => pushes)).toEqual([1, 1]);
});

test('a corrected clock does not end a recovery: the pause uses monotonic time', async () => {
  const till = await createTill({ onMachineClock: true });
  const { file } = await backUpTill(till);
  await till.prompted(payer);
  till.setMachineClock(-hour);
  await restoreAt(till, file, -hour);
  await till.clock.advance(10_000);
  till.setMachineClock(hour);
  await till.clock.advance(30_000);
  expect(await dial(till)).toBe(fault);
  expect(await isRecovering(till)).toBe(true);
  await till.clock.advance(6 * minute);
  expect(await isRecovering(till)).toBe(false);
  expect(await dial(till)).not.toBe(fault);
});

test('a recovery continues after a restart of the gateway, without a new pause', async () => {
  const till = await createTill({ onMachineClock: true });
  const { file } = await backUpTill(till);
  await restoreAt(till, file, 0);
  await till.clock.advance(4 * minute);
  await till.restart();
  expect(await dial(till)).toBe(fault);
  await till.clock.advance(2 * minute + 10_000);
  expect(await isRecovering(till)).toBe(false);
  expect(await dial(till)).not.toBe(fault);
});
