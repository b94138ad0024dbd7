import { expect, test } from 'vitest';
import { registerHealth } from '../../src/cli/commands/health.ts';
import { recordBackup } from '../../src/gateway/upkeep/last-backup-store.ts';
import { createFullDisk } from '../kit/backup-till.ts';
import { testClock } from '../kit/clock.ts';
import { runCommand } from '../kit/command.ts';
import { serve, startServer } from '../kit/local-server.ts';
import { createTill } from '../kit/till.ts';
import { paidOf } from '../kit/unplaced.ts';
import { closedUrl } from '../simulator/peer.ts';

/** Runs `dialtill health` for a gateway at this URL. */
function health(url: string, args: readonly string[] = [], fetchUrl = fetch, now = 0) {
  return runCommand(['health', ...args], (program, streams) =>
    registerHealth(program, {
      ...streams,
      fetch: fetchUrl,
      gatewayUrl: () => url,
      clock: testClock(now),
    }),
  );
}

async function openGateway() {
  const disk = createFullDisk();
  const till = await createTill({ overrides: () => ({ createStore: disk.createStore }) });
  await till.clock.advance(1_000);
  const { url } = await serve(till.gateway().app);
  return { till, disk, url };
}

test('a ready gateway is reported in one line, or as JSON with its own answer', async () => {
  const { url } = await openGateway();
  expect(await health(url)).toEqual({ out: `${url} is ready\n`, err: '', code: 0 });
  const { out, code } = await health('http://127.0.0.1:1', ['--url', url, '--json']);
  expect(JSON.parse(out)).toEqual({ status: 'ready', database: true, worker: true, draining: false });
  expect(code).toBe(0);
});

test('the age of the last verified backup is reported, and a live ledger without one', async () => {
  const { till, url } = await openGateway();
  await till.clock.advance(12 * 60_000);
  recordBackup(till.config.database.file ?? '', { at: till.clock.now() - 12 * 60_000, file: 'copies/a.db' });
  const { out } = await health(url, [], fetch, till.clock.now());
  expect(out).toBe(`${url} is ready\nbackup      the last verified one is 12m old\n`);
  const { url: live } = await startServer((answer) =>
    answer.end(
      JSON.stringify({ status: 'ready', database: true, worker: true, draining: false, lastBackupAt: null }),
    ),
  );
  expect((await health(live)).out).toContain('backup      none: the ledger is only on this disk.');
});

test('each reason why a gateway is not ready is reported with what to do', async () => {
  const { till, disk, url } = await openGateway();
  disk.fill(true);
  await till.deliver({ id: 'evt_1', type: 'any', created_at: '', data: {} });
  const full = 'disk        full: nothing can be written. See docs/operations/full-disk.md';
  expect(await health(url)).toEqual({ out: `${url} is not ready\n${full}\n`, err: '', code: 1 });
  till.gateway().drain();
  const { out, code } = await health(url);
  expect(out).toContain('draining    the gateway is stopping');
  expect(code).toBe(1);
});

test('an outage of the service and paused calls are reported by a gateway that is ready', async () => {
  const { till, url } = await openGateway();
  till.faults.call = async () => new Response('', { status: 503 });
  await till.pay('0244123456');
  await till.clock.advance(20_000);
  till.faults.call = async () => new Response('', { status: 429, headers: { 'retry-after': '60' } });
  await till.clock.advance(10_000);
  const { out, code } = await health(url);
  expect(out).toMatch(/ is ready\nservice {5}does not answer: .*\ncalls {7}paused: .*\n$/);
  expect(code).toBe(0);
});

test('unplaced payments are reported after 15 minutes by a gateway that is ready', async () => {
  const { till, url } = await openGateway();
  for (const session of ['pay_1', 'pay_2']) await till.deliver(paidOf(session, `evt_${session}`));
  await till.clock.advance(14 * 60_000);
  expect((await health(url)).out).toBe(`${url} is ready\n`);
  await till.clock.advance(2 * 60_000);
  expect(await health(url)).toEqual({
    out: `${url} is ready\nunplaced    2 payments without a collection: run "dialtill unplaced list"\n`,
    err: '',
    code: 0,
  });
});

test('endpoints without deliveries are reported by a gateway that is ready', async () => {
  const answer = { status: 'ready', database: true, worker: true, draining: false, failingEndpoints: 1 };
  const { url } = await startServer((response) => response.end(JSON.stringify(answer)));
  expect(await health(url)).toEqual({
    out: `${url} is ready\nendpoints   1 endpoint of merchants without deliveries: run "dialtill merchant endpoints list"\n`,
    err: '',
    code: 0,
  });
});

test('a refused connection is reported with the URL, the reason, and what to do', async () => {
  const url = await closedUrl();
  const { out, err, code } = await health(url);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(err).toBe(
    `no answer from a gateway at ${url}: the connection was refused (ECONNREFUSED). The gateway is not running: check its log and start it, or set another URL with --url\n`,
  );
});

test('an unknown host, a closed connection, and a server that is not a gateway have different errors', async () => {
  // A real name lookup would depend on the machine.
  const notFound = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) });
  };
  const unknown = await health('http://no-such-host.invalid', [], notFound);
  expect(unknown.err).toContain('the host name does not exist (ENOTFOUND): set another URL');
  const { url: broken } = await startServer((response) => response.socket?.destroy());
  expect((await health(broken)).err).toMatch(/the connection was closed \((ECONNRESET|UND_ERR_SOCKET)\)/);
  const { url: other } = await startServer((answer) => answer.writeHead(404).end('<html>'));
  expect((await health(other)).err).toContain(`${other} is not a gateway: /readyz returned 404`);
  for (const url of [broken, other]) expect((await health(url)).code).toBe(1);
});

test('a gateway that does not answer in time is reported as hanging or overloaded', async () => {
  // The error of fetch when its signal times out.
  const timedOut = async () => {
    throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  };
  const { err, code } = await health('http://127.0.0.1:1', [], timedOut);
  expect(err).toContain('it did not answer within 3 s. The process hangs or is overloaded');
  expect(code).toBe(1);
});

test.each(['127.0.0.1:8080', 'nonsense', 'ftp://127.0.0.1'])('--url %s is wrong usage', async (url) => {
  const { out, err, code } = await health('http://127.0.0.1:1', ['--url', url]);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(err).toContain('expected a URL such as http://127.0.0.1:8080');
});
