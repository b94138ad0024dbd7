import { expect, test } from 'vitest';
import { createDeliveryDescriber } from '../../src/cli/commands/dev/dev.ts';
import type { NotificationDelivery } from '../../src/gateway/notify/deliver.ts';

type Result = Pick<NotificationDelivery, 'status' | 'error'>;

const answered = (status: number): Result => ({ status, error: null });
const failed = (error: NonNullable<NotificationDelivery['error']>): Result => ({ status: null, error });

function delivery(result: Result): NotificationDelivery {
  return {
    endpoint: { id: 'ep_1', merchantId: 'shop', url: 'http://127.0.0.1:3000/hooks' },
    notification: { type: 'payment.paid', body: '{"data":{"short_reference":"12345674"}}' },
    isDelivered: (result.status ?? 0) >= 200 && (result.status ?? 0) < 300,
    ...result,
  };
}

const describe = (...results: Result[]) => {
  const next = createDeliveryDescriber((_, text) => text, 'node hooks.mjs');
  return results.map((result) => next(delivery(result))).join('');
};

test('a notification that was accepted is one line', () => {
  expect(describe(answered(204))).toBe(
    'notified  payment.paid  12345674  http://127.0.0.1:3000/hooks  HTTP 204\n',
  );
});

test('a confirmed payment differs from the one that only an event reports', () => {
  const body = '{"data":{"short_reference":"12345674","confirmed":true}}';
  const confirmed = { ...delivery(answered(204)), notification: { type: 'payment.paid', body } };
  expect(createDeliveryDescriber((_, text) => text, undefined)(confirmed)).toBe(
    'notified  payment.paid confirmed  12345674  http://127.0.0.1:3000/hooks  HTTP 204\n',
  );
});

test.each<[result: Result, cause: string]>([
  [answered(401), 'Likely cause: your system has another secret'],
  [answered(401), 'npx dialtill merchant endpoints rotate ep_1'],
  [answered(403), 'CSRF'],
  [answered(404), 'another path'],
  [answered(405), 'another path'],
  [answered(410), 'npx dialtill merchant endpoints enable ep_1'],
  [answered(302), 'Redirects are not followed'],
  [answered(500), 'npx dialtill merchant endpoints log ep_1'],
  [failed('connection'), 'Nothing listens at http://127.0.0.1:3000. Start it: node hooks.mjs'],
  [failed('timeout'), 'within 15 seconds'],
  [failed('address_refused'), 'notify.allowPrivate'],
  [failed('secret_unreadable'), 'notify.secretsKey has changed'],
])('%j is explained: %s', (result, cause) => {
  const [line = '', explanation = ''] = describe(result).split('\n');
  expect(line).toMatch(/^not notified {2}payment\.paid .* (HTTP \d{3}|[a-z_]+)$/);
  expect(explanation).toContain(cause);
});

test('a failure is explained once, until the endpoint answers in another way', () => {
  const causes = (text: string) => text.split('\n').filter((line) => line.startsWith('  ')).length;
  expect(causes(describe(answered(401), answered(401), answered(401)))).toBe(1);
  expect(causes(describe(answered(401), answered(204), answered(401)))).toBe(2);
  expect(causes(describe(failed('connection'), answered(401)))).toBe(2);
});
