import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { demoAccounts } from '../../src/demo/demo-config.ts';
import type { Demo } from '../../src/demo/serve.ts';
import { roleHas } from '../../src/gateway/access/permissions.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { consoleRoutes } from '../../src/gateway/console/pages.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { type Msisdn, parseMsisdn } from '../../src/shared/msisdn.ts';
import { createPrompts } from '../../src/simulator/prompts.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { dialDemo, startDemo } from '../kit/demo.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { listenLocally } from '../kit/local-server.ts';
import { createSilentLog } from '../kit/log.ts';
import { corruptTable } from '../kit/with-database.ts';
import { dialtill } from '../process/processes.ts';

const payer = '0244123456';
const other = '0201234567';
const clock = systemClock();
const _log = createSilentLog();
const cli = dialtill();

/** Runs `dialtill dial` against a running demo. */
async function dial(demo: Demo, args: readonly string[]) {
  const { out, err, code } = await dialDemo(demo, args);
  return { code, stdout: out, stderr: err };
}

const confirmedDial = (number: string) => ['*713*5#', '--msisdn', number, '--input', '1,20,1'];

async function only(folder: string, number: string): Promise<CollectionRow> {
  const store = createSqliteReader(join(folder, 'data', 'gateway.db'));
  try {
    const found = await findCollections(store, number);
    expect(found).toHaveLength(1);
    return found[0] as CollectionRow;
  } finally {
    await store.close();
  }
}

/** Waits until the collection is paid by the service's event, and a poll has confirmed it: its row changes no more. */
async function untilPaid(folder: string, number: string): Promise<CollectionRow> {
  const paid = { status: 'paid', amountSource: 'webhook', confirmedAt: expect.any(Number) };
  await expect.poll(() => only(folder, number), { timeout: 20_000 }).toMatchObject(paid);
  return only(folder, number);
}

/** Returns a port that is in use. */
async function takenPort(): Promise<number> {
  const server = createServer();
  return (await listenLocally(server)).port;
}

const json = ({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>): unknown => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

test('the demo in an empty folder collects a payment that every ledger command shows', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder);
  for (const url of [`${demo.url}/healthz`, `${demo.url}/readyz`, `${demo.serviceUrl}/healthz`]) {
    expect((await fetch(url)).status, url).toBe(200);
  }

  const call = await dial(demo, [...confirmedDial(payer), '--approve']);
  expect(call).toMatchObject({ code: 0, stderr: '' });
  expect(call.stdout).toContain('Prompt: pay GHS 20.20 to Demo Shop\nApproved.\n');
  const { id } = await untilPaid(folder, payer);

  const ledger = (...args: string[]) => run(cli, ['ledger', ...args, '--json'], folder);
  const [find, show, balances, verify] = await Promise.all([
    ledger('find', payer),
    ledger('show', id),
    ledger('balances'),
    ledger('verify'),
  ]);
  expect(json(find)).toMatchObject({
    data: [{ id, status: 'paid', goodsMinor: 2_000, amountSource: 'webhook' }],
    total: 1,
  });
  expect(json(show)).toMatchObject({
    collection: { id, status: 'paid' },
    postings: [{ amountMinor: -2_020 }, { amountMinor: 2_000 }, { amountMinor: 20 }],
  });
  expect(json(balances)).toMatchObject({
    balances: [
      { account: 'merchant:demo-shop', livemode: 0, amountMinor: 2_000 },
      { account: 'payers', livemode: 0, amountMinor: -2_020 },
      { account: 'service_fees', livemode: 0, amountMinor: 20 },
    ],
  });
  expect(json(verify)).toMatchObject({ ok: true, collections: 1, postings: 3, faults: [] });

  const unknown = await run(cli, ['ledger', 'show', 'col_00unknown'], folder);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toMatch(/^no collection col_00unknown\. .*\n$/);
  expect(await dial(demo, ['*999#', '--msisdn', payer])).toMatchObject({ code: 2, stdout: '' });
});

test('the page at / leads to the phone and the console, without a script', async () => {
  const demo = await startDemo(temporaryFolder());
  const page = await fetch(`${demo.url}/`);
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).not.toContain('<script');
  expect(html).toContain('sign in as ama (lead), kofi (finance) or yaw (admin)');
  const links = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => new URL(href, demo.url));
  expect(links.map(({ pathname }) => pathname)).toEqual(['/phone', '/console', '/merchant/v1/docs', '/docs']);
  for (const link of links) expect((await fetch(link)).status, link.href).toBe(200);
});

