import { expect, test } from 'vitest';
import { compileClient } from '../../kit/generated-client.ts';
import { serve } from '../../kit/local-server.ts';
import { createMerchantKey } from '../../kit/merchant-api.ts';
import { createNotified } from '../../kit/receiver.ts';

test('a client that is generated from the OpenAPI document compiles strictly and does the work of a shop', async () => {
  const program = 'test/gateway/merchant-api/client/shop.ts';
  const runShop = await compileClient('docs/merchant-openapi.json', program);
  const { till } = await createNotified();
  await till.paidPayment();
  const { secret } = await createMerchantKey(till);
  const { app } = till.gateway();
  const { url } = await serve({ fetch: app.fetch });
  expect(await runShop(`${url}/merchant/v1`, secret)).toEqual({
    ...{ price: 2_000, note: 'Delivered', isRepeated: true, unknown: 'not_found' },
    types: ['payment.opened', 'payment.paid', 'payment.paid'],
  });
});
