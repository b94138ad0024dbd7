import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { aggregators } from '../../../src/aggregators/registry.ts';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { findWeakSecrets } from '../../../src/gateway/config/secrets.ts';
import { temporaryFolder } from '../../kit/folder.ts';

const strong = {
  webhook: 'whsec_nXh3c8hbS0uAm2vRkqT9eZwDyQ1oLf7P',
  lookups: 'whsec_8pQ0vJm1Zx7nT4cLrW2yKd9sEaHu6fGb',
  channel: 'f3b91c7e20d84a65b7e01f9c3d52a886',
  previous: '0c7d92e1b5f84360a9d3e86f17b2c54a',
  liveKey: 'sk_live_nXh3c8hbS0uAm2vRkqT9eZwD',
  otherKey: 'sk_live_Zp4kWt81sVbQyN60dHcJm3xR',
};

const shop = resolve('fixtures/menus/shop.yaml');

/** Loads a configuration with two merchants. Returns the configuration, or the lines of the error. */
function load(environment: 'live' | 'test', changed: Partial<typeof strong> = {}) {
  const secrets = { ...strong, ...changed };
  const kind = (key: string) => key.replace('sk_live', `sk_${environment}`);
  const config = {
    environment,
    database: { file: 'till.db' },
    service: { url: 'https://service.example' },
    merchants: [
      {
        ...{ id: 'abena', name: 'Abena', key: kind(secrets.liveKey), menu: shop },
        webhookSecrets: [secrets.webhook],
        lookups: { url: 'https://erp.example', secret: secrets.lookups },
      },
      {
        ...{ id: 'kofi', name: 'Kofi', key: kind(secrets.otherKey), menu: shop },
        webhookSecrets: ['whsec_Vb2mXs95uLqTrD7cKy0hPzEoN3wGjA8f'],
      },
    ],
    channels: [
      {
        ...{ id: 'abena-nalo', aggregator: 'nalo', serviceCode: '*713*5#', merchant: 'abena' },
        ...{ secret: secrets.channel, previousSecret: secrets.previous },
      },
    ],
  };
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, JSON.stringify(config, null, 1));
  try {
    return { config: loadConfig(file, {}, aggregators), errors: [] };
  } catch (error) {
    const [, ...lines] = (error as Error).message.split('\n');
    return { config: undefined, errors: lines.map((line) => line.replace(/^\S+ /, '')) };
  }
}

const weak = [
  ['webhook', 'merchants[0].webhookSecrets[0]', 'openssl rand -base64 32'],
  ['lookups', 'merchants[0].lookups.secret', 'echo whsec_$(openssl rand -base64 32)'],
  ['channel', 'channels[0].secret', 'openssl rand -hex 32'],
  ['previous', 'channels[0].previousSecret', 'openssl rand -hex 32'],
] as const;
const encodedText = `whsec_${Buffer.from('a readable text, not random').toString('base64')}`;

test.each(weak)('a weak secret is an error in a live environment: %s', (name, path, command) => {
  const value = name === 'lookups' ? encodedText : 'changeme-Xk3vQ9pLm2TzR7wB4nYcD8';
  const reason = name === 'lookups' ? 'is the base64 of a readable text' : 'contains a common word';
  const { errors } = load('live', { [name]: value });
  expect(errors).toEqual([
    `${path}: expected a random secret, such as the output of "${command}"; this one ${reason}`,
  ]);
});

test.each(weak)('a weak secret is a warning in a test environment: %s', (name) => {
  const value = name === 'lookups' ? encodedText : 'secret_secret_secret_secret';
  const { config, errors } = load('test', { [name]: value });
  expect(errors).toEqual([]);
  expect(config && findWeakSecrets(config)).toHaveLength(1);
});

test('random secrets are accepted', () => {
  for (const environment of ['live', 'test'] as const) {
    const { config, errors } = load(environment);
    expect(errors).toEqual([]);
    expect(config && findWeakSecrets(config)).toEqual([]);
  }
});

test('two merchants cannot share a live key, and can share a test key', () => {
  expect(load('live', { otherKey: strong.liveKey }).errors).toEqual([
    'merchants[1].key: expected a unique key; merchants[0] has the same one',
  ]);
  expect(load('test', { otherKey: strong.liveKey }).errors).toEqual([]);
});
