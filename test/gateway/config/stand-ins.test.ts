import { expect, test } from 'vitest';
import { loadWithoutSecrets } from '../../../src/gateway/config/load.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { aggregators, errorsOf, good, variable, write } from './kit.ts';

const load = (text: string, env = {}) => loadWithoutSecrets(write(text), env, aggregators);

const everySecret = good
  .replace('merchant: demo\n', `merchant: demo\n    previousSecret: ${variable('OLD')}\n`)
  .replace(
    'channels:',
    `    lookups: { url: "https://erp.example.com", secret: "${variable('LOOKUPS')}" }
  - { id: two, name: Two, key: "${variable('TWO_KEY')}", webhookSecrets: ["${variable('TWO_WEBHOOK')}"], menu: shop.yaml }
ledger: { sealKey: "${variable('SEAL')}" }
channels:`,
  )
  .replace('menu: shop.yaml', `menu: ${/menu: (.*)/.exec(good)?.[1]}`);

test.each(['test', 'live'])('a %s configuration loads without any of its secrets', (environment) => {
  const text = everySecret.replace('environment: test', `environment: ${environment}`);
  expect(errorsOf(text, {})).toHaveLength(8);
  const { merchants, channels } = load(text);
  expect(merchants.map(({ id }) => id)).toEqual(['demo', 'two']);
  expect(channels.map(({ id }) => id)).toEqual(['demo-nalo']);
});

test('webhook secrets that encode a key have stand-ins too', () => {
  const encoded = good.replace('9000/\n', '9000/\n  signature: { secretEncoding: base64 }\n');
  expect(load(encoded).service.signature.secretEncoding).toBe('base64');
});

test('a secret that is set is used', () => {
  expect(load(good, { DEMO_KEY: 'sk_test_0123456789' }).merchants[0]?.key).toBe('sk_test_0123456789');
});

test('a variable for another setting, and a secret that is set twice, are errors', () => {
  const named = good.replace('Demo Shop', variable('NAME'));
  expect(() => load(named)).toThrow('merchants[0].name: expected NAME or NAME_FILE in the environment');
  const twice = { DEMO_KEY: 'sk_test_0123456789', DEMO_KEY_FILE: 'key' };
  expect(() => load(good, twice)).toThrow(UserError);
});
