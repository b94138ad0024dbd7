import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { staffActionWrite } from '../../../src/gateway/access/action-store.ts';
import { systemActor } from '../../../src/gateway/access/permissions.ts';
import type { WebhookFetch } from '../../../src/shared/http/webhook-fetch.ts';
import { type Browser, createAccount, createConsoleTill, payShort, short } from '../../kit/console.ts';
import { startMailServer } from '../../kit/mail-server.ts';
import { staffActions } from '../../kit/staff.ts';
import { hour, minute, type Till } from '../../kit/till.ts';

type Sent = {
  url: string;
  type: string;
  data: { text: string; url: string; code?: string };
  request: Request;
};
type Request = Parameters<WebhookFetch>[1];

/** A till whose webhooks are kept. `status`: the answer to them, which a test can change; `failing`: an address that answers 500. */
async function createAlertTill(options: Parameters<typeof createConsoleTill>[0] = {}) {
  const sent: Sent[] = [];
  const receiver = { status: 200, failing: '' };
  const till = await createConsoleTill({
    ...options,
    overrides: () => ({
      notifyFetch: async (url, request) => {
        sent.push({ url, ...JSON.parse(request.body), request });
        return { status: url === receiver.failing ? 500 : receiver.status, body: null };
      },
    }),
  });
  return { till, sent, receiver };
}

/** Adds a person, who has just entered the password. */
async function signIn(till: Till, name: string, role: 'lead' | 'finance' | 'admin'): Promise<Browser> {
  const holder = await createAccount(till, name, role);
  return holder.signIn();
}

const wish = {
  ...{ kind: 'webhook', address: 'https://hooks.example/ama' },
  ...{ proposals: '1', mentions: '1', alarms: '1' },
};

/** Sets a webhook, and proves its address. Returns the signing secret. */
async function subscribe(
  { till, sent }: Pick<Awaited<ReturnType<typeof createAlertTill>>, 'till' | 'sent'>,
  browser: Browser,
  address = wish.address,
) {
  const page = await browser.post('/me/alerts', { ...wish, address });
  const [, secret = ''] = /(whsec_[\w+/=]+)/.exec(page.text) ?? [];
  await till.clock.advance(20_000);
  const { code = '' } = sent.at(-1)?.data ?? {};
  expect((await browser.post('/me/alerts/prove', { kind: 'webhook', code })).status).toBe(303);
  sent.length = 0;
  return secret;
}

async function propose(till: Till, browser: Browser): Promise<string> {
  const { id, version } = await till.only(short);
  const form = { outcome: 'accept', evidence: 'call of 0244123456', reference: '', version: `${version}` };
  await browser.post(`/payments/${id}/proposals`, form);
  const page = await browser.get(`/payments/${id}`);
  return /prp_\w+/.exec(page.text)?.[0] ?? '';
}

