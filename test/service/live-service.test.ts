import { expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import type { Rail } from '../../src/service/rail/rail.ts';
import {
  type Bench,
  newLiveMerchant,
  openBench,
  openLiveMerchant,
  openMerchant,
  post,
  pushed,
  refusal,
} from './support.ts';

/* The simulated phone needs no key. A service that handles real money does not serve it. */

async function callsOfPhone(bench: Bench, promptId: string): Promise<number[]> {
  const answers = [
    await bench.service.app.request('/handset/prompts?msisdn=0244123456'),
    await bench.service.app.request('/handset/messages?msisdn=0244123456'),
    await post(bench, `/handset/prompts/${promptId}/approve`, { body: { pin: '4071' } }),
    await post(bench, `/handset/prompts/${promptId}/decline`, {}),
  ];
  return answers.map(({ status }) => status);
}

const notFound = [404, 404, 404, 404];

test('with test keys only, the simulated phone shows and approves prompts', async () => {
  const { bench, key } = await openMerchant();
  const { promptId } = await pushed(bench, key);
  expect(await callsOfPhone(bench, promptId)).toEqual([200, 200, 200, 409]);
});

test('from the first live key on, every call of the simulated phone is not found, also after a restart', async () => {
  const { bench, key, merchantId } = await openMerchant();
  const { promptId } = await pushed(bench, key);
  const live = await bench.service.createKey({ merchantId, livemode: true, scopes: allScopes });
  expect(await callsOfPhone(bench, promptId)).toEqual(notFound);
  const answer = await bench.service.app.request('/handset/prompts?msisdn=0244123456');
  expect(await refusal(answer)).toEqual({ status: 404, code: 'not_found', param: undefined });
  await bench.service.revokeKey(live.id);
  expect(await callsOfPhone(bench, promptId)).toEqual(notFound);
  await bench.restart();
  expect(await callsOfPhone(bench, promptId)).toEqual(notFound);
  expect(await bench.service.phone.pending('233244123456')).toHaveLength(1);
});

test('a live key of any merchant counts', async () => {
  const { bench, key } = await openMerchant();
  const { promptId } = await pushed(bench, key);
  await newLiveMerchant(bench, 'Kofi Cosmetics');
  expect(await callsOfPhone(bench, promptId)).toEqual(notFound);
});

const idleRail: Rail = {
  push: async () => ({ kind: 'accepted' }),
  inquire: async () => ({ kind: 'pending' }),
  round: async () => undefined,
};

test('a service with a live rail never serves the simulated phone', async () => {
  const rail = idleRail;
  const { bench, key } = await openMerchant({ liveRail: () => rail });
  const { promptId } = await pushed(bench, key);
  expect(await callsOfPhone(bench, promptId)).toEqual(notFound);
});

test('with a live rail, an admin token that can be guessed stops the start', () => {
  const rail = idleRail;
  const adminToken = 'admin-token-0123456789';
  expect(() => openBench({ liveRail: () => rail, config: { adminToken } })).toThrow(
    /must be random: this one contains a common word\. Generate one with "openssl rand -base64 32"\./,
  );
});

test('a signing secret that can be guessed is rejected in live mode', async () => {
  const { bench, merchantId } = await openLiveMerchant();
  const endpoint = { merchantId, url: 'https://merchant.example/hook' };
  const secret = 'secret-of-the-merchant-0123';
  await expect(bench.service.setWebhook({ ...endpoint, livemode: true, secret })).rejects.toThrow(
    /invalid_secret/,
  );
  await bench.service.setWebhook({ ...endpoint, livemode: false, secret });
  const random = 'nXh3c8hbS0uAm2vRkqT9eZwDyQ1oLf7P';
  await bench.service.setWebhook({ ...endpoint, livemode: true, secret: random });
});
