import { expect, test } from 'vitest';
import { corruptTable } from '../kit/with-database.ts';
import { create, goods, json, openBench, openMerchant, post, refusal } from './support.ts';

const health = (bench: ReturnType<typeof openBench>) => bench.service.app.request('/healthz');

test('a service with a working database is healthy', async () => {
  const bench = openBench();
  const answer = await health(bench);
  expect([answer.status, await json(answer)]).toEqual([200, { status: 'ok' }]);
});

test('a permanent database failure makes the service unhealthy, is logged, and calls onBroken once', async () => {
  let failures = 0;
  const { bench, key } = await openMerchant({ onBroken: () => failures++ });
  await create(bench, key);
  await bench.service.stop();
  corruptTable(bench.file, 'payment_session');
  await bench.restart();
  expect((await health(bench)).status).toBe(200);
  for (const idempotencyKey of ['a', 'b']) {
    const answer = await post(bench, '/v1/payments/sessions', { key, idempotencyKey, body: goods });
    expect(await refusal(answer)).toMatchObject({ status: 500, code: 'internal_error' });
  }
  expect(await refusal(await health(bench))).toMatchObject({ status: 503, code: 'unavailable' });
  expect(failures).toBe(1);
  expect(bench.logged.filter((line) => line.includes('the database has failed'))).toHaveLength(1);
});
