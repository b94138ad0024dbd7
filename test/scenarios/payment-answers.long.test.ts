import { expect, onTestFinished, test } from 'vitest';
import { paymentEventPage } from '../../src/contract/merchant/merchant-api.ts';
import { payment } from '../../src/contract/merchant/notification.ts';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createAccount, createConsoleTill } from '../kit/console.ts';
import { needsFile } from '../kit/engine.ts';
import { addEndpoint, createNotified, type Receiver } from '../kit/receiver.ts';
import { callStaff } from '../kit/staff.ts';
import { runLedger } from '../kit/staff-command.ts';
import { day, payer, type Till } from '../kit/till.ts';
import { withoutTriggers } from '../kit/with-database.ts';
import { readCsv, textOf } from '../security/read-csv.ts';

/** A school that asks for the class, the seats, the visitor and, wrongly, a PIN. */
function schoolMenu(changed: object = {}): Menu {
  const ask = { kind: 'ask', answer: 'text' };
  return menuSchema.parse({
    languages: ['en'],
    start: 'class',
    answers: { visitor: 'Name and phone', note: false },
    screens: {
      class: {
        kind: 'choose',
        text: 'Class?',
        options: [
          {
            list: ['JHS 1', 'JHS 2'],
            label: '{item.name}',
            set: { values: { class: '{item.name}' } },
            to: 'seats',
          },
        ],
      },
      seats: {
        kind: 'ask',
        answer: 'number',
        name: 'seats',
        min: 1,
        max: 9,
        each: '5.00',
        text: 'Seats?',
        to: 'visitor',
      },
      visitor: { ...ask, name: 'visitor', text: 'Visitor?', to: 'note' },
      note: { ...ask, name: 'note', text: 'A note for us?', to: 'code' },
      code: { ...ask, name: 'code', text: 'Your PIN?', to: 'confirm' },
      confirm: { kind: 'confirm', text: 'Pay {amount}?', to: 'done' },
      done: { kind: 'end', text: 'Approve.' },
      ...changed,
    },
  });
}

const visitor = '<b>Efua</b> 020 123 4567';
const masked = [
  { name: 'class', label: 'Class', value: 'JHS 2' },
  { name: 'seats', label: 'Seats', value: '3' },
  { name: 'visitor', label: 'Name and phone', value: '<b>Efua</b> 23320****567' },
];
const whole = masked.map((one) => (one.name === 'visitor' ? { ...one, value: visitor } : one));

async function openSchool(): Promise<{ till: Till; receiver: Receiver }> {
  const opened = await createNotified(
    {
      configure(config) {
        config.retention = { dialoguesMs: 30 * day, eventBodiesMs: 30 * day };
        config.merchants = config.merchants.map((one) => ({ ...one, menu: schoolMenu() }));
      },
    },
    createConsoleTill,
  );
  await addEndpoint(opened.till, opened.receiver);
  return opened;
}

const pay = (till: Till) => till.pay(payer, ['2', '3', visitor, 'a private note', '4321', '1']);

/** Reads a path of the merchant API with a key of these scopes. */
async function read(till: Till, path: string, ...scopes: string[]): Promise<unknown> {
  const input = { merchantId: 'demo-shop', scopes: ['payments:read', 'events:read', ...scopes] };
  const { secret } = (await callStaff(till, 'adwoa', '/merchant-keys', input)).body;
  const headers = { authorization: `Bearer ${secret}` };
  return (await till.gateway().app.request(`/merchant/v1${path}`, { headers })).json();
}

const ledger = (till: Till, ...args: string[]) =>
  runLedger(till.config.database.file, args, { database: () => till.ledger.location });

test('what a payer answers is part of the payment in the merchant API and in notifications, with masked numbers', async () => {
  const { till, receiver } = await openSchool();
  await pay(till);
  const { id } = await till.only(payer);
  expect(payment.parse(await read(till, `/payments/${id}`)).answers).toEqual(masked);
  expect(payment.parse(await read(till, `/payments/${id}`, 'payers:read')).answers).toEqual(whole);
  const events = paymentEventPage.parse(await read(till, '/events?after=0'));
  expect(events.data.map(({ data }) => data.answers)).toEqual([masked]);
  await till.until(() => receiver.received.length > 0);
  expect(receiver.received[0]).toMatchObject({ type: 'payment.opened', data: { answers: masked } });
  expect((await till.verify()).faults).toEqual([]);
});

