import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SignatureSettings, verifySignature } from '../../src/gateway/inbox/signature.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { create, newLiveMerchant, newMerchant } from '../service/support.ts';
import { createTestProgram, run } from './support.ts';

/** The signature of the service, as a receiver checks it. */
const signature: SignatureSettings = {
  header: 'service-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  timestampUnit: 'seconds',
  signedText: '{t}.{body}',
  secretEncoding: 'text',
  toleranceMs: 300_000,
};

/** A merchant's program that receives events; `status` is what it answers. */
async function startReceiver(port = 0) {
  const receiver = { status: 200 };
  const { url, questions, server } = await startServer(
    (response) => response.writeHead(receiver.status, { connection: 'close' }).end('{"received":true}'),
    { port },
  );
  const close = () => new Promise((done) => server.close(done));
  return Object.assign(receiver, { received: questions, url: `${url}/hook`, close });
}

/** A sandbox with one approved merchant, and commands that share a data folder. */
async function openSandbox() {
  const program = await createTestProgram({ sandbox: true });
  const { id } = await program.bench.service.createMerchant({ name: 'Abena Stores' });
  await program.bench.service.approveOffline(id);
  const folder = temporaryFolder();
  const env = { ...program.env, DIALTILL_DATA: folder };
  return { ...program, env, folder, service: (...args: string[]) => run(args, { env }) };
}

test.each([
  ['paid', 'paid', undefined, ['payment.session.paid']],
  ['declined', 'failed', 'declined', ['payment.session.failed']],
  ['prompt_expired', 'expired', 'prompt_expired', ['payment.session.failed']],
  ['no_result', 'expired', 'no_result', ['payment.session.failed']],
  ['limit_exceeded', 'failed', 'limit_exceeded', ['payment.session.failed']],
  [
    'second_charge',
    'paid',
    'second_charge',
    ['payment.session.review_amount_mismatch', 'payment.session.paid'],
  ],
  ['report_lost', 'paid', undefined, ['payment.session.paid']],
  [
    'late_approval',
    'expired',
    'late_approval',
    ['payment.session.review_amount_mismatch', 'payment.session.failed'],
  ],
  ['paid_short', 'initiated', 'paid_short', ['payment.session.review_amount_mismatch']],
  ['rail_refused', 'failed', 'rail_refused', ['payment.session.failed']],
  ['rail_unknown', 'paid', undefined, ['payment.session.paid']],
])('trigger %s ends with the status %s and its events', async (event, status, reason, types) => {
  const { service } = await openSandbox();
  const { out, err } = await service('trigger', event, '--json');
  expect(err).toBe('');
  const { session, events } = JSON.parse(out);
  expect(session.status).toBe(status);
  expect(session.review?.reason ?? session.reason).toBe(reason);
  expect(events.map((text: string) => text.split(' ')[0])).toEqual(types);
});

test('trigger never uses a live key', async () => {
  const { bench, env } = await createTestProgram();
  const { liveKey } = await newLiveMerchant(bench);
  const { code, err } = await run(['trigger', 'paid'], { env: { ...env, DIALTILL_SERVICE_KEY: liveKey } });
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('trigger needs a test key') });
});

test('sessions create creates one session for each idempotency key, and sends a prompt only on request', async () => {
  const { service, bench, env } = await openSandbox();
  const args = ['sessions', 'create', '--msisdn', '0244123901', '--amount', '20', '--reference', 'INV-7'];
  const first = await service(...args, '--idempotency-key', 'order-7');
  expect(first.out).toMatch(
    /session +pay_\w+\nstatus +created\ngoods +GHS 20\.00\nfee +GHS 0\.20\namount +GHS 20\.20\n/,
  );
  expect((await service(...args, '--idempotency-key', 'order-7')).out).toBe(first.out);
  const sent = JSON.parse((await service(...args, '--initiate', '--json')).out);
  expect(sent).toMatchObject({ status: 'initiated', reference: 'INV-7', network: 'mtn' });
  expect(await bench.service.phone.pending('233244123901')).toMatchObject([{ sessionId: sent.id }]);
  const live = { ...env, DIALTILL_SERVICE_KEY: 'sk_live_1' };
  expect(await run([...args, '--initiate'], { env: live })).toMatchObject({
    code: 1,
    err: expect.stringContaining('would charge a payer'),
  });
});

