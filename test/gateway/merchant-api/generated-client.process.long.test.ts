import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/shared/http/server.ts';
import { compileClient } from '../../kit/generated-client.ts';
import { createMerchantKey } from '../../kit/merchant-api.ts';
import { createReceiver, withNotify } from '../../kit/receiver.ts';
import { withStaff } from '../../kit/staff.ts';
import { createTill } from '../../kit/till.ts';

test('a client that is generated from the OpenAPI document compiles strictly and does the work of a shop', async () => {
  const program = 'test/gateway/merchant-api/client/shop.ts';
  const runShop = await compileClient('docs/merchant-openapi.json', program);
  const till = await createTill({
    configure(config) {
      withStaff(config);
      withNotify(config);
    },
    overrides: (clock) => ({ notifyFetch: createReceiver(clock).fetch }),
  });
  await till.pay('0244123456');
  await till.untilStatus('0244123456', 'initiated');
  await till.service.phone.approve((await till.prompt('0244123456')).id, '1234');
  await till.untilStatus('0244123456', 'paid');
  const { secret } = await createMerchantKey(till);
  const { app } = till.gateway();
  const { url, close } = await listen({ fetch: app.fetch }, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  expect(await runShop(`${url}/merchant/v1`, secret)).toEqual({
    ...{ price: 2_000, note: 'Delivered', isRepeated: true, unknown: 'not_found' },
    types: ['payment.opened', 'payment.paid', 'payment.paid'],
  });
});