test('every page and action of the console is open to one of the people of the demo', () => {
  const people = demoAccounts('127.0.0.1');
  const closed = consoleRoutes.filter(
    ({ audience }) =>
      typeof audience === 'object' && !people.some(({ role }) => roleHas(role, audience.needs)),
  );
  expect(closed).toEqual([]);
});

test('a demo that other machines can reach has no admin and sends no notifications', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder, { host: '0.0.0.0' });
  expect(demo.accounts.map(({ role }) => role)).toEqual(['lead', 'finance']);
  expect(loadConfig(demo.configFile, {}, aggregators).notify).toBeUndefined();
});

/** Sends a request to the address of a server, for another host: what DNS rebinding makes a browser do. */
function askAs(host: string, url: string, { method = 'GET', body = '' } = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host, origin: `http://${host}`, 'content-type': 'application/json' };
    const asking = request(url, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asking.on('error', reject).end(body);
  });
}

test('a page whose name resolves to this machine reaches nothing of the demo', async () => {
  const demo = await startDemo(temporaryFolder());
  const { port } = new URL(demo.url);
  const signIn = {
    method: 'POST',
    body: JSON.stringify({ name: 'yaw', password: 'demo', code: '000000' }),
  };
  const paths = ['/readyz', '/console/sign-in', '/phone', '/ussd/nalo/x', '/webhooks/demo-shop', '/nothing'];
  for (const host of [`evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.', '192.0.2.1']) {
    expect(await askAs(host, `${demo.url}/staff/v1/sign-in`, signIn), host).toBe(421);
    for (const path of paths) expect(await askAs(host, `${demo.url}${path}`), `${host} ${path}`).toBe(421);
    for (const path of ['/healthz', '/v1/payments/sessions'])
      expect(await askAs(host, `${demo.serviceUrl}${path}`), `${host} ${path}`).toBe(421);
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost']) {
    expect(await askAs(host, `${demo.url}/readyz`), host).toBe(200);
    expect(await askAs(host, `${demo.serviceUrl}/healthz`), host).toBe(200);
  }
  expect(await askAs(`localhost:${port}`, `${demo.url}/staff/v1/sign-in`, signIn)).toBe(200);
});

test('a demo that other machines can reach has only its own people and roles, whatever an earlier start has changed', async () => {
  const folder = temporaryFolder();
  const call = async (demo: Demo, path: string, body: object | undefined, basic = '') => {
    const answer = await fetch(`${demo.publicUrl}/staff/v1${path}`, {
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(basic)}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const data = (await answer.json()) as { role?: string; token?: string };
    return { status: answer.status, data };
  };
  const signIn = async (demo: Demo, name: string) => {
    const { status, data } = await call(demo, '/sign-in', { name, password: 'demo', code: '000000' });
    return { status, role: data.role, basic: `${name}:${data.token}` };
  };
  const first = await startDemo(folder);
  const [yaw, ama] = [await signIn(first, 'yaw'), await signIn(first, 'ama')];
  const promoted = await call(first, '/accounts/ama/role', { role: 'admin', merchantId: null }, yaw.basic);
  expect(promoted.status).toBe(200);
  expect((await call(first, '/accounts', undefined, ama.basic)).status).toBe(200);
  await first.stop();

  const exposed = await startDemo(folder, { host: '0.0.0.0' });
  expect((await call(exposed, '/accounts', undefined, yaw.basic)).status).toBe(401);
  expect((await signIn(exposed, 'yaw')).status).toBe(401);
  expect((await call(exposed, '/accounts', undefined, ama.basic)).status).toBe(403);
  expect(await signIn(exposed, 'ama')).toMatchObject({ status: 200, role: 'lead' });
  await exposed.stop();

  const again = await startDemo(folder);
  expect((await call(again, '/accounts', undefined, yaw.basic)).status).toBe(200);
});

test('a demo that other machines can reach is served by every name, save what needs no password', async () => {
  const demo = await startDemo(temporaryFolder(), { host: '0.0.0.0' });
  expect(await askAs('demo.example', `${demo.url}/readyz`)).toBe(200);
  for (const path of ['/console/sign-in', '/staff/v1/reviews', '/phone'])
    expect(await askAs('demo.example', `${demo.url}${path}`), path).toBe(421);
});

test('a second start in the same folder keeps paid collections and continues open ones', async () => {
  const folder = temporaryFolder();
  const first = await startDemo(folder);
  expect((await dial(first, [...confirmedDial(payer), '--approve'])).code).toBe(0);
  const paid = await untilPaid(folder, payer);
  expect((await dial(first, [...confirmedDial(other), '--ignore'])).code).toBe(0);
  // The prompt can arrive before the answer to the call that sends it.
  await expect.poll(() => only(folder, other), { timeout: 5_000 }).toMatchObject({ status: 'initiated' });
  await first.stop();
  await expect(fetch(`${first.url}/healthz`)).rejects.toThrow();

  const second = await startDemo(folder);
  expect(await only(folder, payer)).toEqual(paid);
  const prompts = createPrompts({ fetch, clock, serviceUrl: second.serviceUrl });
  const pending = await prompts.pending(parseMsisdn(other) as Msisdn);
  if (!pending.ok) throw new Error('cannot read the prompts');
  expect(pending.prompts).toHaveLength(1);
  for (const prompt of pending.prompts)
    expect(await prompts.approve(prompt.id, '1234')).toMatchObject({ ok: true });
  expect(await untilPaid(folder, other)).toMatchObject({ initiateSends: 1, review: null });
});

/** Initiates a session of another merchant, whose payer approves after 3 s, with events to `url`. */
async function sellElsewhere(demo: Demo, folder: string, url: string) {
  const { adminToken } = JSON.parse(readFileSync(join(folder, 'data', 'demo.json'), 'utf8'));
  const call = async (method: string, path: string, token: string, body: object) => {
    const answer = await fetch(`${demo.serviceUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `${method} ${path}`,
      },
      body: JSON.stringify(body),
    });
    expect(answer.ok, `${method} ${path}`).toBe(true);
    return (await answer.json()) as { id: string; key: string };
  };
  const { id } = await call('POST', '/backoffice/merchants', adminToken, { name: 'Kofi Cosmetics' });
  const merchant = `/backoffice/merchants/${id}`;
  await call('POST', `${merchant}/approve-offline`, adminToken, {});
  const { key } = await call('POST', `${merchant}/keys`, adminToken, { livemode: false });
  await call('PUT', `${merchant}/webhook`, adminToken, { livemode: false, url });
  const goods = { mode: 'offline', msisdn: '233244000901', amount_minor: 2_000, network: 'mtn' };
  const session = await call('POST', '/v1/payments/sessions', key, { ...goods, reference: 'INV-7' });
  await call('POST', `/v1/payments/sessions/${session.id}/initiate`, key, {});
}

