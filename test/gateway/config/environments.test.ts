import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findListen } from '../../../src/gateway/config/listen.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { env, errorsOf, good, load, withChannel } from './kit.ts';

test('S34: a test key in a live environment is an error, and so is a live key in a test environment', () => {
  const live = good.replace('environment: test', 'environment: live');
  expect(errorsOf(live)).toEqual([
    '8 merchants[0].key: expected a live key sk_live_… in a live environment, found a test key',
  ]);
  expect(errorsOf(good, { ...env, DEMO_KEY: 'sk_live_0123456789' })).toEqual([
    '8 merchants[0].key: expected a test key sk_test_… in a test environment, found a live key',
  ]);
  expect(errorsOf(live, { ...env, DEMO_KEY: 'sk_live_0123456789' })).toEqual([]);
});

test('a live environment requires https to other machines, prompt delays of 1 to 5 s, and no simulator', () => {
  const variables = { ...env, DEMO_KEY: 'sk_live_0123456789' };
  const live = good.replace('environment: test', 'environment: live');
  const strict = live
    .replace('http://127.0.0.1:9000/', 'http://pay.example\n  simulator: true')
    .replace('merchants:', 'timings:\n  promptDelaySeconds: { mtn: 0.5, at: 5 }\nmerchants:');
  expect(errorsOf(strict, variables)).toEqual([
    '4 service.url: expected https in a live environment',
    '5 service.simulator: expected false in a live environment',
    '7 timings.promptDelaySeconds.mtn: expected seconds from 1 to 5 in a live environment',
  ]);
  const number = live.replace('merchants:', 'timings:\n  promptDelaySeconds: 6\nmerchants:');
  expect(errorsOf(number, variables)).toEqual([
    '6 timings.promptDelaySeconds: expected seconds from 1 to 5 in a live environment',
  ]);
  for (const url of ['https://pay.example', 'http://localhost:1', 'http://[::1]:1', 'http://127.0.0.2']) {
    expect(errorsOf(live.replace('http://127.0.0.1:9000/', url), variables)).toEqual([]);
  }
});

test('a test environment allows prompt delays from 0 to 30 s, for all operators or for each', () => {
  const at = (delay: string) =>
    load(good.replace('merchants:', `timings: { promptDelaySeconds: ${delay} }\nmerchants:`)).timings
      .promptDelayMs;
  expect(at('0')).toEqual({ mtn: 0, telecel: 0, at: 0, glo: 0, unknown: 0 });
  expect(at('{ mtn: 30 }')).toEqual({ mtn: 30_000, telecel: 1_500, at: 1_500, glo: 1_500, unknown: 1_500 });
});

test('a live environment requires prompt delays of 1 to 5 s of a channel too, and a test environment does not', () => {
  const variables = { ...env, DEMO_KEY: 'sk_live_0123456789' };
  const live = (line: string) => withChannel(line).replace('environment: test', 'environment: live');
  const error = (name: string) =>
    `18 channels[0].promptDelaySeconds${name}: expected seconds from 1 to 5 in a live environment`;
  expect(errorsOf(live('promptDelaySeconds: { mtn: 0.9, telecel: 1, at: 5, glo: 5.1 }'), variables)).toEqual([
    error('.mtn'),
    error('.glo'),
  ]);
  expect(errorsOf(live('promptDelaySeconds: 0'), variables)).toEqual([error('')]);
  expect(errorsOf(live('promptDelaySeconds: 3'), variables)).toEqual([]);
  expect(errorsOf(withChannel('promptDelaySeconds: 0'))).toEqual([]);
});

test('the browser phone needs a test environment with a simulated service, and an address that browsers trust', () => {
  const phone = (publicUrl: string, from = good) =>
    from.replace('merchants:', `phone: { publicUrl: '${publicUrl}' }\nmerchants:`);
  const simulated = good.replace('http://127.0.0.1:9000/', 'http://127.0.0.1:9000/\n  simulator: true');
  expect(errorsOf(phone('http://127.0.0.1:8080', simulated))).toEqual([]);
  expect(errorsOf(phone('https://sandbox.example', simulated))).toEqual([]);
  expect(errorsOf(phone('http://sandbox.example', simulated))).toEqual([
    '6 phone.publicUrl: expected https, or http on this machine',
  ]);
  expect(errorsOf(phone('http://127.0.0.1:8080'))).toEqual([
    '5 phone: expected service.simulator true: the browser phone answers simulated prompts',
  ]);
  const live = good.replace('environment: test', 'environment: live');
  expect(errorsOf(phone('https://shop.example', live), { ...env, DEMO_KEY: 'sk_live_0123456789' })).toEqual([
    '5 phone: expected no browser phone in a live environment',
  ]);
});

function write(yaml: string): string {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, yaml);
  return file;
}

// `dialtill status` must work without this variable.
const secrets = `merchants:\n  - { id: shop, key: "\${SHOP_KEY}" }\n`;

test.each<[says: string, yaml: string, host: string, port: number]>([
  ['by default', secrets, '127.0.0.1', 8080],
  ['from the file', `listen: { host: "::", port: 81 }\n${secrets}`, '::', 81],
  ['from the environment', `listen: { port: "\${PORT}" }\n${secrets}`, '127.0.0.1', 8181],
])('the listen address is read without secrets: %s', (_, yaml, host, port) => {
  expect(findListen(write(yaml), { PORT: '8181' })).toMatchObject({ host, port });
});

test('the port of the environment applies, and its host where the file names none, as in a container', () => {
  const container = { DIALTILL_HOST: '0.0.0.0', DIALTILL_PORT: '9090' };
  expect(findListen(write(secrets), container)).toMatchObject({ host: '0.0.0.0', port: 9_090 });
  const own = write(`listen: { host: 127.0.0.1, port: 81 }\n${secrets}`);
  expect(findListen(own, container)).toMatchObject({ host: '127.0.0.1', port: 9_090 });
  expect(() => findListen(write(secrets), { DIALTILL_PORT: 'http' })).toThrow(
    'DIALTILL_PORT: expected a port',
  );
});

test.each([
  ['listen: { port: 99999 }', ': expected a host and a port under listen'],
  [`listen: { port: "\${PORT}" }`, ': expected a host and a port under listen'],
  ['listen: []', ': expected a host and a port under listen'],
  [
    'listen: [',
    ':1:10: not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['- a list', ':1:1: expected a map, found a list'],
])('an invalid listen section is an error: %j', (yaml, message) => {
  const file = write(yaml);
  expect(() => findListen(file, { DIALTILL_HOST: '0.0.0.0' })).toThrow(new UserError(`${file}${message}`));
});

test('the error of a missing file contains its path', () => {
  expect(() => findListen('no/such.yaml', {})).toThrow(
    'no/such.yaml: expected a readable configuration file',
  );
});
