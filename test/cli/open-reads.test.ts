import { expect, test } from 'vitest';
import { registerBlock } from '../../src/cli/commands/block.ts';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { registerSessions } from '../../src/cli/commands/sessions.ts';
import { registerUnplaced } from '../../src/cli/commands/unplaced.ts';
import { findGateway } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { findOtherZones } from '../../src/shared/time-text.ts';
import type { CommandResult } from '../kit/command.ts';
import { callStaff, type StaffName, staffTokens, withStaff } from '../kit/staff.ts';
import { fetchOf, gatewayUrl, runAs } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';

/* The commands that read, as a person who has signed in: through the API of the gateway where it runs, else from the file. */

const payer = '0244123456';

const refusing: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));

/** Runs a command as a person who has signed in at the gateway of a till. */
function run(
  till: Till,
  name: StaffName,
  args: readonly string[],
  http: typeof fetch = fetchOf(till),
): Promise<CommandResult> {
  return runAs(till, name, args, (program, deps) => {
    const env = { DIALTILL_STAFF: `${name}:${staffTokens[name]}` };
    const reads = {
      ...deps,
      timeZones: async () => findOtherZones(till.config.merchants.map(({ id, timeZone }) => [id, timeZone])),
      signedIn: async (flags: object) =>
        createStaffClient(
          { fetch: http, clock: till.clock },
          findGateway({ url: gatewayUrl, ...flags }, env),
        ),
    };
    registerLedger(program, reads);
    registerSessions(program, { ...reads, clock: till.clock, ended: () => Promise.resolve() });
    registerUnplaced(program, reads);
    registerBlock(program, reads);
  });
}

const staffTill = () => createTill({ configure: withStaff });

/** Every command that reads, about a payment. */
const readers = (id: string, dialogue: string): string[][] => [
  ['ledger', 'find', payer],
  ['ledger', 'list', '--dialler', payer],
  ['ledger', 'reviews'],
  ['ledger', 'show', id],
  ['ledger', 'audit'],
  ['ledger', 'balances'],
  ['ledger', 'caller', payer],
  ['ledger', 'caller', dialogue],
  ['sessions', 'find', payer],
  ['sessions', 'show', dialogue],
  ['unplaced', 'list', '--state', 'all'],
  ['unplaced', 'events'],
  ['block', 'list'],
];

test('each command prints the same through the gateway and from the file, without the numbers of payers', async () => {
  const till = await staffTill();
  await till.pay(payer);
  const { id, dialogueId } = await till.only(payer);
  await run(till, 'ama', ['block', 'add', payer, '--as', 'payer', '--reason', `asked by ${payer}`]);
  const masked = (text: string) =>
    text
      .replaceAll(payer, '024****456')
      .replaceAll('233244123456', '23324****456')
      .replace('asked by 024****456', 'asked by 23324****456');
  const shape = (text: string) =>
    masked(text).replaceAll(/ {2,}/g, '  ').replaceAll('from 024****456', 'from 23324****456');
  for (const args of readers(id, dialogueId))
    for (const more of [[], ['--json']]) {
      const through = await run(till, 'ama', [...args, ...more]);
      const file = await run(till, 'ama', [...args, ...more, '--db', 'till']);
      expect(through.err).toBe('');
      expect(through.out).not.toMatch(/0244123456|233244123456/);
      expect(through.out.replaceAll(/ {2,}/g, '  '), [...args, ...more].join(' ')).toBe(shape(file.out));
    }
});

test('a person who reveals the numbers of a collection reads them for five minutes, and the audit has the reason', async () => {
  const till = await staffTill();
  const { id } = await till.prompted(payer);
  const show = async (name: StaffName) => (await run(till, name, ['ledger', 'show', id])).out;
  expect(await show('ama')).toContain('payer            024****456 on mtn');
  const revealed = await run(till, 'ama', ['ledger', 'reveal', id, '--reason', 'the payer calls']);
  expect(revealed.out).toContain(`payer       ${payer}\n`);
  expect(await show('ama')).toContain(`payer            ${payer} on mtn`);
  expect(await show('kofi')).toContain('payer            024****456 on mtn');
  await till.clock.advance(5 * 60_000);
  expect(await show('ama')).toContain('payer            024****456 on mtn');
  expect((await run(till, 'kofi', ['ledger', 'audit'])).out).toContain('reason: the payer calls');
});