/** Advances the demo's clock, as `dialtill service clock advance` does. */
async function advance(demo: Demo, folder: string, ms: number) {
  const { adminToken } = JSON.parse(readFileSync(join(folder, 'data', 'demo.json'), 'utf8'));
  const answer = await fetch(`${demo.serviceUrl}/backoffice/clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ms }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { now: string; advanced_ms: number };
}

test('advancing the clock by three minutes advances both programs: an unanswered prompt expires', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder);
  expect((await dial(demo, [...confirmedDial(payer), '--ignore'])).code).toBe(0);
  expect(await only(folder, payer)).toMatchObject({ status: 'initiated' });
  await advance(demo, folder, 180_000);
  await expect.poll(() => only(folder, payer), { timeout: 20_000 }).toMatchObject({ status: 'expired' });
  expect((await fetch(`${demo.url}/readyz`)).status).toBe(200);

  // Later collections are paid as before, because events are signed with the time of both programs.
  expect((await dial(demo, [...confirmedDial(other), '--approve'])).code).toBe(0);
  await untilPaid(folder, other);
});

test('with the clock two hours ahead, the gateway and an outside receiver both accept the signatures', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder);
  const times: number[] = [];
  const receiver = createHttpServer((request, response) => {
    times.push(Number(/^t=(\d+)/.exec(String(request.headers['service-signature']))?.[1]) * 1_000);
    response.end();
  });
  const { port } = await listenLocally(receiver);
  await advance(demo, folder, 7_200_000);
  await sellElsewhere(demo, folder, `http://127.0.0.1:${port}/hook`);
  await advance(demo, folder, 3_000);
  await expect.poll(() => times.length, { timeout: 20_000 }).toBeGreaterThan(0);
  for (const at of times) expect(Math.abs(at - clock.now())).toBeLessThan(300_000);

  expect((await dial(demo, [...confirmedDial(payer), '--approve'])).code).toBe(0);
  expect(await untilPaid(folder, payer)).toMatchObject({ amountSource: 'webhook' });
});

