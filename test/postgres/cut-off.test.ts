import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { moveLedger } from '../../src/gateway/move-ledger.ts';
import { openPostgresGateway } from '../../src/postgres/open-gateway.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startForwarder } from '../kit/forwarder.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { at, isRecovering, openingOf } from './gateway.ts';

/* Connections that end at the wrong moment. */

const wait = (ms: number) => sleep(ms);

test('a gateway that has no connection while its ledger is moved away writes nothing to the old one afterwards', async () => {
  const url = await createDatabase();
  // A gateway has written the ledger.
  expect(await isRecovering(url)).toBe(false);
  const port = Number(new URL(url).port);
  const forwarder = await startForwarder(port);
  onTestFinished(() => forwarder.close());
  const through = new URL(url);
  through.port = `${forwarder.port}`;
  const onMoved = vi.fn();
  const { store } = await openPostgresGateway({
    ...{ url: through.href, name: 'cut off', onMoved, monotonic: () => performance.now(), sleep: wait },
    follow() {},
    onPause() {},
  });
  onTestFinished(() => store.close());
  expect(await store.apply(openingOf('0244123456'))).toBe(true);
  forwarder.lead(null);
  const to = { file: `${temporaryFolder()}/moved.db` };
  const clock = systemClock();
  await vi.waitFor(() => moveLedger({ from: at(url), to, clock, onTable() {} }), { timeout: 20_000 });
  forwarder.lead(port);
  await vi.waitUntil(() => onMoved.mock.calls.length > 0, { timeout: 10_000 });
  await expect(store.apply(openingOf('0244123457'))).rejects.toMatchObject({ kind: 'busy' });
  expect(await runSql(url, 'SELECT count(*)::int AS count FROM collection')).toEqual([{ count: 1 }]);
});

test('a connection that ends while it is prepared is opened again, and ends no process', async () => {
  let isArmed = false;
  const url = await createProxy(await createDatabase(), (chunk) => {
    const isNext = isArmed && chunk.includes('pg_try_advisory_lock_shared');
    if (isNext) isArmed = false;
    return isNext;
  });
  const store = await openPostgres(url, { sleep: wait });
  isArmed = true;
  expect(await store.query('SELECT 1', [], 'row')).toEqual([1]);
  expect(isArmed).toBe(false);
});

/** Forwards connections to a server. One is reset at the first packet of which `mustEnd` is true. */
async function createProxy(url: string, mustEnd: (chunk: Buffer) => boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.on('data', (chunk) => (mustEnd(chunk) ? near.destroy() : far.write(chunk)));
    far.on('data', (chunk) => near.write(chunk));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const through = new URL(url);
  through.port = typeof address === 'object' ? `${address?.port}` : '';
  return through.href;
}