test('a proposal is announced by a signed webhook to others who decide, and its refusal to the author', async () => {
  const alerts = await createAlertTill();
  const { till, sent } = alerts;
  const [ama, kofi] = [await signIn(till, 'ama', 'lead'), await signIn(till, 'kofi', 'finance')];
  await payShort(till);
  await till.clock.advance(20_000);
  const [, secret] = [await subscribe(alerts, ama), await subscribe(alerts, kofi)];
  const proposal = await propose(till, ama);
  await till.clock.advance(40_000);
  expect(sent.map(({ type, data }) => [type, data])).toEqual([
    ['alert.news', { text: '1 proposal waits.', url: 'https://pay.example/console/proposals' }],
  ]);
  const [{ request }] = sent as [Sent];
  const { headers, body } = request;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  expect(body).not.toMatch(/244123|GHS|10\.10/);
  sent.length = 0;
  await kofi.post(`/proposals/${proposal}/refuse`, { reason: 'another amount' });
  await till.clock.advance(40_000);
  expect(sent.map(({ data }) => data.text)).toEqual(['1 proposal of yours was refused.']);
  const actions = (await staffActions(till)).map(({ actor, action }) => `${actor} ${action}`);
  expect(actions).toEqual(expect.arrayContaining(['kofi set_alert', 'kofi prove_alert']));
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('an address gets only its code before the person has entered it, and another code proves nothing', async () => {
  const { till, sent } = await createAlertTill();
  const [ama, kofi] = [await signIn(till, 'ama', 'lead'), await signIn(till, 'kofi', 'finance')];
  await kofi.post('/me/alerts', wish);
  await payShort(till);
  await propose(till, ama);
  await till.clock.advance(minute);
  expect(sent.map(({ type }) => type)).toEqual(['alert.code']);
  const wrong = await kofi.post('/me/alerts/prove', { kind: 'webhook', code: 'AAAA-AAAA-AAAA-AAAA' });
  expect(wrong.text).toContain('The code is another one.');
  expect((await kofi.post('/me/alerts/test', { kind: 'webhook' })).text).toContain('Enter the code');
  for (const address of [
    'http://10.0.0.1/x',
    'https://169.254.169.254/x',
    'file:///etc/passwd',
    'ftp://a.example',
  ])
    expect((await kofi.post('/me/alerts', { ...wish, address })).status, address).toBe(422);
  const merchant = await (await createAccount(till, 'shop', 'merchant', 'demo-shop')).signIn();
  expect((await merchant.get('/me/alerts')).status).toBe(403);
});

test('an alarm is sent once an hour, with its code alone, and to nobody who did not ask for alarms', async () => {
  const alerts = await createAlertTill();
  const { till, sent } = alerts;
  const [ama, kofi] = [await signIn(till, 'ama', 'lead'), await signIn(till, 'kofi', 'finance')];
  await subscribe(alerts, ama);
  await subscribe(alerts, kofi);
  await kofi.post('/me/alerts', { ...wish, alarms: '' });
  await payShort(till);
  await till.clock.advance(minute);
  expect(sent.map(({ data }) => data.text)).toEqual([
    'Alarm: amount_mismatch. docs/operations/alarms.md says what to do.',
  ]);
});

test('a receiver that fails gets a bounded number of attempts with one identifier, and delays no payment', async () => {
  const alerts = await createAlertTill();
  const { till, sent, receiver } = alerts;
  const kofi = await signIn(till, 'kofi', 'finance');
  await subscribe(alerts, kofi);
  receiver.status = 500;
  await kofi.post('/me/alerts/test', { kind: 'webhook' });
  await till.clock.advance(minute);
  expect(await till.paidPayment('0261234567')).toMatchObject({ status: 'paid' });
  expect((await kofi.get('/me/alerts')).text).toContain('The last attempt failed: the answer was 500.');
  for (let passed = 0; passed < 12; passed++) await till.clock.advance(hour);
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map(({ request }) => request.headers['webhook-id'])).size).toBe(1);
});

test('a receiver that fails delays the alerts of nobody else, however much happens meanwhile', async () => {
  const alerts = await createAlertTill();
  const { till, sent, receiver } = alerts;
  const [ama, kofi] = [await signIn(till, 'ama', 'lead'), await signIn(till, 'kofi', 'finance')];
  await payShort(till);
  const failing = 'https://hooks.example/failing';
  const sentTo = (address: string) => sent.filter(({ url }) => url === address);
  await till.clock.advance(20_000);
  await subscribe(alerts, kofi);
  await subscribe(alerts, ama, failing);
  receiver.failing = failing;
  await ama.post('/me/alerts/test', { kind: 'webhook' });
  await till.clock.advance(20_000);
  const subject = { kind: 'account', id: 'acc_other', merchantId: null, livemode: 0 } as const;
  const note = { actor: systemActor('import'), action: 'note', subject, detail: {} };
  expect(await till.write(Array.from({ length: 520 }, () => staffActionWrite(note, till.clock.now())))).toBe(
    true,
  );
  await propose(till, ama);
  await till.clock.advance(minute);
  expect(sentTo(failing).length).toBeGreaterThan(0);
  expect(sentTo(wish.address).map(({ data }) => data.text)).toEqual(['1 proposal waits.']);
});

test('an alert reaches no network of merchants, and an address that is not proven shows nothing of its answer', async () => {
  const { till, sent, receiver } = await createAlertTill({
    configure(config) {
      config.notify = { secretsKey: Buffer.alloc(32, 7).toString('base64'), allowPrivate: ['10.0.0.0/8'] };
    },
  });
  const kofi = await signIn(till, 'kofi', 'finance');
  for (const address of ['http://10.0.0.5:8080/restart', 'https://10.0.0.5/restart'])
    expect((await kofi.post('/me/alerts', { ...wish, address })).status, address).toBe(422);
  receiver.status = 404;
  await kofi.post('/me/alerts', wish);
  await till.clock.advance(20_000);
  expect(sent).toHaveLength(1);
  const page = (await kofi.get('/me/alerts')).text;
  expect(page).toContain('The last attempt failed: not delivered.');
  expect(page).not.toContain('404');
  const [row] = await till.ledger.rows<{ message: string }>('SELECT message FROM alert_target');
  expect(row?.message).not.toContain(sent[0]?.data.code);
});

