import { describe, expect, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { findLeaks } from '../kit/leaks.ts';
import { createSilentLog } from '../kit/log.ts';
import { createTill, failedEvent, paidEvent, webhookSecret } from '../kit/till.ts';
import { takeLeaks } from '../kit/watch-log.ts';

test('S54 log-scan: the log of payments, rejections and forgeries contains no number, key, secret, reference or body', async () => {
  const till = await createTill();
  const paid = await till.prompted('0244123456');
  await till.approved();
  await till.pay('0201234567', ['3', 'INV-4711', '35', '1'], 'nalo');
  const row = await till.untilStatus('0201234567', 'initiated');
  await till.declined('0201234567');
  await till.deliver(failedEvent(paid, 'evt_late'));
  await till.deliver(paidEvent(row, 'evt_forged'), { secret: 'whsec_of_somebody_else_1234' });
  await till.deliver('{"broken', {});
  await till
    .gateway()
    .app.request('http://gateway.test/ussd/nalo/wrong-secret', { method: 'POST', body: '0551112223' });
  await till.phone('0551112223').dial();
  await till.clock.advance(5_000);

  const log = till.logged();
  expect(log.split('\n').length).toBeGreaterThan(30);
  const numbers = ['244123456', '201234567', '551112223'];
  const secrets = [
    till.config.merchants[0]?.key ?? '',
    webhookSecret,
    ...till.config.channels.map(({ secret }) => secret),
  ];
  const rows = await Promise.all([till.only('0244123456'), till.only('0201234567')]);
  const keys = rows.flatMap(({ createKey, initiateKey, createBody }) => [createKey, initiateKey, createBody]);
  const found = [...numbers, ...secrets, ...keys, 'INV-4711', 'goods_minor', '"pin"'].filter((one) =>
    log.includes(one),
  );
  expect(found).toEqual([]);
});

test('S54 log-scan: request headers and paths do not reach the log', async () => {
  const till = await createTill();
  const headers = {
    'x-request-id': '0244123456',
    'user-agent': '0244123456',
    'x-forwarded-for': '0244123456',
  };
  for (const path of ['/healthz', '/0244123456', '/ussd/nalo/0244123456', '/webhooks/0244123456'])
    for (const method of ['GET', 'POST']) {
      const answer = await till.gateway().app.request(`http://gateway.test${path}`, { method, headers });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/);
    }
  await till.deliver('{}', { header: 't=1,v1=0244123456', eventId: '0244123456' });
  expect(till.logged()).not.toContain('244123456');
});

describe('S54 log-scan: the scan of the logs of all tests', () => {
  test.each([
    ['a phone number', 'msg 233244123456'],
    ['a phone number', '{"payer":"0244123456"}'],
    ['a phone number', 'from +233 24 412 3456'],
    ['a phone number', 'number_0201234567'],
    ['a phone number', '244123456'],
    ['a secret key', '{"key":"sk_live_abcdef"}'],
    ['a signing secret', 'signed with whsec_test_0123456789abcdef'],
    ['a token', 'authorization: Bearer abcdefgh'],
    ['a token', 'wrong admin-token-0123456789'],
    ['a signature', 't=1772787600,v1=145114ced78878c02480c153c6dc8516'],
    ['the secret of a callback', 'POST /ussd/nalo/abc'],
    ['a body', '{"fault":"cannot parse {\\"amount_minor\\":2020}"}'],
    ['a body', '"got sessionId=s-1&phoneNumber=none"'],
  ])('sees %s in %j', (what, line) => {
    expect(findLeaks(line)).toContain(what);
  });

  test.each([
    '{"level":"info","time":"2026-03-06T09:00:00.000Z","request":"req_01kk0b2yr00000000000244123","ms":3}',
    '{"dialogue":"dlg_01kk0b2yr02441234560000000","turn":2,"reply":"continue"}',
    '{"url":"http://127.0.0.1:52441","environment":"test","at":1772787600000,"ms":12}',
    '{"merchant":"demo-shop","event":"evt_1","receipt":"stored","msg":"webhook"}',
  ])('sees nothing in %s', (line) => {
    expect(findLeaks(line)).toEqual([]);
  });

  test('scans every line of every log, including child logs and logs without a reader', () => {
    const before = takeLeaks().lines;
    const log = createLog({ level: 'info', pretty: false, destination: { write: () => {} } });
    log.info('harmless');
    log.child({ program: 'gateway' }).warn({ fault: 'no such payer: 0244123456' }, 'leaked');
    createSilentLog().debug({ about: { secret: 'whsec_0123456789' } }, 'leaked');
    log.debug('below its level, which is never made: 0244123456');
    const { leaks, lines } = takeLeaks();
    expect(lines - before).toBe(3);
    expect(leaks).toEqual([
      expect.stringMatching(/^a phone number in .*no such payer/),
      expect.stringMatching(/^a signing secret in .*leaked/),
    ]);
    expect(takeLeaks().leaks).toEqual([]);
  });
});
