import { expect, test } from 'vitest';
import type { ServiceExchange } from '../../src/gateway/collection/calls/service-exchange.ts';
import { createWireLog } from '../../src/phone/wire-log.ts';

const call = (session: string, body = ''): ServiceExchange => ({
  ...{ direction: 'sent', at: 1_000, ms: 5, method: 'GET', path: `/v1/payments/sessions/${session}/status` },
  ...{ headers: [], body, answer: { status: 200, body: '{}' } },
});

test('a payment has its own calls and webhooks only, also those before its session is known', () => {
  const log = createWireLog();
  const created = { ...call('x'), path: '/v1/payments/sessions', headers: ['idempotency-key: create.1'] };
  log.addService({ ...created, answer: { fault: 'timeout' } });
  log.addService(call('pay_1'));
  log.addService(call('pay_2'));
  log.addService({ ...call('x'), direction: 'received', path: '/webhooks/shop', body: '{"id":"pay_1"}' });
  const found = log.entriesOf({ sessionId: 'pay_1', createKey: 'create.1' });
  expect(found.map(({ request, answer }) => [request, answer])).toEqual([
    ['GET /webhooks/shop', '{}'],
    ['GET /v1/payments/sessions/pay_1/status', '{}'],
    ['GET /v1/payments/sessions', 'timeout'],
  ]);
  expect(log.entriesOf({ sessionId: null, createKey: 'create.2' })).toEqual([]);
});

test('a long body is cut with a notice, and 256 exchanges are kept', () => {
  const log = createWireLog();
  for (let i = 0; i < 300; i++) log.addService(call(`pay_1`, 'x'.repeat(5_000)));
  const entries = log.entriesOf({ sessionId: 'pay_1', createKey: 'none' });
  expect(entries).toHaveLength(256);
  expect(entries[0]?.sent).toMatch(/^x{4000}…\n\(cut after 4000 of 5000 characters\)$/);
});