test('the API has neither keys nor bodies, for which --full reads the file, and transcripts are of the file', async () => {
  const till = await staffTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  const shown = await run(till, 'ama', ['ledger', 'show', id, '--json']);
  expect(shown.out).not.toContain('createKey');
  expect((await run(till, 'ama', ['ledger', 'show', id, '--json', '--full'])).out).toContain('createKey');
  expect((await run(till, 'ama', ['ledger', 'show', id, '--as-transcript'])).out).toContain(payer);
  const contradiction = await run(till, 'ama', [
    ...['ledger', 'show', id, '--json', '--full', '--url', gatewayUrl],
  ]);
  expect([contradiction.code, contradiction.err]).toEqual([
    1,
    '--full reads the database, not a gateway: leave out --url\n',
  ]);
});

test('a role reads what it may read: an auditor finds no number by its digits, and an admin no payment', async () => {
  const till = await staffTill();
  const { id } = await till.prompted(payer);
  for (const args of [
    ['ledger', 'find', payer],
    ['ledger', 'find', '3456'],
    ['ledger', 'find', `${payer.slice(0, 7)}/`],
    ['ledger', 'find', `INV_${payer.slice(0, 5)}`],
    ['ledger', 'show', payer],
    ['ledger', 'list', '--last4', '3456'],
    ['ledger', 'list', '--dialler', payer],
    ['ledger', 'audit', '--subject', payer],
    ['ledger', 'caller', payer],
    ['sessions', 'find', payer],
    ['unplaced', 'show', payer],
    ['block', 'list', '--msisdn', payer],
  ]) {
    const found = await run(till, 'efua', args);
    expect([found.out, found.code], args.join(' ')).toEqual(['', 1]);
    expect(found.err).toContain('refused: your role may not find payments by digits of a number here');
  }
  for (const command of ['show', 'caller'])
    expect((await run(till, 'efua', ['ledger', command, id])).code).toBe(0);
  // A text of a person can look like JSON.
  for (const text of ['[233244123456]', '{"233244123456":1}', '[["0244123456"]]'])
    await callStaff(till, 'ama', `/collections/${id}/notes`, { text });
  for (const args of [
    ['ledger', 'show', id],
    ['ledger', 'show', id, '--json'],
    ['ledger', 'audit', '--json'],
  ]) {
    const read = await run(till, 'efua', args);
    expect(read.code).toBe(0);
    expect(read.out).not.toMatch(/244123456/);
  }
  const admin = await run(till, 'adwoa', ['ledger', 'show', id]);
  expect([admin.code, admin.err]).toEqual([1, 'refused: the role admin may not do this (forbidden)\n']);
});

test('without a running gateway, the file is read; a gateway that --url names must answer', async () => {
  const till = await staffTill();
  await till.prompted(payer);
  const found = await run(till, 'ama', ['ledger', 'find', payer], refusing);
  expect([found.code, found.out]).toEqual([0, expect.stringContaining(payer)]);
  const named = await run(till, 'ama', ['ledger', 'find', payer, '--url', gatewayUrl], refusing);
  expect([named.code, named.err]).toEqual([1, expect.stringContaining(`no gateway at ${gatewayUrl}`)]);
  const both = await run(till, 'ama', ['ledger', 'find', payer, '--url', gatewayUrl, '--db', 'till.db']);
  expect(both.code).toBe(2);
});

test('a gateway of another version is refused, and says what to do', async () => {
  const till = await staffTill();
  const other: typeof fetch = async () => Response.json({ version: '99.0.0', value: {} });
  const found = await run(till, 'ama', ['ledger', 'find', payer], other);
  expect([found.code, found.err]).toEqual([1, expect.stringMatching(/is dialtill 99\.0\.0, and this is /)]);
});

