import { expect, onTestFinished, test } from 'vitest';
import { type Store, StoreFault, type Write } from '../../src/sqlite/store.ts';
import { createLatch, type Latch, paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent, payer, type Till } from '../kit/till.ts';

/** Pauses each of the first workers that write a fact of this kind: before the write, or after it is durable. */
function pauseAt(kind: string, when: 'before' | 'after', places: Latch[]) {
  const hasFact = (batch: readonly Write[]) =>
    batch.some(({ sql, args }) => sql.includes('into "fact"') && args.includes(kind));
  return (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      const place = hasFact(batch) ? places.shift() : undefined;
      if (when === 'before') await place?.wait();
      const done = await store.apply(batch, signal);
      if (when === 'after') await place?.wait();
      return done;
    },
  });
}

/** Creates a till with leases of five seconds, whose workers can be paused. */
async function openPaused(kind: string, when: 'before' | 'after', ...more: Latch[]) {
  const pause = createLatch();
  const till = await createTill({
    timings: { leaseMs: 5_000, callTimeoutMs: 30_000 },
    service: { rail: { promptLifetimeMs: 3_600_000 } },
    wrapStore: pauseAt(kind, when, [pause, ...more]),
  });
  // A test that fails must not leave a worker paused, for which the stop of the gateway would wait.
  onTestFinished(() => {
    for (const latch of [pause, ...more]) latch.release();
  });
  await till.pay(payer);
  await till.until(pause.isReached);
  return { till, pause };
}

/** Approves the prompt, and expects one booking from one prompt. */
async function expectPaidOnce(till: Till): Promise<void> {
  const row = await till.approved();
  await till.clock.advance(60_000);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020, sessions: [{}] });
  expect((await till.verify()).faults).toEqual([]);
}

const kinds = async (till: Till) =>
  (await till.record((await till.only(payer)).id)).facts.map(({ kind }) => kind);

test('S13: a worker that was paused before it won the prompt is fenced and sends nothing', async () => {
  const { till, pause } = await openPaused('prompt_requested', 'before');
  expect(till.callsOf('initiate')).toBe(0);
  await till.untilStatus(payer, 'initiated', 20_000);
  const before = await kinds(till);
  pause.release();
  await till.clock.advance(30_000);
  expect(till.callsOf('initiate')).toBe(1);
  expect((await kinds(till)).filter((kind) => kind === 'prompt_requested')).toHaveLength(1);
  expect((await kinds(till)).slice(0, before.length)).toEqual(before);
  await expectPaidOnce(till);
});

test('S13: a worker that resumes while another holds the lease writes nothing and sends nothing', async () => {
  const other = createLatch();
  const { till, pause } = await openPaused('prompt_requested', 'before', other);
  await till.until(other.isReached, 20_000);
  pause.release();
  await till.clock.advance(1_000);
  expect(till.callsOf('initiate')).toBe(0);
  expect((await till.only(payer)).leaseUntil).toBeGreaterThan(till.clock.now());
  other.release();
  await till.untilStatus(payer, 'initiated');
  expect(till.callsOf('initiate')).toBe(1);
  await expectPaidOnce(till);
});

test('S13: an answer that arrives after the lease was lost is recorded, and the lease of the other worker stays', async () => {
  const { till, pause } = await openPaused('created', 'before');
  const other = createLatch();
  till.faults.call = async ({ name }, pass) => {
    const answer = await pass();
    if (name === 'create') await other.wait();
    return answer;
  };
  await till.until(other.isReached, 20_000);
  const { leaseUntil } = await till.only(payer);
  pause.release();
  await till.until(async () => (await till.only(payer)).status === 'created', 1_000);
  expect(await till.only(payer)).toMatchObject({ leaseUntil });
  expect(leaseUntil).toBeGreaterThan(till.clock.now());
  other.release();
  await till.untilStatus(payer, 'initiated');
  await expectPaidOnce(till);
});

test('S13: a worker that was paused with the answer to create finds the session pinned, and changes nothing', async () => {
  const { till, pause } = await openPaused('created', 'before');
  const row = await till.untilStatus(payer, 'initiated', 20_000);
  pause.release();
  await till.clock.advance(30_000);
  const { facts } = await till.record(row.id);
  expect(facts.filter(({ kind }) => ['created', 'orphaned', 'prompt_requested'].includes(kind))).toHaveLength(
    2,
  );
  expect(till.callsOf('initiate')).toBe(1);
  await expectPaidOnce(till);
});

test('S13: a worker that was paused after it won the prompt sends nothing when its lease has ended', async () => {
  const { till, pause } = await openPaused('prompt_requested', 'after');
  expect(till.callsOf('initiate')).toBe(0);
  // The second worker polls, and sends only because the status is still `created` after the grace.
  await till.untilStatus(payer, 'initiated', 60_000);
  expect(till.callsOf('initiate')).toBe(1);
  pause.release();
  await till.clock.advance(30_000);
  expect(till.callsOf('initiate')).toBe(1);
  await expectPaidOnce(till);
});

test('S13: a worker that was paused from winning the prompt until the deadline sends nothing', async () => {
  const { till, pause } = await openPaused('prompt_requested', 'after');
  till.faults.call = async ({ name }, pass) =>
    name === 'status' ? new Response('', { status: 503 }) : pass();
  await till.clock.advance(181_000);
  pause.release();
  await till.clock.advance(1_000);
  delete till.faults.call;
  expect(await till.untilStatus(payer, 'abandoned', 900_000)).toMatchObject({ reason: 'never_prompted' });
  expect(till.callsOf('initiate')).toBe(0);
  expect(await till.service.statement()).toMatchObject({ pushes: 0, chargedMinor: 0 });
});

test('S13: a poll answer that is processed after its lease does not override newer evidence', async () => {
  const { till, pause } = await openPaused('polled', 'before');
  await till.approved();
  pause.release();
  await till.clock.advance(60_000);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null });
  const row = await till.only(payer);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.service.statement()).pushes).toBe(1);
});

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
