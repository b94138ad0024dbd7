import { expect, test } from 'vitest';
import { needsFile } from '../kit/engine.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const delayMs = 1_500;
/** The session time of these tests, and the time until the next check. */
const idleMs = 60_000;
const checkMs = 2_000;

const initiates = (till: Till) => till.calls.filter(({ name }) => name === 'initiate');

/** Pays, and dials again before the prompt. The first screen of the new session waits for an input. */
async function redialled(till: Till, channel = 'africastalking') {
  await till.pay(payer);
  await till.clock.advance(500);
  const session = till.session(payer, channel, { session: 'redial-1' });
  const { body } = await session.send([]);
  return {
    /** Chooses an option of the first screen by its text. */
    choose: (option: string) => session.send([new RegExp(`(\\d)\\. ${option}`).exec(body)?.[1] ?? '']),
  };
}

test.each(['africastalking', 'nalo'])(
  'S15: a prompt waits while its payer is in a new dialogue on %s, and follows its end after the delay',
  async (channel) => {
    const till = await createTill();
    const session = await redialled(till, channel);
    await till.clock.advance(20_000);
    expect(initiates(till)).toEqual([]);
    await session.choose('How to approve');
    const endedAt = till.clock.now();
    await till.until(() => initiates(till).length > 0, delayMs + checkMs + 500);
    expect((initiates(till)[0]?.startedAt ?? 0) - endedAt).toBeGreaterThanOrEqual(delayMs);
    expect((await till.only(payer)).status).toBe('initiated');
  },
);

test('S15: each input of the new dialogue extends the wait, and an idle session ends it', async () => {
  const till = await createTill();
  const session = await redialled(till);
  await till.clock.advance(idleMs - 2_000);
  await session.choose('New payment');
  await till.clock.advance(idleMs - 1_000);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1_500);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: a payment whose payer stays in a dialogue until its prompt deadline ends uncharged', async () => {
  const till = await createTill({
    timings: { sessionIdleMs: 300_000 },
  });
  await redialled(till);
  await till.clock.advance(180_000);
  expect(await till.only(payer)).toMatchObject({ status: 'abandoned', reason: 'prompt_deadline' });
  expect(initiates(till)).toEqual([]);
});

test('S15: the setting of a channel replaces the session time', async () => {
  const till = await createTill({
    configure: ({ channels }) => {
      for (const channel of channels) channel.sessionIdleMs = 10_000;
    },
  });
  await redialled(till);
  await till.clock.advance(9_000);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(2_000);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: dialogues of other phones delay no prompt, and a waiting prompt delays no other payer', async () => {
  const till = await createTill();
  const stranger = till.session('0244999999', 'africastalking', { session: 'other' });
  await redialled(till);
  await stranger.walk(['1']);
  await till.pay('0201234567');
  await till.untilStatus('0201234567', 'initiated', 3_000);
  expect((await till.only(payer)).status).toBe('created');
});

test('S15: a hundred waiting payers use no calls of the key that others need', async () => {
  const till = await createTill({
    configure: ({ service, limits }) => {
      service.callsPerSecond = 2;
      limits.merchant.perMinute = null;
    },
  });
  for (let index = 0; index < 12; index++) {
    const number = `02441000${10 + index}`;
    await till.pay(number);
    await till.session(number, 'africastalking', { session: `redial-${index}` }).send([]);
  }
  await till.clock.advance(4_000);
  await till.pay('0201234567');
  await till.untilStatus('0201234567', 'initiated', 5_000);
});

test('S15: a late end notice of the session that opened the payment does not end the new dialogue', async () => {
  const till = await createTill();
  const first = till.session(payer, 'africastalking', { session: 'first' });
  await first.walk(['1', '20', '1']);
  await till.clock.advance(500);
  const second = till.session(payer, 'nalo', { session: 'second' });
  await second.send([]);
  await till.clock.advance(1_000);
  await first.leave(['1', '20', '1']);
  await till.clock.advance(20_000);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(idleMs);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: a prompt waits while its payer is in an earlier dialogue that continues after the one that opened the payment', async () => {
  const till = await createTill();
  const earlier = till.session(payer, 'africastalking', { session: 'earlier' });
  await earlier.send([]);
  await till.pay(payer, undefined, 'nalo');
  await till.clock.advance(500);
  await earlier.send(['1']);
  await till.clock.advance(20_000);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(idleMs);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: the delay of the prompt counts from the last END, also from that of a dialogue that began before', async () => {
  const till = await createTill();
  const earlier = till.session(payer, 'nalo', { session: 'earlier' });
  await earlier.send([]);
  await till.pay(payer);
  await till.clock.advance(delayMs - 100);
  await earlier.send(['x']);
  await earlier.send(['x', 'y']);
  expect((await earlier.send(['x', 'y', 'z'])).body).toContain('"MSGTYPE":false');
  await till.clock.advance(delayMs - 100);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(checkMs + delayMs);
  expect(initiates(till)).toHaveLength(1);
});

test.each(['africastalking', 'nalo'])(
  'S15: a repeated screen of an open dialogue on %s extends the wait, as an input does',
  async (channel) => {
    const till = await createTill();
    const session = await redialled(till, channel);
    await session.choose('New payment');
    await till.clock.advance(1_500);
    await session.choose('New payment');
    const repeatedAt = till.clock.now();
    await till.until(() => initiates(till).length > 0, idleMs + checkMs);
    expect((initiates(till)[0]?.startedAt ?? 0) - repeatedAt).toBeGreaterThanOrEqual(idleMs);
  },
);

test.each(['africastalking', 'nalo'])(
  'S15: the delay of the prompt counts from a repeat of the last END on %s: the payer may see only that one',
  async (channel) => {
    const till = await createTill();
    const session = await redialled(till, channel);
    const { body } = await session.choose('How to approve');
    await till.clock.advance(delayMs - 100);
    expect((await session.choose('How to approve')).body).toBe(body);
    const repeatedAt = till.clock.now();
    await till.until(() => initiates(till).length > 0, delayMs + checkMs + 500);
    expect((initiates(till)[0]?.startedAt ?? 0) - repeatedAt).toBeGreaterThanOrEqual(delayMs);
  },
);

needsFile('reads query plans of SQLite')('S15: the check reads one turn by the index of phones', async () => {
  const till = await createTill();
  await till.pay(payer);
  await till.clock.advance(500);
  const plans = await queryPlansOf(till.config.database.file, () => till.clock.advance(5_000));
  const reads = plans.filter(({ sql }) => /from "turn"/.test(sql));
  expect(reads.map(({ steps }) => steps)).toEqual([[expect.stringContaining('turn_phone (dialler=?)')]]);
});
