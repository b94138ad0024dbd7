import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findListen } from '../../../src/gateway/config/find-listen.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { temporaryFolder } from '../../kit/folder.ts';

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
