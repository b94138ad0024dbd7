import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/gateway/config/load.ts';
import { createSealKey } from '../../../src/gateway/ledger/seal-key.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { aggregators, env, errorsOf, good, load, shop, variable, write } from './kit.ts';

describe('sources of secrets', () => {
  test('a text can contain several variables', () => {
    const text = good
      .replace('http://127.0.0.1:9000/', `http://${variable('HOST')}:${variable('PORT')}`)
      .replace('data/till.db', `"${variable('NAME')}.db"`);
    const config = load(text, { ...env, HOST: 'localhost', PORT: '9000', NAME: '$1' });
    expect(config.service.url).toBe('http://localhost:9000');
    expect(basename(config.database.file ?? '')).toBe('$1.db');
  });

  test('a port can come from the environment', () => {
    const text = good.replace('merchants:', `listen: { port: "${variable('PORT')}" }\nmerchants:`);
    expect(load(text, { ...env, PORT: '8123' }).listen.port).toBe(8123);
    expect(errorsOf(text, { ...env, PORT: '99999' })).toEqual([
      '5 listen.port: expected a whole number from 0 to 65535',
    ]);
  });

  test('a secret can come from the file that NAME_FILE names, and is trimmed', () => {
    const secretFile = join(temporaryFolder(), 'key');
    writeFileSync(secretFile, '  sk_test_fromfile\n');
    const config = load(good, { ...env, DEMO_KEY: '', DEMO_KEY_FILE: secretFile });
    expect(config.merchants[0]?.key).toBe('sk_test_fromfile');
  });

  test('a secret that is set twice, or whose file is empty or cannot be read, is an error', () => {
    const empty = join(temporaryFolder(), 'empty');
    writeFileSync(empty, ' \n');
    expect(errorsOf(good, { ...env, DEMO_KEY_FILE: empty })).toEqual([
      '8 merchants[0].key: expected either DEMO_KEY or DEMO_KEY_FILE in the environment, found both',
    ]);
    for (const file of [empty, '/nowhere/key', dirname(empty)]) {
      expect(errorsOf(good, { ...env, DEMO_KEY: undefined, DEMO_KEY_FILE: file })).toEqual([
        '8 merchants[0].key: expected DEMO_KEY_FILE to name a readable file that is not empty',
      ]);
    }
  });

  test('a variable that a reload could not apply is an error where the configuration uses it', () => {
    const hidden = new Map(['DEMO_KEY', 'DEMO_WEBHOOK_SECRET_FILE', 'OTHER'].map((name) => [name, '.env']));
    const loadHidden = () => loadConfig(write(good), env, aggregators, hidden);
    expect(loadHidden).toThrow(/2 configuration errors/);
    expect(loadHidden).toThrow(
      /:8:5 merchants\[0\]\.key: expected one value of DEMO_KEY, found another one in \.env than in the environment/,
    );
    expect(loadHidden).toThrow(/expected one value of DEMO_WEBHOOK_SECRET_FILE, /);
  });

  test('every missing secret is reported once, and no error quotes a secret', () => {
    expect(errorsOf(good, {})).toEqual([
      '8 merchants[0].key: expected DEMO_KEY or DEMO_KEY_FILE in the environment',
      '10 merchants[0].webhookSecrets[0]: expected DEMO_WEBHOOK_SECRET or DEMO_WEBHOOK_SECRET_FILE in the environment',
      '15 channels[0].secret: expected DEMO_NALO_SECRET or DEMO_NALO_SECRET_FILE in the environment',
    ]);
    const wrong = { DEMO_KEY: 'XXkeyXX', DEMO_WEBHOOK_SECRET: 'XXhookXX', DEMO_NALO_SECRET: 'XXpathXX' };
    const errors = errorsOf(good, wrong);
    expect(errors).toHaveLength(3);
    expect(errors.join('\n')).not.toContain('XX');
  });
});

