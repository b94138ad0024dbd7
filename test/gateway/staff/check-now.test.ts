import { expect, test } from 'vitest';
import { callStaff, staffActions, withStaff } from '../../kit/staff.ts';
import { createTill, minute, payer, type Till } from '../../kit/till.ts';

const createStaffed = () => createTill({ configure: withStaff });
const check = (till: Till, id: string) => callStaff(till, 'ama', `/collections/${id}/check`, {});

test('a check polls at once instead of at the next time of the plan, and is recorded', async () => {
  const till = await createStaffed();
  till.loseWebhooks();
  const { id } = await till.prompted();
  await till.clock.advance(100_000);
  const polls = till.callsOf('status');
  await till.approve();
  expect(await check(till, id)).toMatchObject({ status: 200, body: { status: 'initiated' } });
  await till.untilStatus(payer, 'paid', 1_000);
  expect(till.callsOf('status')).toBe(polls + 1);
  expect(till.callsOf('initiate')).toBe(1);
  expect(await staffActions(till)).toMatchObject([{ actor: 'ama', action: 'check', subject: id }]);
});

test('a check respects the wait that the service requested', async () => {
  const till = await createStaffed();
  till.loseWebhooks();
  const { id } = await till.prompted();
  const end = till.answerPolls(() => ({ status: 'initiated', terminal: false, retry_after_seconds: 200 }));
  await till.clock.advance(20_000);
  end();
  const polls = till.callsOf('status');
  await till.clock.advance(minute);
  expect(await check(till, id)).toMatchObject({
    status: 429,
    body: {
      error: {
        code: 'too_early',
        message: expect.stringMatching(
          /^the service asked for a pause between checks: check again after 2026-/,
        ),
      },
    },
  });
  await till.clock.advance(minute);
  expect(till.callsOf('status')).toBe(polls);
  expect(await staffActions(till)).toEqual([]);
});

test('a check respects Retry-After of a failed poll', async () => {
  const till = await createStaffed();
  const { id } = await till.prompted();
  till.faults.call = async (call, pass) =>
    call.name === 'status'
      ? new Response('busy', { status: 503, headers: { 'retry-after': '600' } })
      : pass();
  await till.clock.advance(20_000);
  delete till.faults.call;
  expect(await check(till, id)).toMatchObject({ status: 429, body: { error: { code: 'too_early' } } });
});

test('checks in a row cause one poll', async () => {
  const till = await createStaffed();
  const { id } = await till.prompted();
  await till.clock.advance(100_000);
  const polls = till.callsOf('status');
  const answers = await Promise.all([check(till, id), check(till, id), check(till, id)]);
  await till.clock.advance(1_000);
  answers.push(await check(till, id));
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(answers.at(-1)?.status).toBe(429);
  expect(till.callsOf('status')).toBe(polls + 1);
});

test('a check never brings an initiate forward: without an accepted prompt it is refused', async () => {
  const till = await createStaffed();
  till.faults.call = async (call, pass) => {
    if (call.name === 'initiate') throw new Error('lost');
    return pass();
  };
  await till.pay(payer);
  await till.untilStatus(payer, 'initiating');
  const { id } = await till.only(payer);
  expect(await check(till, id)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
});

test('a collection that is not polled any more cannot be checked', async () => {
  const till = await createStaffed();
  const { id } = await till.prompted();
  await till.declined();
  const answer = await check(till, id);
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  expect((await till.only(payer)).nextAt).toBeNull();
});
