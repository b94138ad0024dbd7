import { expect, test } from 'vitest';
import { createThreadReader } from '../../../src/gateway/reading/thread-reader.ts';
import { gatewayReads } from '../../../src/gateway/wiring/reads.ts';
import type { Store } from '../../../src/sqlite/store.ts';
import { settle } from '../../kit/clock.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { createSilentLog } from '../../kit/log.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { inProcessThread } from '../reading/thread.ts';

/** Two shops whose reads take `readMs` each, one after the other. */
async function createShops(readMs: number) {
  const till = await createConsoleTill({
    configure(config) {
      const [shop] = config.merchants;
      if (shop) config.merchants.push({ ...shop, id: 'other-shop' });
    },
    overrides: (clock) => ({
      createReader: (store: Store) =>
        createThreadReader(gatewayReads, {
          start: () => inProcessThread(clock, readMs, store).thread,
          ...{ clock, log: createSilentLog(), lanes: 1 },
        }),
    }),
  });
  const { secret: flooding } = await createMerchantKey(till);
  const { secret: second } = await createMerchantKey(till);
  const { secret: other } = await createMerchantKey(till, { merchantId: 'other-shop' });
  return { till, flooding, second, other };
}

const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) =>
  `${status} ${(body.error as { code?: string } | undefined)?.code ?? ''}`.trim();

test('a key that floods the reads is refused, and another merchant and the console are served in the next round', async () => {
  const { till, flooding, other } = await createShops(50);
  const efua = await (await createAccount(till, 'efua', 'lead')).signIn();
  const answers: string[] = [];
  for (let i = 0; i < 40; i += 1)
    void callApi(till, flooding, '/payments?late=true').then((answer) => answers.push(codeOf(answer)));
  await settle();
  expect(answers).toEqual(Array.from({ length: 40 - 17 }, () => '429 too_many_requests'));
  const ended: string[] = [];
  void callApi(till, other, '/payments?reason=declined').then((answer) =>
    ended.push(`other ${answer.status}`),
  );
  void efua.get('/payments').then((page) => ended.push(`console ${page.status}`));
  await settle();
  // A page of the console reads three times: twice for itself, and once for the counts of the menu.
  await till.clock.advance(50 * 4 * 3);
  expect(ended).toEqual(['other 200', 'console 200']);
  await till.clock.advance(50 * 20);
  expect(answers.filter((answer) => answer === '200')).toHaveLength(17);
});

test('the rate is that of a merchant, whatever the number of its keys, and not that of another merchant', async () => {
  const { till, flooding, second, other } = await createShops(0);
  const call = async (secret: string) => {
    const answer = callApi(till, secret, '/payments/col_1');
    await till.clock.advance(0);
    return codeOf(await answer);
  };
  for (let i = 0; i < 60; i += 1) expect(await call(i % 2 ? flooding : second)).toBe('404 not_found');
  expect(await call(second)).toBe('429 too_many_requests');
  expect(await call(flooding)).toBe('429 too_many_requests');
  expect(await call(other)).toBe('404 not_found');
});

test('a read that takes too long is refused with what to narrow', async () => {
  const { till, flooding } = await createShops(60_000);
  const answer = callApi(till, flooding, '/payments?network=telecel');
  await till.clock.advance(5_000);
  const { status, body } = await answer;
  expect(status).toBe(504);
  expect(body).toMatchObject({ error: { code: 'too_slow', message: expect.stringContaining('"from"') } });
});