test('a seal key of another length and a public key in another form are rejected, without quoting the secret', () => {
  const short = Buffer.alloc(16, 7).toString('base64');
  expect(errorsOf(`${good}ledger: { sealKey: ${short}, publicKeys: [abc] }\n`).join('\n')).toMatch(
    /ledger\.sealKey: expected the base64 of 32 bytes.*\n.*ledger\.publicKeys\[0\]: expected a public key/,
  );
});

test('an earlier public key needs the last block that it signed, and the current key has none', () => {
  const secret = Buffer.alloc(32, 7).toString('base64');
  const { publicKey: current } = createSealKey(secret);
  const { publicKey: earlier } = createSealKey(Buffer.alloc(32, 8).toString('base64'));
  const errors = (keys: string) =>
    errorsOf(`${good}ledger: { sealKey: ${secret}, publicKeys: [${keys}] }\n`).join('\n');
  expect(errors(`${current}, { key: ${earlier}, untilBlock: 812 }`)).toBe('');
  expect(errors(earlier)).toMatch(
    /ledger\.publicKeys\[0\]: expected untilBlock, because ledger\.sealKey is another/,
  );
  expect(errors(`{ key: ${current}, untilBlock: 812 }`)).toMatch(
    /ledger\.publicKeys\[0\]: expected no untilBlock, because this is the key of ledger\.sealKey/,
  );
  expect(errors(`{ key: ${earlier}, untilBlock: 0 }`)).toMatch(
    /ledger\.publicKeys\[0\]\.untilBlock: expected a public key/,
  );
});

const withSignature = (signature: string) => good.replace('9000/\n', `9000/\n  signature: ${signature}\n`);

test.each(['{t}.{body}', '{id}.{t}.{body}', '{t}{body}', '{body}|{t}'])(
  'the signed text "%s" can be configured',
  (signedText) => {
    expect(errorsOf(withSignature(`{ signedText: "${signedText}" }`))).toEqual([]);
  },
);

test.each([
  '{body}',
  '{t}',
  '{t}.{t}.{body}',
  '{t}.{body}.{body}',
  '{t} {body}',
  '{t}.{body}.{url}',
  '{t}.{body}}',
])(
  'a signed text without the time and the body once each, or with other names, is reported: "%s"',
  (signedText) => {
    expect(errorsOf(withSignature(`{ signedText: "${signedText}" }`))).toEqual([
      '5 service.signature.signedText: expected a text with {t} and {body}, and at most one {id}, such as "{t}.{body}"',
    ]);
  },
);

test('a webhook secret that does not encode a key is reported when the secrets are base64', () => {
  const text = withSignature('{ secretEncoding: base64 }');
  const encoded = Buffer.alloc(24, 'a9!xQ').toString('base64');
  const errors = (secret: string) => errorsOf(text, { ...env, DEMO_WEBHOOK_SECRET: secret });
  expect(errors(`whsec_${encoded}`)).toEqual([]);
  expect(errors(encoded)).toEqual([]);
  for (const secret of [`whsec_${encoded.slice(0, 18)}`, `whsec_${encoded}!`, `whsec-${encoded}`]) {
    expect(errors(secret)).toEqual([
      '11 merchants[0].webhookSecrets[0]: expected the base64 of at least 16 bytes, because service.signature.secretEncoding is base64',
    ]);
  }
});

test('one webhook secret of two merchants is found in each form of its base64', () => {
  const secret = Buffer.alloc(20, 7).toString('base64');
  const other = `  - { id: two, name: Two, key: sk_test_abcdef, webhookSecrets: ["${secret}"], menu: ${shop} }\n`;
  const text = good.replace('channels:\n', () => `${other}channels:\n`);
  const base64 = text.replace('9000/\n', '9000/\n  signature: { secretEncoding: base64 }\n');
  const found = expect.stringContaining('merchants[1].webhookSecrets[0]: expected a unique secret');
  for (const form of [secret, `whsec_${secret}`, `whsec_${secret.replace(/=+$/, '')}`]) {
    const variables = { ...env, DEMO_WEBHOOK_SECRET: form };
    expect(errorsOf(base64, variables)).toEqual([found]);
    expect(errorsOf(text, variables)).toEqual(form === secret ? [found] : []);
  }
});