test('an unknown cursor and an invalid value are refused with what to do, also by the gateway', async () => {
  const till = await staffTill();
  const unknown = await run(till, 'ama', ['ledger', 'list', '--after', 'col_none']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('--after: the ledger has no')]);
  const long = await run(till, 'ama', ['ledger', 'find', 'x'.repeat(201)]);
  expect([long.code, long.err]).toEqual([1, expect.stringContaining('refused: term: ')]);
});

test('a gateway without the console has no accounts, so that the file is read', async () => {
  const till = await createTill();
  await till.prompted(payer);
  const found = await run(till, 'ama', ['ledger', 'find', payer]);
  expect([found.err, found.out]).toEqual(['', expect.stringContaining(payer)]);
});

test('filters of a search are those of the console, and an unknown value is an error on both sources', async () => {
  const till = await staffTill();
  await till.pay(payer);
  const offline = () => Promise.reject(new TypeError('fetch failed'));
  for (const http of [fetchOf(till), offline as typeof fetch]) {
    const find = (...words: string[]) => run(till, 'ama', ['ledger', 'find', ...words], http);
    const list = (...args: string[]) => run(till, 'ama', ['ledger', 'list', ...args], http);
    const message = 'merchant: expected one of demo-shop, found “abena”.';
    for (const unknown of [await find('merchant:abena'), await list('--merchant', 'abena')])
      expect([unknown.code, unknown.err.includes(message)]).toEqual([1, true]);
    for (const found of [
      await find('merchant:demo', 'status:waiting'),
      await find('from:2026-03-06T09:00', 'to:2026-03-06T09:01'),
      await find('when:today'),
      await list('--when', 'today', '--merchant', 'dem'),
    ])
      expect(found.out).toContain('shown: 1 of 1 collection');
    expect((await find('when:yesterday')).out).toContain('no collection found');
    expect((await find('status:lost')).err).toContain('status: expected one of');
    expect((await list('--when', 'today', '--from', '2026-03-06')).err).toContain('choose one of --when');
  }
});

test("a list, a search, a caller and an explanation of one merchant's payments have its time zone and name it; JSON stays in UTC", async () => {
  const till = await createTill({
    configure(config) {
      withStaff(config);
      for (const merchant of config.merchants) merchant.timeZone = 'Africa/Lagos';
    },
  });
  const { id } = await till.prompted(payer);
  for (const more of [[], ['--db', 'till']]) {
    const read = async (...args: string[]) => (await run(till, 'ama', ['ledger', ...args, ...more])).out;
    const list = await read('list', '--merchant', 'demo-shop');
    expect(list).toContain('opened (Africa/Lagos)');
    expect(list).toMatch(/ 2026-03-06 10:0\d:[\d.]+\s/);
    expect(await read('list')).toMatch(/opened \(UTC\).*\n.* 2026-03-06 09:0\d:/);
    const span = ['--from', '2026-03-06T10:00', '--to', '2026-03-06T10:30'];
    expect(await read('list', '--merchant', 'demo-shop', ...span)).toContain(id);
    expect(await read('list', ...span)).not.toContain(id);
    const shown = await read('show', id);
    expect(shown).toMatch(/^Next check 10:\d\d Africa\/Lagos, watched until /m);
    expect(shown).toMatch(/timeline \(Africa\/Lagos\)\n {2}2026-03-06 10:0\d:/);
    for (const args of [
      ['find', payer],
      ['caller', payer],
    ])
      expect(await read(...args)).toMatch(/opened \(Africa\/Lagos\).*\n.* 2026-03-06 10:0\d:/);
    expect(await read('caller', payer)).toMatch(/last dialled 2026-03-06 10:0\d:\S+ Africa\/Lagos/);
    const json = await read('show', id, '--json');
    expect(json).toMatch(/"text": "Next check 09:\d\d:\d\d UTC/);
    expect(json).not.toContain('Lagos');
    expect(await read('list', '--merchant', 'demo-shop', '--json')).toMatch(/"openedAt": "2026-03-06T09:0/);
  }
});
