import { expect, test } from 'vitest';
import { merchantApiPath } from '../../../src/contract/merchant/merchant-api.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { withStaff } from '../../kit/staff.ts';
import { createTill } from '../../kit/till.ts';

const messageIn = (body: unknown) => (body as { error: { message: string } }).error.message;

test('an invalid parameter is named with what is expected, in the same words for all parameters', async () => {
  const till = await createTill({ configure: withStaff });
  const { secret } = await createMerchantKey(till);
  const messages: Readonly<Record<string, string>> = {
    '/payments?limit=1000': 'limit: expected a whole number from 1 to 100',
    '/payments?limit=x': 'limit: expected a whole number from 1 to 100',
    ...Object.fromEntries(
      ['-1', '20.00', '1e3', '0x10', '', '+1'].map((min) => [
        `/payments?min=${encodeURIComponent(min)}`,
        'min: expected an amount in pesewas, in digits only: 2000 is GHS 20.00',
      ]),
    ),
    '/payments?limit=1.0': 'limit: expected a whole number from 1 to 100',
    '/payments?limit=': 'limit: expected a whole number from 1 to 100',
    '/payments?reference=': 'reference: expected a value, found none',
    '/payments?channel=': 'channel: expected a value, found none',
    '/payments?after=': 'after: expected `next` of the previous page, found no value',
    '/payments?network=MTN': 'network: expected one of mtn, telecel, at, glo, found “MTN”',
    '/payments?network=mt': 'network: expected one of mtn, telecel, at, glo, found “mt”',
    '/payments?reason=insufficient_fund': expect.stringMatching(
      /^reason: expected one of .*insufficient_funds.*, found “insufficient_fund”$/,
    ),
    '/payments?channel=xx': expect.stringMatching(/^channel: expected one of .*nalo.*, found “xx”$/),
    '/payments?status=done': 'status: expected one of open, review, paid, not_paid',
    '/payments?late=maybe': 'late: expected one of true, false',
    '/payments?from=2026-01-01': 'from: expected a time such as 2026-03-06T00:00:00Z',
    '/payments?state=paid': 'state: unknown parameter or field',
    '/unplaced?state=closed': 'state: expected one of open, all',
    '/unplaced?limit=0': 'limit: expected a whole number from 1 to 100',
  };
  for (const [path, message] of Object.entries(messages)) {
    const { status, body } = await callApi(till, secret, path);
    expect([path, status, messageIn(body)]).toEqual([path, 400, message]);
  }
});

test('a parameter that is given twice is refused: a filter that is dropped in silence would be a wrong report', async () => {
  const till = await createTill({ configure: withStaff });
  const { secret } = await createMerchantKey(till);
  const { status, body } = await callApi(till, secret, '/payments?status=paid&status=open');
  expect([status, messageIn(body)]).toEqual([400, 'status: expected once']);
});

test.each(['{', '[]', '"text"', '5'])('the body %s is refused as no JSON object', async (body) => {
  const till = await createTill({ configure: withStaff });
  const { secret } = await createMerchantKey(till);
  const response = await till.gateway().app.request(`${merchantApiPath}/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'idempotency-key': 'one' },
    body,
  });
  expect([response.status, messageIn(await response.json())]).toEqual([400, 'expected a JSON object']);
});
