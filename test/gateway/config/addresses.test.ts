import { expect, test } from 'vitest';
import { readPort, withAddresses, withPorts } from '../../../src/gateway/config/addresses.ts';
import type { UncheckedMap } from '../../../src/shared/json.ts';
import { errorsOf, good, load, env as secrets } from './kit.ts';

const sandbox = { url: 'http://127.0.0.1:8090', simulator: true };

test.each<[name: string, file: UncheckedMap, env: Record<string, string>, expected: object]>([
  [
    'a variable replaces the port of the file',
    { listen: { port: 81 } },
    { DIALTILL_PORT: '82' },
    { listen: { port: 82 } },
  ],
  [
    'the file keeps its host',
    { listen: { host: '::1' } },
    { DIALTILL_HOST: '::' },
    { listen: { host: '::1' } },
  ],
  [
    'a variable names the host where the file does not',
    {},
    { DIALTILL_HOST: '::' },
    { listen: { host: '::' } },
  ],
  ['an empty variable is none', { listen: { port: 81 } }, { DIALTILL_PORT: '' }, { listen: { port: 81 } }],
  [
    'a variable replaces the port of a sandbox',
    { service: sandbox },
    { DIALTILL_SERVICE_PORT: '91' },
    { service: { ...sandbox, url: 'http://127.0.0.1:91/' } },
  ],
  [
    'the port of another service stays',
    { service: { ...sandbox, simulator: false } },
    { DIALTILL_SERVICE_PORT: '91' },
    { service: { ...sandbox, simulator: false } },
  ],
  [
    'the pages of a test environment follow the gateway',
    { environment: 'test', phone: {}, console: { secretsKey: 'k' }, listen: { port: 81 } },
    { DIALTILL_PORT: '82' },
    {
      phone: { publicUrl: 'http://127.0.0.1:82' },
      console: { secretsKey: 'k', publicUrl: 'http://127.0.0.1:82' },
    },
  ],
  [
    'a gateway on every address is open to the browsers of this machine',
    { environment: 'test', phone: {}, listen: { host: '0.0.0.0' } },
    {},
    { phone: { publicUrl: 'http://127.0.0.1:8080' } },
  ],
  [
    'the URL of the file is kept',
    { environment: 'test', phone: { publicUrl: 'https://shop.example' } },
    {},
    { phone: { publicUrl: 'https://shop.example' } },
  ],
  ['a live environment names its URL', { environment: 'live', console: {} }, {}, { console: {} }],
  [
    'an address of the network needs a URL',
    { environment: 'test', console: {}, listen: { host: '192.0.2.7' } },
    {},
    { console: {} },
  ],
  [
    'the port of the system needs a URL',
    { environment: 'test', console: {}, listen: { port: 0 } },
    {},
    { console: {} },
  ],
])('%s', (_, file, env, expected) => {
  expect(withAddresses(file, env)).toMatchObject(expected);
});

test.each(['DIALTILL_PORT', 'DIALTILL_SERVICE_PORT'])(
  '%s that is no port is an error that names it',
  (name) => {
    for (const text of ['http', '70000', '-1', '8080.5'])
      expect(() => withAddresses({ service: sandbox }, { [name]: text })).toThrow(
        `${name}: expected a port from 0 to 65535, found ${text}`,
      );
  },
);

const injected = {
  ...{ DIALTILL_SERVICE_HOST: '10.0.0.7', DIALTILL_SERVICE_PORT: '8080' },
  ...{ DIALTILL_PORT: 'tcp://10.0.0.7:8080' },
};

test('the variables that Kubernetes gives for a Service of the name dialtill are no settings', () => {
  const value = { listen: { port: 81 }, service: sandbox };
  expect(withAddresses(value, injected)).toMatchObject(value);
  for (const scheme of ['udp', 'sctp'])
    expect(readPort({ DIALTILL_PORT: `${scheme}://10.0.0.7:8080` }, 'DIALTILL_PORT')).toBeUndefined();
  expect(readPort({ DIALTILL_SERVICE_PORT: 'tcp://10.0.0.7:8080' }, 'DIALTILL_SERVICE_PORT')).toBeUndefined();
});

test('the ports of options apply beside such variables', () => {
  const value = { listen: { port: 81 }, service: sandbox };
  expect(withAddresses(value, withPorts(injected, { port: 82, servicePort: 91 }))).toMatchObject({
    listen: { port: 82 },
    service: { url: 'http://127.0.0.1:91/' },
  });
});

test('the system cannot choose the port of a sandbox, which the gateway must know', () => {
  expect(() => withAddresses({ service: sandbox }, { DIALTILL_SERVICE_PORT: '0' })).toThrow(
    'DIALTILL_SERVICE_PORT or --service-port: expected a port from 1 to 65535',
  );
});

test('sections of another kind are left to the schema', () => {
  const value = { listen: [], service: 'x', phone: null, console: [] };
  expect(withAddresses(value, { DIALTILL_PORT: '1', DIALTILL_SERVICE_PORT: '2' })).toEqual(value);
});

test('without publicUrl, the console of a test environment is at the address of the gateway; elsewhere it is an error', () => {
  const key = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const withConsole = good.replace('merchants:', `console: { secretsKey: ${key} }\nmerchants:`);
  expect(load(withConsole).console?.publicUrl).toBe('http://127.0.0.1:8080');
  const live = withConsole.replace('environment: test', 'environment: live');
  const expected =
    '5 console.publicUrl: expected the address at which browsers open the gateway, such as https://pay.example.com';
  expect(errorsOf(live, { ...secrets, DEMO_KEY: 'sk_live_0123456789' })).toEqual([expected]);
  expect(errorsOf(`${withConsole}listen: { host: 192.0.2.7 }\n`)).toEqual([expected]);
});
