import { expect, test } from 'vitest';
import { ReplyGate } from '../../../src/gateway/dialogue/reply-gate.ts';
import { testClock } from '../../kit/clock.ts';

test('the END screen of another gateway counts as sent at the latest possible time', async () => {
  const clock = testClock();
  const openedAt = clock.now();
  expect(await new ReplyGate(clock, true).sent('dlg_1', openedAt)).toBe(openedAt + 10_000);
  expect(await new ReplyGate(clock).sent('dlg_1', openedAt)).toBe(openedAt);
});

test('the END screen of this gateway counts from the moment in which it left, also where several gateways run', async () => {
  const clock = testClock();
  const gate = new ReplyGate(clock, true);
  const openedAt = clock.now();
  const end = gate.register('dlg_1', 'end');
  await clock.advance(700);
  end('sent');
  expect(await gate.sent('dlg_1', openedAt)).toBe(openedAt + 700);
});

test('a menu screen that this gateway sends again is not the END screen that another one sends', async () => {
  const clock = testClock();
  const gate = new ReplyGate(clock, true);
  gate.register('dlg_1', 'continue')('sent');
  await clock.advance(1_000);
  const openedAt = clock.now();
  await clock.advance(200);
  gate.register('dlg_1', 'continue')('sent');
  expect(await gate.sent('dlg_1', openedAt)).toBe(openedAt + 10_000);
  expect(gate.lastLeft('dlg_1')).toBe(openedAt + 200);
});