test('a person gets five codes in 24 hours, whichever the address, and can change what a proven address gets', async () => {
  const alerts = await createAlertTill();
  const { till } = alerts;
  const holder = await createAccount(till, 'kofi', 'finance');
  const kofi = await holder.signIn();
  const set = async (address: string) => (await kofi.post('/me/alerts', { ...wish, address })).status;
  for (const host of ['a', 'b', 'c', 'd']) {
    expect(await set(`https://${host}.example/`)).toBe(200);
    await kofi.post('/me/alerts/remove', { kind: 'webhook' });
  }
  await subscribe(alerts, kofi);
  const page = await kofi.post('/me/alerts', { ...wish, address: 'https://e.example/' });
  expect([page.status, page.text]).toEqual([422, expect.stringContaining('5 codes in 24 hours')]);
  expect(await set(wish.address)).toBe(303);
  await till.clock.advance(24 * hour);
  const later = await holder.signIn();
  expect((await later.post('/me/alerts', { ...wish, address: 'https://e.example/' })).status).toBe(200);
});

test('an alarm is not lost when another writer changes the target at the same moment', async () => {
  const losing = { next: false };
  const alerts = await createAlertTill({
    wrapStore: (store) => ({
      ...store,
      async apply(batch, signal) {
        const isLost = losing.next && batch.some(({ args }) => args.includes('["amount_mismatch"]'));
        if (isLost) losing.next = false;
        return isLost ? false : store.apply(batch, signal);
      },
    }),
  });
  const { till, sent } = alerts;
  const kofi = await signIn(till, 'kofi', 'finance');
  await subscribe(alerts, kofi);
  await kofi.post('/me/alerts/test', { kind: 'webhook' });
  losing.next = true;
  await payShort(till);
  await till.clock.advance(2 * minute);
  expect(losing.next).toBe(false);
  expect(sent.map(({ data }) => data.text)).toContainEqual(expect.stringContaining('amount_mismatch'));
});

test('the addresses of a person end when the account is reset, disabled or gets another role', async () => {
  const alerts = await createAlertTill();
  const { till, sent } = alerts;
  const [ama, adwoa] = [await signIn(till, 'ama', 'lead'), await signIn(till, 'adwoa', 'admin')];
  await payShort(till);
  await till.clock.advance(20_000);
  const addresses: Record<string, string> = {};
  for (const name of ['kofi', 'efua', 'kwame']) {
    addresses[name] = `https://hooks.example/${name}`;
    await subscribe(alerts, await signIn(till, name, 'finance'), addresses[name]);
  }
  const shown = await staffActions(till);
  expect(shown.find(({ action }) => action === 'set_alert')?.detail).toMatchObject({ to: 'hooks.example' });
  for (const path of ['/staff/kofi/reset', '/staff/efua/disable', '/staff/kwame/role'])
    await adwoa.post(path, { role: 'agent', merchant: '' });
  expect(await till.ledger.rows('SELECT * FROM alert_target')).toEqual([]);
  await propose(till, ama);
  await till.clock.advance(minute);
  expect(sent).toEqual([]);
});

test('alerts arrive by e-mail without a number, and a refusal of the mail server shows none either', async () => {
  const settings = { refuse: false };
  const mail = await startMailServer(settings);
  const refusing = await startMailServer({ refuse: true });
  for (const { port, isRefusing } of [
    { port: mail.port, isRefusing: false },
    { port: refusing.port, isRefusing: true },
  ]) {
    const till = await createConsoleTill({
      configure(config) {
        config.smtp = { host: '127.0.0.1', port, secure: false, from: 'till@shop.example' };
      },
    });
    const kofi = await signIn(till, 'kofi', 'finance');
    const form = { kind: 'mail', address: 'kofi2@shop.example', proposals: '1', mentions: '1' };
    expect(
      (await kofi.post('/me/alerts', { ...form, address: 'kofi2@shop.example, b@x.example' })).status,
    ).toBe(422);
    await kofi.post('/me/alerts', form);
    const read = async () => (await kofi.get('/me/alerts')).text;
    await till.until(async () => /The last (message|attempt)/.test(await read()), minute);
    if (isRefusing) {
      expect(await read()).toContain('The last attempt failed: not delivered.');
      continue;
    }
    await mail.arrived(1);
    const [, code = ''] = /Code: ([A-Z2-7-]+)/.exec(mail.mails[0] ?? '') ?? [];
    expect(mail.mails[0]).toContain('To: kofi2@shop.example');
    expect((await kofi.post('/me/alerts/prove', { kind: 'mail', code })).status).toBe(303);
    settings.refuse = true;
    await kofi.post('/me/alerts/test', { kind: 'mail' });
    await till.until(async () => /The last attempt/.test(await read()), minute);
    expect(await read()).toMatch(/no mailbox #{10} of #{12} here: …\./);
  }
});
