import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import {
  type Bench,
  create,
  goods,
  initiate,
  json,
  newMerchant,
  openBench,
  openMerchant,
  post,
  refusal,
} from './support.ts';

const sessions = '/v1/payments/sessions';
const hour = 3_600_000;

async function answerOf(answer: Response) {
  return {
    status: answer.status,
    replayed: answer.headers.get('idempotent-replayed'),
    text: await answer.text(),
  };
}

const createOnce = (bench: Bench, key: string, body: unknown = goods) =>
  post(bench, sessions, { key, idempotencyKey: 'once', body });

test('a repeated create returns the first response byte for byte and creates no second session', async () => {
  const { bench, key } = await openMerchant();
  const first = await answerOf(await createOnce(bench, key));
  const again = await answerOf(await createOnce(bench, key));
  expect(first).toMatchObject({ status: 201, replayed: null });
  expect(again).toEqual({ ...first, replayed: 'true' });
  expect((await bench.service.statement()).sessions).toHaveLength(1);
});

test('a replay survives a restart, for create and for initiate', async () => {
  const { bench, key } = await openMerchant();
  const created = await answerOf(await createOnce(bench, key));
  const { id } = JSON.parse(created.text);
  const initiated = await answerOf(await initiate(bench, key, id, 'go'));
  await bench.restart();
  expect(await answerOf(await createOnce(bench, key))).toEqual({ ...created, replayed: 'true' });
  expect(await answerOf(await initiate(bench, key, id, 'go'))).toEqual({ ...initiated, replayed: 'true' });
  expect(await bench.service.statement()).toMatchObject({ sessions: [{ pushes: 1 }], pushes: 1 });
});

test('a replayed initiate returns the first response, also after the session was paid', async () => {
  const { bench, key } = await openMerchant();
  const id = await create(bench, key);
  const first = await answerOf(await initiate(bench, key, id, 'go'));
  const [prompt] = await bench.service.phone.pending(goods.msisdn);
  await bench.service.phone.approve(prompt?.id ?? '', '1234');
  expect(await answerOf(await initiate(bench, key, id, 'go'))).toEqual({ ...first, replayed: 'true' });
});

test('a key that was used for another body or another call is rejected', async () => {
  const { bench, key } = await openMerchant();
  await createOnce(bench, key);
  const reused = { status: 409, code: 'idempotency_key_reused' };
  expect(await refusal(await createOnce(bench, key, { ...goods, amount_minor: 1 }))).toMatchObject(reused);
  const id = await create(bench, key);
  expect(await refusal(await initiate(bench, key, id, 'once'))).toMatchObject(reused);
  expect((await bench.service.statement()).pushes).toBe(0);
});

test('two bodies are equal when only their whitespace or the order of their fields differs', async () => {
  const { bench, key } = await openMerchant();
  await createOnce(bench, key);
  const spaced = JSON.stringify(Object.fromEntries(Object.entries(goods).reverse()), null, 1);
  const replay = await createOnce(bench, key, spaced);
  expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
});

test('concurrent creates with one key create one session', async () => {
  const { bench, key } = await openMerchant();
  const answers = await Promise.all(Array.from({ length: 8 }, () => createOnce(bench, key)));
  const made = answers.filter((answer) => answer.status === 201);
  const waiting = answers.filter((answer) => answer.status === 409);
  expect(made.length + waiting.length).toBe(8);
  const ids = await Promise.all(made.map(async (answer) => (await json(answer)).id));
  expect(new Set(ids).size).toBe(1);
  for (const answer of waiting) {
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await refusal(answer)).toMatchObject({ code: 'idempotency_in_progress' });
  }
  expect((await bench.service.statement()).sessions).toHaveLength(1);
});

test('while the first initiate waits for the rail, its repetition gets idempotency_in_progress and another request is rejected', async () => {
  const { bench, key } = await openMerchant({ config: { rail: { acceptDelayMs: 1_000 } } });
  const id = await create(bench, key);
  const first = initiate(bench, key, id, 'go');
  await bench.clock.advance(10);
  expect(await refusal(await initiate(bench, key, id, 'go'))).toMatchObject({
    status: 409,
    code: 'idempotency_in_progress',
  });
  expect(
    await refusal(await post(bench, sessions, { key, idempotencyKey: 'go', body: goods })),
  ).toMatchObject({ code: 'idempotency_key_reused' });
  await bench.clock.advance(1_000);
  const answered = await answerOf(await first);
  expect(await answerOf(await initiate(bench, key, id, 'go'))).toEqual({ ...answered, replayed: 'true' });
});

test('a rejected request does not consume its key', async () => {
  const { bench, key } = await openMerchant();
  expect((await createOnce(bench, key, { ...goods, network: 'glo' })).status).toBe(400);
  expect((await createOnce(bench, key)).status).toBe(201);
});

test('a key belongs to its merchant', async () => {
  const bench = openBench();
  const one = await newMerchant(bench);
  const other = await newMerchant(bench, 'Kofi Cosmetics');
  expect((await createOnce(bench, one.key)).status).toBe(201);
  expect((await answerOf(await createOnce(bench, other.key))).replayed).toBeNull();
});

test('a key expires after 24 hours', async () => {
  const { bench, key } = await openMerchant();
  await createOnce(bench, key);
  await bench.clock.advance(24 * hour - 1);
  expect((await answerOf(await createOnce(bench, key))).replayed).toBe('true');
  await bench.clock.advance(1);
  expect((await answerOf(await createOnce(bench, key))).replayed).toBeNull();
  expect((await bench.service.statement()).sessions).toHaveLength(2);
});

test('expired keys are deleted from the database', async () => {
  const { bench, key } = await openMerchant();
  await createOnce(bench, key);
  const file = new Database(bench.file, { readonly: true });
  onTestFinished(() => void file.close());
  const kept = () => file.prepare('SELECT count(*) FROM idempotency').pluck().get();
  expect(kept()).toBe(1);
  await bench.clock.advance(26 * hour);
  expect(kept()).toBe(0);
});
