import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPause } from '../../src/gateway/collection/calls/members.ts';
import { withLastAddress } from '../../src/gateway/config/listen.ts';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { getName, requireFile } from '../../src/gateway/database/database-location.ts';
import { heartbeatJob } from '../../src/gateway/upkeep/heartbeat-job.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { createKeptLog } from '../kit/log.ts';
import { createTill } from '../kit/till.ts';

/** A monitor on a real socket. It answers with `status`. */
async function startMonitor() {
  const monitor = { status: 200, paths: [] as string[] };
  const { server, port } = await startServer((response, { method, path }) => {
    monitor.paths.push(`${method} ${path}`);
    response.writeHead(monitor.status).end();
  });
  return { monitor, server, url: `http://127.0.0.1:${port}/ping/5d2f-secret` };
}

test('a gateway that is ready sends a heartbeat at each interval', async () => {
  const { monitor, server, url } = await startMonitor();
  const till = await createTill({
    configure(config) {
      config.heartbeat = { url, everyMs: 60_000 };
    },
  });
  for (const [count, afterMs] of [
    [1, 2_000],
    [2, 60_000],
  ] as const) {
    const received = once(server, 'request');
    await till.clock.advance(afterMs);
    await received;
    expect(monitor.paths).toEqual(Array(count).fill('GET /ping/5d2f-secret'));
  }
  expect(till.logged()).not.toContain('5d2f-secret');
});

test('no heartbeat while the gateway is not ready; a missed one is logged once, without its path', async () => {
  const { monitor, url } = await startMonitor();
  const { log, lines, logged } = createKeptLog('info');
  let ready = false;
  const isReady = async () => ready;
  const job = heartbeatJob({ fetch, networkClock: systemClock(), log, isReady }, { url, everyMs: 60_000 });
  await job.run(0);
  expect(monitor.paths).toEqual([]);
  ready = true;
  monitor.status = 500;
  await job.run(0);
  await job.run(0);
  monitor.status = 200;
  await job.run(0);
  expect(monitor.paths).toHaveLength(3);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the monitor got no heartbeat',
    'the monitor gets heartbeats again',
  ]);
  expect(logged()).not.toContain('secret');
});

test('the interval is at least ten seconds', () => {
  const read = (heartbeat: unknown) => configSchema.shape.heartbeat.safeParse(heartbeat);
  expect(read({ url: 'https://monitor.example/x' }).data).toEqual({
    url: 'https://monitor.example/x',
    everyMs: 60_000,
  });
  expect(read({ url: 'https://monitor.example/x', everySeconds: 1 }).success).toBe(false);
});

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

test('the pause that a gateway reports is read', () => {
  const pause = { merchantId: 'demo-shop', ms: 1_000, by: 'gw_1' };
  expect(readPause(JSON.stringify(pause))).toEqual(pause);
});

test.each(['', 'null', '{', '[]', '{"merchantId":"demo-shop","ms":1e15,"by":"x"}', '{"ms":1,"by":"x"}'])(
  'what another program sends on the channel is no pause, and no fault: %j',
  (text) => {
    expect(readPause(text)).toBeUndefined();
  },
);

const server = { url: 'postgres://till:hidden@db.test:5433/ledger?sslmode=require', maxConnections: 2 };

test('the name of a server shows neither its user, nor its password, nor its parameters', () => {
  expect(getName(server)).toBe('postgres://db.test:5433/ledger');
  expect(getName({ file: '/data/till.db' })).toBe('/data/till.db');
});

test('a command for files rejects a server, by its name', () => {
  expect(requireFile({ file: '/data/till.db' })).toBe('/data/till.db');
  expect(() => requireFile(server)).toThrow(/^postgres:\/\/db\.test:5433\/ledger: this command restores/);
});
