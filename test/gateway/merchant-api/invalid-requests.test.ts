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
    '/payments?min=-1': 'min: expected an amount in pesewas',
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
