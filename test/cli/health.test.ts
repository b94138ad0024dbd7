import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { registerHealth } from '../../src/cli/commands/health.ts';
import { listen } from '../../src/shared/http/server.ts';
import { runCommand } from '../kit/command.ts';
import { openFullDisk } from '../kit/full-disk.ts';
import { createTill } from '../kit/till.ts';
import { closedUrl } from '../simulator/peer.ts';

/** Runs `dialtill health` as the program does, of a gateway at this address. */
function health(url: string, args: readonly string[] = [], ask = fetch) {
  return runCommand(['health', ...args], (program, streams) =>
    registerHealth(program, { ...streams, noColor: true, fetch: ask, gatewayUrl: () => url }),
  );
}

/** A peer that is no gateway. */
async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openGateway() {
  const disk = openFullDisk();
  const till = await createTill({ overrides: () => ({ createStore: disk.createStore }) });
  await till.clock.advance(1_000);
  const { url, close } = await listen(till.gateway().app, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  return { till, disk, url };
}

test('a gateway that is ready is told in one line, and in its own words as JSON', async () => {
  const { url } = await openGateway();
  expect(await health(url)).toEqual({ out: `${url} is ready\n`, err: '', code: 0 });
  const { out, code } = await health('http://127.0.0.1:1', ['--url', url, '--json']);
  expect(JSON.parse(out)).toEqual({ status: 'ready', database: true, worker: true, draining: false });
  expect(code).toBe(0);
});

test('what keeps a gateway from being ready is told with what to do', async () => {
  const { till, disk, url } = await openGateway();
  disk.fill(true);
  await till.deliver({ id: 'evt_1', type: 'any', created_at: '', data: {} });
  const full = 'disk        full: nothing can be written. docs/operations.md, "A full disk"';
  expect(await health(url)).toEqual({ out: `${url} is not ready\n${full}\n`, err: '', code: 1 });
  till.gateway().drain();
  const { out, code } = await health(url);
  expect(out).toContain('draining    it was told to end');
  expect(code).toBe(1);
});

test('where nothing listens it is told where, why, and what to do', async () => {
  const url = await closedUrl();
  const { out, err, code } = await health(url);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(err).toBe(
    `no answer from a gateway at ${url}: nothing listens there (ECONNREFUSED). It does not run, or has ended: look at its log, and start it; or name another address with --url\n`,
  );
});

test('a host that is not there, a connection that breaks and a peer that is no gateway are told apart', async () => {
  // Names are looked up by the machine's own settings: not here.
  const notFound = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) });
  };
  const unknown = await health('http://no-such-host.invalid', [], notFound);
  expect(unknown.err).toContain('there is no such host (ENOTFOUND): name another address');
  const broken = await startServer((request) => request.socket.destroy());
  expect((await health(broken)).err).toMatch(/the connection broke \((ECONNRESET|UND_ERR_SOCKET)\)/);
  const other = await startServer((_, answer) => answer.writeHead(404).end('<html>'));
  expect((await health(other)).err).toContain(
    `what answers at ${other} is no gateway: it says 404 to /readyz`,
  );
  for (const url of [broken, other]) expect((await health(url)).code).toBe(1);
});

test('a gateway that does not answer in time is said to hang', async () => {
  // As fetch does when its signal's time is up: three seconds are not waited for here.
  const timedOut = async () => {
    throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  };
  const { err, code } = await health('http://127.0.0.1:1', [], timedOut);
  expect(err).toContain('nothing within 3 s. Its process hangs or cannot keep up');
  expect(code).toBe(1);
});

test.each(['127.0.0.1:8080', 'nonsense', 'ftp://127.0.0.1'])('--url %s is wrong usage', async (url) => {
  const { out, err, code } = await health('http://127.0.0.1:1', ['--url', url]);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(err).toContain('expected an address such as http://127.0.0.1:8080');
});