test('a PIN and an answer that the menu keeps out are in no payment', async () => {
  const { till, receiver } = await openSchool();
  await pay(till);
  await till.until(() => receiver.received.length > 0);
  const { answers } = await till.only(payer);
  expect(answers).not.toMatch(/4321|private|code|note/);
  expect(receiver.received[0]?.body).not.toMatch(/4321|private/);
});

test('support staff see the answers in the console, in exports and on the command line', async () => {
  const { till } = await openSchool();
  await pay(till);
  const { id } = await till.only(payer);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  const page = (await browser.get(`/payments/${id}`)).text;
  expect(page).toContain('<dt>Name and phone (visitor)</dt><dd>&lt;b&gt;Efua&lt;/b&gt; 23320****567</dd>');
  expect(page).not.toMatch(/020 123 4567|<b>Efua/);
  await browser.post(`/payments/${id}/reveal`, { reason: 'the visitor calls' });
  expect((await browser.get(`/payments/${id}`)).text).toContain('&lt;b&gt;Efua&lt;/b&gt; 020 123 4567</dd>');

  for (const [numbers, shown] of [
    ['masked', masked],
    ['whole', whole],
  ] as const) {
    const file =
      numbers === 'whole'
        ? await browser.post('/export', { reason: 'the school asks' })
        : await browser.get('/export.csv');
    const [, row = []] = readCsv(file.text);
    expect(textOf(row.at(-5))).toBe(
      shown.map(({ name, label, value }) => `${label} (${name}): ${value}`).join('; '),
    );
    expect(JSON.parse(textOf(row.at(-4)))).toEqual(
      Object.fromEntries(shown.map(({ name, value }) => [name, value])),
    );
  }
  expect(
    (await callStaff(till, 'kofi', `/collections/${id}/reveal`, { reason: 'a call' })).body,
  ).toMatchObject({ answers: whole });

  const text = (await ledger(till, 'show', id)).out;
  expect(text).toContain('answers          Class (class): JHS 2\n                 Seats (seats): 3\n');
  expect(JSON.parse((await ledger(till, 'show', id, '--json')).out).collection.answers).toEqual(whole);
  const [head = [], row = []] = readCsv((await ledger(till, 'export', '--csv')).out);
  expect(row[head.indexOf('answers')]).toContain('Class (class): JHS 2; Seats (seats): 3');
});

test('a payment keeps the names and labels of its own menu, and its repetition has the same answers', async () => {
  const { till } = await openSchool();
  await pay(till);
  const first = await till.only(payer);
  await till.untilStatus(payer, 'initiated');
  await till.declined();
  till.config.merchants = till.config.merchants.map((one) => ({
    ...one,
    menu: schoolMenu({ visitor: { kind: 'ask', answer: 'text', name: 'guest', text: 'Guest?', to: 'note' } }),
  }));
  await till.restart();
  expect(payment.parse(await read(till, `/payments/${first.id}`)).answers).toEqual(masked);
  await till.pay(payer, ['1']);
  const [retry] = await till.find(payer);
  expect(retry?.retryOf).toBe(first.id);
  expect(payment.parse(await read(till, `/payments/${retry?.id}`)).answers).toEqual(masked);
});

needsFile('it changes the file').each([
  ["UPDATE collection SET answers = replace(answers, 'JHS 2', 'JHS 1')", 'answers: differ from their digest'],
  ['UPDATE collection SET answers = NULL', 'lacks its answers before the shortest retention'],
])('the audit finds answers that somebody changed or deleted in the file: %s', async (sql, fault) => {
  const { till } = await openSchool();
  await pay(till);
  const file = new Database(till.config.database.file);
  onTestFinished(() => {
    file.close();
  });
  withoutTriggers(file, () => file.exec(sql));
  expect((await till.verify()).faults.map((one) => one.fault)).toEqual([expect.stringContaining(fault)]);
});

test('retention deletes the answers with the dialogue, and the ledger stays valid; nothing else changes them', async () => {
  const { till } = await openSchool();
  await pay(till);
  const { id } = await till.only(payer);
  const change = (value: string | null) =>
    till.write([{ sql: 'UPDATE collection SET answers = ? WHERE id = ?', args: [value, id] }]);
  await expect(change(null)).rejects.toThrow('cannot be changed');
  await till.untilStatus(payer, 'initiated');
  await till.approved();
  await expect(change('{}')).rejects.toThrow('cannot be changed');
  await till.clock.skip(31 * day);
  await till.clock.advance(10_000);
  expect((await till.only(payer)).answers).toBeNull();
  expect(payment.parse(await read(till, `/payments/${id}`)).answers).toEqual([]);
  expect((await till.verify()).faults).toEqual([]);
});
