import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, payer, type Till } from '../kit/till.ts';
import { startProgram } from '../process/processes.ts';

const inputs = ['1', '20', '1'];

/** Locks the gateway's database for writing, as another program can, until `release`. */
function lockFile(till: Till): { release(): void } {
  const other = new Database(till.config.database.file, { timeout: 0 });
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  return { release: () => void other.exec('ROLLBACK') };
}

/** Creates a till whose channels must answer within `replyWithinMs`. */
const createTillWithin = (replyWithinMs: number) =>
  createTill({
    configure({ channels }) {
      for (const channel of channels) channel.replyWithinMs = replyWithinMs;
    },
  });

/** Waits for an answer and measures its time on the test's clock. */
async function timed<T>(till: Till, answer: T | Promise<T>): Promise<{ answer: T; ms: number }> {
  const startedAt = till.clock.now();
  return { answer: await answer, ms: till.clock.now() - startedAt };
}

async function onConfirm(till: Till, channel = 'africastalking') {
  const session = till.session(payer, channel);
  await session.walk(['1', '20']);
  await till.clock.advance(2_500);
  return session;
}

const slow = 'Sorry, the service is slow. If no prompt arrives, please dial again.';

describe('while the database hangs', () => {
  test.each(['africastalking', 'nalo'])(
    'a payer on %s gets a last screen at the deadline of the channel, and it makes no statement about money',
    async (channel) => {
      const till = await createTillWithin(1_000);
      const session = await onConfirm(till, channel);
      lockFile(till);
      const answering = timed(till, session.send(inputs));
      await till.clock.advance(999);
      await till.clock.advance(1);
      const { answer, ms } = await answering;
      expect(ms).toBe(1_000);
      expect(answer.status).toBe(200);
      expect(answer.body).toContain(slow);
      expect(answer.body).not.toMatch(/paid|fail|cancel|nothing/i);
      expect(till.logged()).toContain('a USSD request was not answered in time');
    },
  );

  test('a turn that has not begun by the deadline is never written: no collection, no call, no prompt', async () => {
    const till = await createTillWithin(1_000);
    const session = await onConfirm(till);
    const lock = lockFile(till);
    const answering = session.send(inputs);
    await till.clock.advance(1_000);
    expect((await answering).body).toBe(`END ${slow}`);
    // The gateway is still waiting for the transaction, which can begin now.
    lock.release();
    await till.clock.advance(60_000);
    expect(await till.find(payer)).toEqual([]);
    expect(till.calls).toEqual([]);
    // The session is still on its confirm screen, and the same request confirms.
    expect((await session.send(inputs)).body).toContain('END Approve GHS 20.00');
    await till.untilStatus(payer, 'initiated');
    const row = await till.approved();
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect((await till.record(row.id)).turns.map(({ input }) => input)).toEqual([null, ...inputs]);
  });

  test('a turn that is written before the deadline is complete, even shortly before it', async () => {
    const till = await createTillWithin(1_000);
    const session = await onConfirm(till);
    const lock = lockFile(till);
    const answering = timed(till, session.send(inputs));
    await till.clock.advance(850);
    lock.release();
    await till.clock.advance(149);
    const { answer, ms } = await answering;
    expect(ms).toBeGreaterThan(850);
    expect(ms).toBeLessThan(1_000);
    expect(answer.body).toContain('END Approve GHS 20.00');
    await till.untilStatus(payer, 'initiated');
    await till.approved();
    expect(till.logged()).not.toContain('a USSD request was not answered in time');
  });

  test('an end notice is answered in time, and its write can follow later', async () => {
    const till = await createTillWithin(1_000);
    const session = await onConfirm(till);
    const lock = lockFile(till);
    const answering = session.leave(['1', '20']);
    await till.clock.advance(1_000);
    expect((await answering).status).toBe(200);
    lock.release();
    await till.clock.advance(1_000);
    expect((await session.send(inputs)).body).toContain('Session ended.');
    expect(await till.find(payer)).toEqual([]);
  });
});

/** Advances the clock by five seconds and checks at each step that the gateway reports itself alive. */
async function fiveSeconds(till: Till): Promise<void> {
  for (let step = 0; step < 20; step++) {
    const { answer, ms } = await timed(till, till.gateway().app.request('http://gateway.test/healthz'));
    expect({ status: answer.status, ms }).toEqual({ status: 200, ms: 0 });
    await till.clock.advance(250);
  }
}

test.each(['africastalking', 'nalo'])(
  'S28: while another process holds the write lock for 5 s, %s and health are answered in time, and nothing is lost',
  async (channel) => {
    const till = await createTill();
    const other = '0201234567';
    await till.prompted(other);
    const { id: prompt } = await till.prompt(other);
    const session = await onConfirm(till, channel);

    const holder = startProgram({ onTestFinished }, 'test/process/child-lock.ts', [
      till.config.database.file,
    ]);
    await holder.waitForOutput(/locked/);
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const answering = timed(till, session.send(inputs));
    // The other payer pays while the gateway cannot accept a webhook.
    await till.service.phone.approve(prompt, '1234');
    await fiveSeconds(till);
    stalls.disable();
    const { answer, ms } = await answering;
    expect(ms).toBeLessThanOrEqual(aggregatorOf(channel).replyWithinMs);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('Please try again.');
    // A wait inside SQLite would block the whole process.
    expect(stalls.max / 1e6).toBeLessThan(1_000);

    expect((await till.only(other)).status).toBe('initiated');
    await holder.end('SIGKILL');
    await till.clock.advance(250);
    expect(await till.find(payer)).toEqual([]);
    expect((await session.send(inputs)).body).toContain('Approve GHS 20.00');
    await till.untilStatus(payer, 'initiated');
    await till.approve();
    for (const number of [payer, other]) {
      const row = await till.untilStatus(number, 'paid', 120_000);
      expect(await till.booked(row.id)).toEqual(paidInFull);
    }
    expect((await till.service.statement()).pushes).toBe(2);
    await till.clock.advance(30_000);
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  },
);
