import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLastAddress } from '../../src/gateway/config/last-address.ts';
import { temporaryFolder } from '../kit/folder.ts';

const good = { host: '127.0.0.1', port: 9100, servicePort: 9101 };

/** Creates a configuration whose ledger has this record. */
function project(record: object = good) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  const config = join(folder, 'dialtill.yaml');
  writeFileSync(config, 'database: { file: data/till.db }\n');
  const file = join(folder, 'data/till.db.address');
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
  return { config, file };
}

const found = { DIALTILL_HOST: '127.0.0.1', DIALTILL_PORT: '9100', DIALTILL_SERVICE_PORT: '9101' };

test('commands find the gateway where it was started last', () => {
  expect(withLastAddress(project().config, {})).toMatchObject(found);
});

test('the variables of the caller take precedence over the record, each for itself', () => {
  for (const env of [
    { DIALTILL_PORT: '81' },
    { DIALTILL_HOST: '::1' },
    { DIALTILL_SERVICE_PORT: '82' },
    { DIALTILL_PORT: '81', DIALTILL_HOST: '::1', DIALTILL_SERVICE_PORT: '82' },
  ])
    expect(withLastAddress(project().config, env)).toMatchObject({ ...found, ...env });
});

test('a variable that Kubernetes gives for a Service does not', () => {
  const env = { DIALTILL_PORT: 'tcp://10.0.0.7:8080', DIALTILL_SERVICE_HOST: '10.0.0.7' };
  expect(withLastAddress(project().config, env)).toMatchObject(found);
});

test.each(['localhost', '::1', '0.0.0.0', '192.0.2.7'])('the host of a record can be %s', (host) => {
  expect(withLastAddress(project({ ...good, host }).config, {})).toMatchObject({ DIALTILL_HOST: host });
});

test.each([
  { host: 'gateway.example.com' },
  { host: '127.0.0.1@gateway.example.com' },
  { host: 'fe80::1%eth0' },
  { port: 0 },
  { port: 65_536 },
  { port: 80.5 },
  { servicePort: 0 },
])('a record with %j is ignored', (part) => {
  expect(withLastAddress(project({ ...good, ...part }).config, {})).toEqual({});
});

test.each(['620', '602'])('a record that others can write (mode %s) is ignored', (mode) => {
  const { config, file } = project();
  chmodSync(file, mode);
  expect(withLastAddress(config, {})).toEqual({});
});

test.runIf(process.getuid?.() === 0)(
  'a record of another user is ignored, unless the folder is theirs, too',
  () => {
    const { config, file } = project();
    chownSync(file, 12_345, 0);
    expect(withLastAddress(config, {})).toEqual({});
    chownSync(join(file, '..'), 12_345, 0);
    expect(withLastAddress(config, {})).toMatchObject(found);
  },
);
