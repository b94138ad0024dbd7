import { expect, test } from 'vitest';
import { json, openLiveMerchant, openMerchant, payer, post } from './support.ts';

const request = (msisdn: string) => ({ msisdn, purpose: 'collection', collection: { amount_minor: 2_000 } });

test('in test mode the code of a magic number is 123456, and that of another number is random', async () => {
  const { bench, key } = await openMerchant();
  const verify = async (msisdn: string) => {
    const sent = await json(await post(bench, '/v1/otp/request', { key, body: request(msisdn) }));
    const body = { otp_request_id: sent.otp_request_id, code: '123456' };
    return json(await post(bench, '/v1/otp/verify', { key, body }));
  };
  expect(await verify('233244123901')).toEqual({ verified: true });
  expect(await verify('233201234902')).toEqual({ verified: true });
  expect(await verify(payer)).toEqual({ verified: false });
});

test('a live key never gets the fixed code', async () => {
  const texts: string[] = [];
  const sms = {
    async send({ text }: { text: string }) {
      texts.push(text);
      return { kind: 'accepted' as const };
    },
  };
  const { bench, liveKey } = await openLiveMerchant({ sms });
  const sent = await post(bench, '/v1/otp/request', { key: liveKey, body: request('233244123901') });
  expect(sent.status).toBe(201);
  expect(texts[0]).toMatch(/^\d{6} is your code/);
  expect(texts[0]).not.toMatch(/^123456/);
});