test('the developer key is created once, and again after it was revoked', async () => {
  const { service, json } = await openSandbox();
  const keysAfter = async () => {
    expect((await service('trigger', 'paid')).code).toBe(0);
    return (await json('keys')).data;
  };
  expect(await keysAfter()).toHaveLength(1);
  const [key] = await keysAfter();
  await service('keys', 'revoke', key.id);
  expect(await keysAfter()).toHaveLength(2);
});

test('listen forwards each event once with its bytes and a valid signature, and a restart what was missed', async () => {
  const { service, folder, url } = await openSandbox();
  const receiver = await startReceiver();
  const listen = () => service('listen', '--forward-to', receiver.url, '--once');
  await service('trigger', 'paid');
  const first = await listen();
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringContaining('signed with whsec_') });
  expect(receiver.received).toEqual([]);

  await service('trigger', 'declined');
  await service('trigger', 'late_approval');
  const { out } = await listen();
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    'payment.session.failed',
    'payment.session.failed',
    'payment.session.review_amount_mismatch',
  ]);
  expect(out.match(/ {2}200 \{"received":true\}\n/g)).toHaveLength(3);
  const secret = /whsec_\S+/.exec(first.out)?.[0] ?? '';
  const [key] = Object.values(JSON.parse(readFileSync(join(folder, 'developer-keys.json'), 'utf8')));
  for (const { headers, body } of receiver.received) {
    const { id } = JSON.parse(body);
    expect(headers['service-event-id']).toBe(id);
    const stored = await fetch(`${url}/v1/events/${id}`, { headers: { authorization: `Bearer ${key}` } });
    expect(body).toBe(await stored.text());
    const header = String(headers['service-signature']);
    const request = { header, body: Buffer.from(body), receivedAt: systemClock().now() };
    expect(verifySignature(signature, [secret], request).kind).toBe('valid');
  }
  await listen();
  expect(receiver.received).toHaveLength(3);
});

test('listen repeats an event until its receiver is reached, shows refusals, and ends with ctrl-c', async () => {
  const { service, env } = await openSandbox();
  const gone = await startReceiver();
  await gone.close();
  await service('trigger', 'paid');
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined;
  const running = run(['listen', '--forward-to', gone.url, '--from-start'], {
    env,
    ended,
    async onOutput(out) {
      if (out.includes('waiting: ') && !receiver) {
        receiver = await startReceiver(Number(new URL(gone.url).port));
        receiver.status = 500;
      }
      if (out.includes('500 {"received":true}')) end('SIGINT');
    },
  });
  const { code, out } = await running;
  expect(code).toBe(0);
  expect(out).toMatch(/Stopped\. The next start continues/);
  expect(receiver?.received).toHaveLength(1);
});

test('listen with the key of a merchant forwards the events of no other merchant', async () => {
  const { bench, env, folder } = await openSandbox();
  const mine = await newMerchant(bench, 'Kofi Stores');
  const receiver = await startReceiver();
  await create(bench, mine.key);
  const own = { ...env, DIALTILL_SERVICE_KEY: mine.key };
  const { id } = await bench.service.createMerchant({ name: 'Third' });
  await bench.service.approveOffline(id);
  await run(['trigger', 'paid', '--merchant', id], { env });
  const args = ['listen', '--forward-to', receiver.url, '--from-start', '--once'];
  expect((await run([...args, '--cursor', join(folder, 'own.json')], { env: own })).code).toBe(0);
  expect(receiver.received).toEqual([]);
});
