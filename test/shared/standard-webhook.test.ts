// cspell:ignore aaec cwhsec
import { expect, test } from 'vitest';
import { signRequest, toKey } from '../../src/shared/standard-webhook.ts';

test('a request is signed as the example of Standard Webhooks is, once for each secret', () => {
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const content = { id, at: 1_614_265_330_999, body: '{"test": 2432232314}' };
  const others = { 'webhook-id': id, 'webhook-timestamp': '1614265330' };
  expect(signRequest([secret], content)).toEqual({ ...others, 'webhook-signature': signature });
  const both = signRequest([secret, secret.slice(6)], content)['webhook-signature'];
  expect(both).toBe(`${signature} ${signature}`);
  expect(signRequest(['aaec-whsec_'], content)).not.toEqual(signRequest(['aaec'], content));
});

test.each([
  ['whsec_AAEC', 'text', Buffer.from('whsec_AAEC')],
  ['whsec_AAEC', 'base64', Buffer.of(0, 1, 2)],
  ['AAECAw==', 'base64', Buffer.of(0, 1, 2, 3)],
  ['AAECAw', 'base64', Buffer.of(0, 1, 2, 3)],
  ['AAECAw===', 'base64', undefined],
  ['AAECAx==', 'base64', undefined],
  ['AA=EC', 'base64', undefined],
  ['AAECwhsec_', 'base64', undefined],
  ['not base64', 'base64', undefined],
] as const)('the key of %s as %s', (secret, encoding, key) => {
  expect(toKey(secret, encoding)).toEqual(key);
});
