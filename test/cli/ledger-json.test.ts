import { expect, test } from 'vitest';
import { ledger, runLedger } from '../kit/staff-command.ts';
import { createTill } from '../kit/till.ts';

/** Every value of a JSON document with the name of its field. */
function fieldsOf(value: unknown, name = ''): [name: string, value: unknown][] {
  if (Array.isArray(value)) return value.flatMap((one) => fieldsOf(one, name));
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, field]) => [
    [key, field] as [string, unknown],
    ...fieldsOf(field, key),
  ]);
}

/** A payment that is paid, one that waits, and an event of another channel. */
async function createLedger() {
  const till = await createTill();
  const { id } = await till.prompted();
  await till.approve();
  await till.until(async () => (await till.only('0244123456')).confirmedAt !== null);
  await till.pay('0201234567');
  const data = { id: 'pay_other', status: 'paid', amount_minor: 500 };
  await till.deliver({ id: 'evt_x', type: 'payment.session.paid', created_at: '2026-03-06T09:00:00Z', data });
  await till.clock.advance(20_000);
  return { file: till.config.database.file, id };
}

const secrets = ['createKey', 'createBody', 'initiateKey', 'body'];
const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

test('every command prints times in one format, and no keys or bodies unless they are asked for', async () => {
  const { file, id } = await createLedger();
  const commands = [`show ${id}`, 'find 0244123456', 'list', 'reviews', 'balances', 'verify'];
  const names: string[] = [];
  for (const command of commands) {
    const { out, err } = await ledger(file, ...command.split(' '), '--json');
    expect(err).toBe('');
    const fields = fieldsOf(JSON.parse(out));
    names.push(...fields.map(([name]) => name));
    // A time as a number would be larger than any amount of this ledger.
    expect(fields.filter(([, value]) => typeof value === 'number' && value > 1e11)).toEqual([]);
    const times = fields.filter(([name, value]) => /(^at|At)$/.test(name) && value !== null);
    for (const [name, value] of times) expect(value, name).toMatch(isTime);
    expect(fields.filter(([name]) => secrets.includes(name))).toEqual([]);
  }
  expect(names).toEqual(
    expect.arrayContaining(['openedAt', 'nextAt', 'promptDeadline', 'receivedAt', 'timeline']),
  );
});

test('show and the lists print keys and bodies with --full', async () => {
  const { file, id } = await createLedger();
  const namesOf = async (...args: string[]) =>
    fieldsOf(JSON.parse((await ledger(file, ...args, '--json', '--full')).out)).map(([name]) => name);
  expect(await namesOf('show', id)).toEqual(expect.arrayContaining(secrets));
  expect(await namesOf('list')).toEqual(expect.arrayContaining(secrets.slice(0, 3)));
  const { err, code } = await ledger(file, 'show', id, '--full');
  expect([err, code]).toEqual(['--full needs --json\n', 1]);
});

test('show prints the same explanation as text and as JSON, first', async () => {
  const { file, id } = await createLedger();
  const shown = JSON.parse((await ledger(file, 'show', id, '--json')).out);
  expect(shown).toMatchObject({
    summary: 'The payment is paid and confirmed; GHS 20.20 was received.',
    nextStep: { kind: 'none', at: null, text: 'The result is final.' },
    expected: { priceMinor: 2_000, totalMinor: 2_020 },
    received: { amountMinor: 2_020, feeMinor: 20, netMinor: 2_000, suspendedMinor: 0 },
    playbook: { code: 'paid', money: 'received', tellPayer: { en: 'Your payment was received. Thank you.' } },
  });
  expect(Object.keys(shown)[0]).toBe('summary');
  const { out } = await ledger(file, 'show', id);
  expect(out.startsWith(`${shown.summary}\n${shown.nextStep.text}\n\ncollection       ${id}\n`)).toBe(true);
  expect(out).toContain(`tell the payer   ${shown.playbook.tellPayer.en}\n`);
  expect(out).toContain(`in Twi           ${shown.playbook.tellPayer.tw}\n`);
  expect(out).toMatch(/^total charged +GHS 20\.20 +GHS 20\.20$/m);
  expect(out).toMatch(/^ {2}2026-03-06 09:00:\d\d\.\d{3} +\d+ ms {2}call {5}create: payment session/m);
});

test('show names the next check of an open payment, and that it is overdue when the gateway does not run', async () => {
  const { file } = await createLedger();
  const at = (now: number) => runLedger(file, ['show', '0201234567'], { now: () => now });
  const open = await at(Date.parse('2026-03-06T09:01:00Z'));
  expect(open.out).toMatch(/^Next check 09:\d\d:\d\d UTC, watched until 13 March\.$/m);
  const late = await at(Date.parse('2026-03-06T12:00:00Z'));
  expect(late.out).toMatch(/^Next check was due 09:\d\d:\d\d UTC: check whether the gateway runs, watched/m);
});
