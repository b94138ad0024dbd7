import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Config } from '../../src/gateway/config/schema.ts';
import { run } from '../kit/launch.ts';
import { createLatch } from '../kit/scenes.ts';
import { withStaff } from '../kit/staff.ts';
import { withDatabase } from '../kit/with-database.ts';
import { createPayer } from './payer.ts';
import { dialtill } from './processes.ts';
import { startCli, startShop, ussdUrl } from './shop.ts';

type HeldRequest = {
  /** Sends the last byte. Resolves with the response when the server has closed the connection. */
  finish(): Promise<string>;
};

type HeldRequestOptions = { method: 'GET' | 'POST'; url: string; contentType?: string; body?: string };

const end = '\r\n\r\n';

/**
 * Sends a request without its last byte. Resolves when the server has started to read it. With a body, the server's
 * `100 Continue` proves that. Without one, a complete request is sent before it in the same segment, and its response
 * proves that both arrived.
 */
async function holdRequest(options: HeldRequestOptions): Promise<HeldRequest> {
  const { method, contentType = 'text/plain', body = '' } = options;
  const { hostname, port, host, pathname } = new URL(options.url);
  const head = [
    `${method} ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...(body === '' ? [] : ['expect: 100-continue']),
  ].join('\r\n');
  const request = `${head}${end}${body}`;
  const before = body === '' ? `GET /healthz HTTP/1.1\r\nhost: ${host}${end}` : '';
  const proof = body === '' ? '{"status":"ok"}' : `HTTP/1.1 100 Continue${end}`;

  const socket = connect(Number(port), hostname).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let received = '';
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve).once('error', reject);
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (text) => {
      received += text;
      if (received.includes(proof)) resolve();
    });
  });
  socket.write(before + request.slice(0, -1));
  await Promise.race([answered, closed]);
  const from = received.length;
  return {
    async finish() {
      socket.write(request.slice(-1));
      await closed;
      return received.slice(from);
    },
  };
}

const payer = '0244123456';

test('a second gateway on the same database cannot start until the first has ended', async (context) => {
  const shop = await startShop(context);
  const first = await shop.startCli();
  const second = startCli(context, shop.configFile);
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(second.stderr()).toMatch(/gateway\.db is in use by another dialtill process\. Stop that process/);
  expect(second.stderr()).not.toMatch(/\n +at /);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);

  await first.end('SIGKILL');
  const third = await shop.startCli();
  expect((await fetch(`${third.url}/readyz`)).status).toBe(200);
});

test('SIGTERM completes requests and calls in flight, returns 503 on /readyz, and exits with 0', async (context) => {
  const shop = await startShop(context);
  const gateway = await shop.startCli();
  const call = createLatch();
  shop.hooks.pushed = call.wait;
  await createPayer(shop, payer).confirm();
  await call.reached;
  const ready = await holdRequest({ method: 'GET', url: `${gateway.url}/readyz` });
  const dial = await holdRequest({
    method: 'POST',
    url: ussdUrl(gateway),
    contentType: 'application/x-www-form-urlencoded',
    body: 'sessionId=held&phoneNumber=%2B233201234567&networkCode=62002&serviceCode=*713*5%23&text=',
  });

  gateway.signal('SIGTERM');
  await gateway.waitForOutput(/the gateway is draining/);
  const unready = await ready.finish();
  expect(unready).toMatch(/^HTTP\/1\.1 503 /);
  expect(unready).toContain('"draining":true');
  expect(await dial.finish()).toMatch(/^HTTP\/1\.1 200 [\s\S]*CON Demo Shop/);
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();

  expect(await shop.only(payer)).toMatchObject({ status: 'initiating' });
  call.release();
  expect(await gateway.ended).toEqual({ code: 0, signal: null });
  expect(await shop.only(payer)).toMatchObject({ status: 'initiated', initiateSends: 1 });
  const jobs = withDatabase(shop.database, (file) => file.prepare('SELECT lease_until FROM job').all());
  expect(jobs).toEqual([{ lease_until: 0 }]);
  expect(await shop.verify()).toMatchObject({ ok: true, unsealed: 0 });
});

test('SIGHUP and dialtill reload apply changed files, and a request of that moment is answered', async (context) => {
  const shop = await startShop(context, {
    configure(file) {
      withStaff(file as Pick<Config, 'console'>);
    },
  });
  const gateway = await shop.startCli();
  const folder = dirname(shop.configFile);
  // The command has the key of the console from a configuration that stays valid.
  const ownConfig = join(folder, 'command.yaml');
  copyFileSync(shop.configFile, ownConfig);
  const menu = parse(readFileSync('fixtures/menus/shop.yaml', 'utf8'));
  const change = (text: string) => {
    menu.screens.welcome.text = text;
    writeFileSync(join(folder, 'other.yaml'), stringify(menu));
    const config = parse(readFileSync(shop.configFile, 'utf8'));
    config.merchants[0].menu = 'other.yaml';
    writeFileSync(shop.configFile, stringify(config));
  };
  const dial = (session: string) =>
    holdRequest({
      method: 'POST',
      url: ussdUrl(gateway),
      contentType: 'application/x-www-form-urlencoded',
      body: `sessionId=${session}&phoneNumber=%2B233201234567&networkCode=62002&serviceCode=*713*5%23&text=`,
    });

  const held = await dial('held');
  change('Welcome');
  gateway.signal('SIGHUP');
  await gateway.waitForOutput(/the configuration was reloaded/);
  expect(await held.finish()).toMatch(/^HTTP\/1\.1 200 [\s\S]*CON Demo Shop/);

  const cli = dialtill();
  const reload = () => run(cli, ['reload', '--url', gateway.url, '--config', ownConfig], folder);
  change('Good day');
  expect(await reload()).toMatchObject({
    code: 0,
    stdout: 'reloaded: 1 change\n  merchant demo-shop: menu (screens welcome)\n',
  });
  expect(await (await dial('after')).finish()).toContain('CON Good day');

  // A list is a kind of its own: it once ended the process.
  writeFileSync(shop.configFile, '- environment: test\n');
  const refused = await reload();
  const error = `${shop.configFile}:1:1: expected a map, found a list`;
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(error) });
  gateway.signal('SIGHUP');
  await gateway.waitForOutput(/the configuration was not reloaded[\s\S]*the configuration was not reloaded/);
  expect(await (await dial('last')).finish()).toContain('CON Good day');
});