test('a second start continues at the time to which the clock was advanced', async () => {
  const folder = temporaryFolder();
  const first = await startDemo(folder);
  const { now } = await advance(first, folder, 3_600_000);
  await first.stop();
  const second = await startDemo(folder);
  const later = await advance(second, folder, 1);
  expect(later.advanced_ms).toBe(3_600_001);
  expect(Date.parse(later.now)).toBeGreaterThan(Date.parse(now));
});

test('a call in flight does not time out when the clock is advanced: the network uses the system clock', async () => {
  const folder = temporaryFolder();
  const demo = await startDemo(folder);
  // The rail delays the initiate call by 15 s, longer than the gateway's timeout.
  const lost = '0244123909';
  const prompts = createPrompts({ fetch, clock, serviceUrl: demo.serviceUrl });
  const shown = async () => {
    const pending = await prompts.pending(parseMsisdn(lost) as Msisdn);
    return pending.ok ? pending.prompts : [];
  };
  expect((await dial(demo, confirmedDial(lost))).code).toBe(0);
  await expect.poll(shown, { timeout: 20_000 }).toMatchObject([{ magic: 'rail_unknown' }]);
  await advance(demo, folder, 14_000);
  await advance(demo, folder, 60_000);
  const { id } = await untilPaid(folder, lost);
  const { stdout } = await run(cli, ['ledger', 'show', id], folder);
  expect(stdout).toMatch(/ \d{1,4} ms {2}call +initiate: unknown \(504 rail_unknown\)\n/);
  expect(stdout).not.toContain('timeout');
});

test('advancing the clock does not change the recorded start time', async () => {
  const folder = temporaryFolder();
  const memory = () => JSON.parse(readFileSync(join(folder, 'data', 'demo.json'), 'utf8'));
  const before = clock.now();
  const demo = await startDemo(folder);
  const { startedAt } = memory();
  expect(startedAt).toBeGreaterThanOrEqual(before);
  await advance(demo, folder, 3_600_000);
  expect(memory()).toMatchObject({ startedAt, advancedMs: 3_600_000 });
  await demo.stop();
  await startDemo(folder);
  expect(memory().startedAt).toBeGreaterThan(startedAt);
  expect(memory().startedAt).toBeLessThan(before + 3_600_000);
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('the folder of the demo is private', async () => {
  const folder = temporaryFolder();
  await startDemo(folder);
  expect(modeOf(join(folder, 'data'))).toBe('700');
});

test('the files of the demo are private in a folder that is not', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  await startDemo(folder);
  const files = readdirSync(data);
  expect(files).toEqual(expect.arrayContaining(['demo.json', 'demo.yaml', 'gateway.db', 'service.db-wal']));
  expect(files.filter((name) => modeOf(join(data, name)) !== '600')).toEqual([]);
});

test("a permanent failure of the service's database calls onBroken", async () => {
  const folder = temporaryFolder();
  const first = await startDemo(folder);
  await first.stop();
  corruptTable(join(folder, 'data', 'service.db'), 'payment_session');
  let failures = 0;
  const demo = await startDemo(folder, {}, () => failures++);
  await dial(demo, confirmedDial(payer));
  await expect.poll(() => failures, { timeout: 20_000 }).toBe(1);
  expect((await fetch(`${demo.serviceUrl}/healthz`)).status).toBe(503);
});

test.each(['port', 'servicePort'] as const)(
  'a %s in use is reported in one sentence, and the next start succeeds',
  async (which) => {
    const folder = temporaryFolder();
    const taken = await takenPort();
    const setting = which === 'port' ? 'DIALTILL_PORT' : 'DIALTILL_SERVICE_PORT';
    const refused = startDemo(folder, { [which]: taken });
    await expect(refused).rejects.toThrow(
      new RegExp(
        `^cannot listen on 127\\.0\\.0\\.1:${taken}: .*EADDRINUSE.*Choose another port with .*${setting}`,
      ),
    );
    const demo = await startDemo(folder);
    expect((await fetch(`${demo.url}/readyz`)).status).toBe(200);
  },
);
