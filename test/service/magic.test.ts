import { expect, test } from 'vitest';
import { findMagicName, type MagicName, magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { plantTrigger, removeTrigger } from '../kit/failing-statements.ts';
import {
  type Bench,
  create,
  initiate,
  json,
  newLiveMerchant,
  openBench,
  openMerchant,
  poll,
  post,
  refusal,
} from './support.ts';

const second = 1_000;
const hour = 3_600 * second;

/** Shorter than the default of 24 hours, so that a test has less time to play. */
const longStopMs = hour;
const config = { session: { longStopMs } };

const numberOf = (name: MagicName) => {
  const ending = magicNumbers.find((one) => one.name === name)?.ending;
  return `233244000${ending}`;
};

/** The types of the session's events, in order, with what each says. */
const events = (bench: Bench, id: string) =>
  bench.received
    .map(({ body }) => JSON.parse(body))
    .filter(({ data }) => data.id === id)
    .map(({ type, data }) => [type.replace('payment.session.', ''), data.status, data.reason]);

type Ending = {
  name: MagicName;
  /** HTTP status of initiate, and when it comes. */
  initiate: [status: number, afterMs: number];
  /** When the session has this status, after the initiate; a millisecond sooner it is still `initiated`. */
  ends: [status: string, afterMs: number];
  paidAfterMs?: number;
  chargedMinor: number;
  events: unknown[][];
  pushes?: number;
};

const table: Ending[] = [
  {
    name: 'paid',
    initiate: [200, 0],
    ends: ['paid', 3 * second],
    paidAfterMs: 3 * second,
    chargedMinor: 2_020,
    events: [['paid', 'paid', undefined]],
  },
  {
    name: 'declined',
    initiate: [200, 0],
    ends: ['failed', 3 * second],
    chargedMinor: 0,
    events: [['failed', 'failed', 'declined']],
  },
  {
    name: 'insufficient_funds',
    initiate: [200, 0],
    ends: ['failed', 3 * second],
    chargedMinor: 0,
    events: [['failed', 'failed', 'insufficient_funds']],
  },
  {
    name: 'no_result',
    initiate: [200, 0],
    ends: ['expired', longStopMs],
    chargedMinor: 0,
    events: [['failed', 'expired', 'no_result']],
  },
  {
    name: 'late_approval',
    initiate: [200, 0],
    ends: ['expired', longStopMs],
    chargedMinor: 2_020,
    events: [
      ['failed', 'expired', 'no_result'],
      ['review_amount_mismatch', 'expired', 'late_approval'],
    ],
  },
  {
    name: 'paid_short',
    initiate: [200, 0],
    ends: ['initiated', 3 * second],
    chargedMinor: 1_010,
    events: [['review_amount_mismatch', 'initiated', 'paid_short']],
  },
  {
    name: 'rail_refused',
    initiate: [502, 0],
    ends: ['failed', 0],
    chargedMinor: 0,
    events: [['failed', 'failed', 'rail_refused']],
    pushes: 0,
  },
  {
    name: 'rail_slow',
    initiate: [200, 8 * second],
    ends: ['paid', 11 * second],
    paidAfterMs: 11 * second,
    chargedMinor: 2_020,
    events: [['paid', 'paid', undefined]],
  },
  {
    name: 'rail_unknown',
    initiate: [504, 15 * second],
    ends: ['paid', 18 * second],
    paidAfterMs: 18 * second,
    chargedMinor: 2_020,
    events: [['paid', 'paid', undefined]],
  },
  {
    name: 'prompt_expired',
    initiate: [200, 0],
    ends: ['expired', 3 * second],
    chargedMinor: 0,
    events: [['failed', 'expired', 'prompt_expired']],
  },
  ...(['pin_limit', 'wallet_not_registered', 'limit_exceeded', 'cancelled', 'network_down'] as const).map(
    (name): Ending => ({
      name,
      initiate: [200, 0],
      ends: ['failed', 3 * second],
      chargedMinor: 0,
      events: [['failed', 'failed', name]],
    }),
  ),
  {
    name: 'paid_over',
    initiate: [200, 0],
    ends: ['initiated', 3 * second],
    chargedMinor: 2_120,
    events: [['review_amount_mismatch', 'initiated', 'paid_over']],
  },
  {
    name: 'second_charge',
    initiate: [200, 0],
    ends: ['paid', 3 * second],
    paidAfterMs: 3 * second,
    chargedMinor: 4_040,
    events: [
      ['paid', 'paid', undefined],
      ['review_amount_mismatch', 'paid', 'second_charge'],
    ],
  },
  {
    name: 'event_twice',
    initiate: [200, 0],
    ends: ['paid', 3 * second],
    paidAfterMs: 3 * second,
    chargedMinor: 2_020,
    events: [
      ['paid', 'paid', undefined],
      ['paid', 'paid', undefined],
    ],
  },
  {
    name: 'events_reversed',
    initiate: [200, 0],
    ends: ['paid', 3 * second],
    paidAfterMs: 3 * second,
    chargedMinor: 4_040,
    events: [
      ['review_amount_mismatch', 'paid', 'second_charge'],
      ['paid', 'paid', undefined],
    ],
  },
  {
    name: 'report_lost',
    initiate: [200, 0],
    ends: ['paid', 195 * second],
    paidAfterMs: 3 * second,
    chargedMinor: 2_020,
    events: [['paid', 'paid', undefined]],
  },
];

test('the table below has every magic number, and each ending is read from the last three digits', () => {
  expect(table.map(({ name }) => name)).toEqual(magicNumbers.map(({ name }) => name));
  expect(new Set(magicNumbers.map(({ ending }) => ending)).size).toBe(magicNumbers.length);
  for (const { ending, name } of magicNumbers) expect(findMagicName(`233201555${ending}`)).toBe(name);
  for (const payer of ['233244123456', '233901901900', '233244000900', '233244000921']) {
    expect(findMagicName(payer)).toBeUndefined();
  }
});

test.each(table)(
  'the session of the magic number "$name" ends as documented without an answer',
  async (ending) => {
    const { bench, merchantId, key } = await openMerchant({ config });
    await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
    const msisdn = numberOf(ending.name);
    const id = await create(bench, key, { msisdn });
    const pushedAt = bench.clock.now();
    const answer = Promise.resolve(initiate(bench, key, id, 'i'));
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    const until = (afterMs: number) =>
      bench.clock.advance(Math.max(0, pushedAt + afterMs - bench.clock.now()));

    const [status, answeredAfterMs] = ending.initiate;
    if (answeredAfterMs > 0) {
      await until(answeredAfterMs - 1);
      expect(answered).toBe(false);
    }
    await until(answeredAfterMs);
    expect((await answer).status).toBe(status);
    const [ends, afterMs] = ending.ends;
    if (afterMs > 0) {
      await until(afterMs - 1);
      expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated', terminal: false });
    }
    await until(afterMs);
    expect((await poll(bench, key, id)).body).toMatchObject({
      status: ends,
      ...(ending.paidAfterMs === undefined
        ? {}
        : { paid_at: new Date(pushedAt + ending.paidAfterMs).toISOString() }),
    });
    await bench.clock.advance(2 * hour);
    expect((await poll(bench, key, id)).body.status).toBe(ends);
    expect(events(bench, id)).toEqual(ending.events);
    expect(await bench.service.statement()).toMatchObject({
      pushes: ending.pushes ?? 1,
      chargedMinor: ending.chargedMinor,
    });
    expect(await bench.service.phone.pending(msisdn)).toEqual([]);
  },
);

test.each(table)(
  '"$name" ends the same when the service restarts, and sleeps, in between',
  async (ending) => {
    const { bench, key } = await openMerchant({ config });
    const id = await create(bench, key, { msisdn: numberOf(ending.name) });
    const pushedAt = bench.clock.now();
    const answer = initiate(bench, key, id, 'i');
    await bench.clock.advance(ending.initiate[1]);
    await answer;
    const [ends, afterMs] = ending.ends;
    await bench.service.stop();
    await bench.clock.advance(Math.max(0, pushedAt + afterMs - bench.clock.now()));
    await bench.restart();
    await bench.clock.advance(0);
    expect((await poll(bench, key, id)).body.status).toBe(ends);
    await bench.restart();
    await bench.clock.advance(3_600 * second);
    expect((await poll(bench, key, id)).body.status).toBe(ends);
    expect((await bench.service.statement()).chargedMinor).toBe(ending.chargedMinor);
  },
);

test('the result of a magic number from right before a crash is reported once after it', async () => {
  const { bench, merchantId, key } = await openMerchant();
  await bench.service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
  const id = await create(bench, key, { msisdn: numberOf('paid') });
  await initiate(bench, key, id);
  await bench.service.stop();
  const file = new Database(bench.file);
  const acted = file
    .prepare(
      `UPDATE prompt SET status = 'approved', charged_minor = amount_minor, closed_at = acts_at, acts_at = NULL`,
    )
    .run();
  file.close();
  expect(acted.changes).toBe(1);
  await bench.restart();
  await bench.clock.advance(60_000);
  expect((await poll(bench, key, id)).body.status).toBe('paid');
  expect(events(bench, id)).toHaveLength(1);
});

test('the prompt of a magic number is listed on the phone as magic and cannot be answered', async () => {
  const { bench, key } = await openMerchant();
  const msisdn = numberOf('declined');
  await initiate(bench, key, await create(bench, key, { msisdn }));
  const { data: prompts } = await json(await bench.service.app.request(`/handset/prompts?msisdn=${msisdn}`));
  expect(prompts).toMatchObject([{ magic: 'declined', amount_minor: 2_020 }]);
  const [prompt] = await bench.service.phone.pending(msisdn);
  const path = `/handset/prompts/${prompt?.id}`;
  for (const answer of [
    await post(bench, `${path}/approve`, { body: { pin: '1234' } }),
    await post(bench, `${path}/approve`, { body: { pin: '0000' } }),
    await post(bench, `${path}/decline`, {}),
  ]) {
    expect(await refusal(answer)).toMatchObject({ status: 409, code: 'prompt_automatic' });
  }
  expect((await bench.service.statement()).chargedMinor).toBe(0);
});

test('a live session has no magic numbers', async () => {
  const pushed: string[] = [];
  const bench = openBench({
    liveRail: () => ({
      async push({ payer }) {
        pushed.push(payer);
        return { kind: 'accepted' };
      },
      inquire: async () => ({ kind: 'pending' }),
      round: async () => undefined,
    }),
  });
  const { liveKey } = await newLiveMerchant(bench);
  const msisdn = numberOf('rail_refused');
  const id = await create(bench, liveKey, { msisdn });
  expect((await initiate(bench, liveKey, id)).status).toBe(200);
  expect(pushed).toEqual([msisdn]);
});

test('magic numbers apply to web sessions', async () => {
  const { bench, key } = await openMerchant();
  const web = { msisdn: numberOf('paid'), amount_minor: 2_000, network: 'mtn' };
  const { id } = await json(await post(bench, '/v1/payments/sessions', { key, body: web }));
  expect((await initiate(bench, key, String(id))).status).toBe(200);
  await bench.clock.advance(3 * second);
  expect((await poll(bench, key, String(id))).body.status).toBe('paid');
});

test('more magic prompts than one round handles all close on time', async () => {
  const { bench, key } = await openMerchant();
  const ids: string[] = [];
  for (let index = 0; index < 250; index++) {
    const name = (['paid', 'declined', 'insufficient_funds'] as const)[index % 3] ?? 'paid';
    const id = await create(bench, key, { msisdn: numberOf(name) });
    expect((await initiate(bench, key, id)).status).toBe(200);
    ids.push(id);
  }
  await bench.clock.advance(3 * second);
  await bench.clock.advance(0);
  const statuses = await Promise.all(ids.map(async (id) => (await poll(bench, key, id)).body.status));
  expect(statuses).toEqual(ids.map((_, index) => (index % 3 === 0 ? 'paid' : 'failed')));
});

test('a charge whose result cannot be recorded is stored, and recorded once the disk works again', async () => {
  const { bench, key } = await openMerchant({ config });
  const id = await create(bench, key, { msisdn: numberOf('paid') });
  await initiate(bench, key, id, 'i');
  plantTrigger(bench.file, 'full', `BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'full'); END`);
  await bench.clock.advance(3 * second);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'initiated' });
  const { pushes, chargedMinor } = await bench.service.statement();
  expect([pushes, chargedMinor > 0]).toEqual([1, true]);
  removeTrigger(bench.file, 'full');
  await bench.clock.advance(70 * second);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});

test('the charge of a magic number and its result are in one commit', async () => {
  const { bench, key } = await openMerchant({ config });
  // Fails the event of a charge that an earlier batch has stored.
  plantTrigger(
    bench.file,
    'apart',
    `BEFORE INSERT ON event WHEN (SELECT status FROM prompt WHERE session_id = NEW.session_id) <> 'pending'
       BEGIN SELECT RAISE(ABORT, 'apart'); END`,
  );
  const id = await create(bench, key, { msisdn: numberOf('paid') });
  await initiate(bench, key, id, 'i');
  await bench.clock.advance(3 * second);
  expect((await poll(bench, key, id)).body).toMatchObject({ status: 'paid' });
});
