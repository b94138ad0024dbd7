import { expect, test } from 'vitest';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { withStaff } from '../../kit/staff.ts';
import { createTill } from '../../kit/till.ts';

/** The index in whose order the filters are tested, payment by payment. */
test.each([
  ['late=true', 'collection_merchant_late'],
  ['reason=declined', 'collection_merchant_reason'],
  ['status=not_paid', 'collection_merchant_reason'],
  ['status=not_paid&reason=declined&from=2026-01-01T00:00:00Z', 'collection_merchant_reason'],
  ['network=telecel', 'collection_merchant_opened'],
  ['channel=africastalking', 'collection_merchant_opened'],
  ['min=100', 'collection_merchant_opened'],
  ['status=paid', 'collection_merchant_opened'],
  ['', 'collection_merchant_opened'],
])('the filter %s reads %s, and sorts nothing', async (filter, index) => {
  const till = await createTill({ configure: withStaff });
  const { secret } = await createMerchantKey(till);
  const plans = await queryPlansOf(till.config.database.file, async () => {
    expect((await callApi(till, secret, `/payments?${filter}`)).status).toBe(200);
  });
  const steps = plans.flatMap((plan) => plan.steps).filter((step) => / collection|FOR ORDER BY/.test(step));
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) expect(step).toMatch(new RegExp(`USING (COVERING )?INDEX ${index} `));
});
