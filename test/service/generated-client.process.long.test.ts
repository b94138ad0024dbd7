import { expect, onTestFinished, test } from 'vitest';
import { compileClient } from '../kit/generated-client.ts';
import { serve } from '../kit/local-server.ts';
import { openMerchant } from './support.ts';

test('a client that is generated from the OpenAPI document compiles strictly and collects a payment', async () => {
  const runShop = await compileClient('docs/openapi.json', 'test/service/client/shop.ts');
  const { bench, key } = await openMerchant();
  const { url } = await serve(bench.service.served);
  const shop = runShop(url, key);
  // The payer of a magic number approves after three seconds of the test clock.
  const advancing = setInterval(() => void bench.clock.advance(1_000), 20);
  onTestFinished(() => clearInterval(advancing));
  expect(await shop).toEqual({
    faults: ['invalid_msisdn', 'invalid_reference'],
    amount: 2_020,
    status: 'paid',
    paid: [2_020],
  });
});
