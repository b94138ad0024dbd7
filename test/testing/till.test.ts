import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTill, type TillOptions } from '../../src/testing/index.ts';
import { temporaryFolder } from '../kit/folder.ts';

const menu = 'fixtures/menus/shop.yaml';
const nalo = { aggregator: 'nalo', serviceCode: '*920*5#' };

async function opened(options: Partial<TillOptions> = {}) {
  const till = await createTill({ menu, ...options });
  onTestFinished(() => till.close());
  return { till, phone: till.phone('0244123456') };
}

test('a lost reply leaves the phone unchanged, and the repeated request returns the same reply', async () => {
  const { phone } = await opened();
  await phone.dial();
  const { text: repeated } = await phone.send('1');
  const confirm = await phone.send('20');
  phone.drop();
  expect(phone.screen()).toBe(repeated);
  expect(phone.ended()).toBe(false);
  expect(await phone.repeat()).toEqual(confirm);
  const end = await phone.send('1');
  phone.drop();
  expect(await phone.repeat()).toEqual(end);
  expect(phone.ended()).toBe(true);
});

test('after an end notice no session is open, and no collection is created', async () => {
  const { phone, till } = await opened({
    channel: { aggregator: 'wigal-v1', serviceCode: '*718*5#' },
  });
  await phone.dial();
  await phone.send('1');
  await phone.leave();
  expect(phone.ended()).toBe(true);
  await expect(phone.send('20')).rejects.toThrow('the session has ended');
  await till.advance('10m');
  expect(await till.collected('0244123456')).toEqual([]);
});

const unmarked = {
  request: { method: 'GET', session: 's', number: 'm', input: 'i', first: { field: 't', is: '1' } },
};
const withoutNotices = {
  ...{ aggregator: 'generic', serviceCode: '*713*5#' },
  settings: { ...unmarked, reply: { continue: 'C{text}', end: 'E{text}' } },
};

test.each([
  ['an aggregator', nalo],
  ['a generic channel', withoutNotices],
])('for %s without end notices, leave and timeout end the session and send nothing', async (_, channel) => {
  for (const end of ['leave', 'timeout'] as const) {
    const { phone, till } = await opened({ channel });
    await expect(phone[end]()).rejects.toThrow('no code was dialled yet');
    await phone.dial();
    await phone.send('1');
    await phone[end]();
    expect(phone.ended()).toBe(true);
    await expect(phone.send('20')).rejects.toThrow('the session has ended');
    await till.advance('10m');
    expect((await phone.dial()).kind).toBe('continue');
  }
});

test('a phone waits before each input, so that an equal input is not a repeat', async () => {
  const { phone } = await opened({ channel: nalo });
  await phone.dial();
  await phone.send('9');
  await phone.send('9');
  expect((await phone.repeat()).kind).toBe('continue');
  expect((await phone.send('9')).text).toContain('Too many invalid entries');
});

test('a prompt arrives at the payer, and a declined prompt fails the collection', async () => {
  const { phone, till } = await opened();
  await phone.dial('*713*5*2*0201234567*2*35#');
  await phone.send('1');
  await expect(phone.prompt()).rejects.toThrow('no prompt arrived within 30 s');
  const prompt = await phone.prompt({ msisdn: '0201234567' });
  await expect(prompt.approve('0000')).rejects.toThrow();
  await prompt.decline();
  expect(await phone.untilStatus('failed')).toMatchObject({ payer: '0201234567', dialler: '0244123456' });
  expect(await till.collected('0201234567')).toHaveLength(1);
});

test('a different screen is reported line by line', async () => {
  const { phone } = await opened();
  await phone.dial();
  expect(() => phone.expectScreen(phone.screen())).not.toThrow();
  expect(() => phone.expectScreen(phone.screen().replace('Demo Shop', 'Other Shop'))).toThrow(
    '- Other Shop\n+ Demo Shop\n  1. Pay with this number\n',
  );
  expect(() => phone.expectEnd()).toThrow(
    'expected the end of the session, found a screen that waits for an input',
  );
});

test('an unanswered prompt expires when the clock advances', async () => {
  const { phone, till } = await opened();
  await phone.dial('*713*5*1*20#');
  await phone.send('1');
  await phone.prompt();
  await till.advance('6m');
  expect(await phone.collection()).toMatchObject({ status: 'expired' });
});

test.each<[string, Partial<TillOptions>, string]>([
  ['a missing menu', { menu: 'none.yaml' }, 'none.yaml:1: expected a readable file'],
  ['a merchant without a name', { merchant: '' }, 'merchant: expected 1 to 20 plain letters'],
  [
    'an unknown aggregator',
    { channel: { ...nalo, aggregator: 'nola' } },
    'channel.aggregator: expected one of africastalking',
  ],
  ['an invalid code', { channel: { ...nalo, serviceCode: '920' } }, 'channel.serviceCode: expected a'],
  [
    'settings that the aggregator does not have',
    { channel: { ...nalo, aggregator: 'generic', settings: { request: {} } } },
    'channel.settings.reply: expected a map with continue and end',
  ],
  [
    'an attendant without a number',
    { attendants: ['Ama'] },
    'attendants[0]: expected a mobile number in quotes',
  ],
  ['a price in cedis', { fees: [{ priceMinor: 20.5, feeMinor: 0 }] }, 'fees[0].priceMinor: expected a whole'],
  ['a limit that does not exist', { limits: { payers: 1 } as object }, 'limits.payers: unknown key'],
  ['a lifetime without a unit', { promptLifetime: '5' }, 'promptLifetime: expected a time from 1s to 12h'],
])('%s is rejected with the name of the option', async (_, options, message) => {
  await expect(createTill({ menu, ...options })).rejects.toThrow(message);
});

test.each<[string, unknown, RegExp]>([
  ['no options', undefined, /^expected the options of a till, such as \{ menu: 'menu.yaml' \}$/],
  ['no menu', {}, /^menu: expected the path of a menu file, such as menu.yaml$/],
  [
    'a definition of a menu',
    { menu: { start: 'main', screens: {} } },
    /^menu: expected the path of a menu file/,
  ],
  [
    'an unknown option',
    { menu, seed: 7 },
    /^seed: unknown option; the options are menu, handlers, lookups, merchant,/,
  ],
  ['several', { menus: menu, time: 'noon' }, /^menu: .+\ntime: .+\nmenus: unknown option/],
  ['no function', { menu, lookups: { bill: {} } }, /^lookups.bill: expected a function$/],
])('a program without types learns from the error: %s', async (_, options, message) => {
  await expect(createTill(options as TillOptions)).rejects.toThrow(message);
});

test('the label of an option stands for its key, as in a transcript', async () => {
  const { phone } = await opened();
  await phone.dial();
  const labelled = await phone.send('pay with this number');
  await phone.dial();
  expect(await phone.send('1')).toEqual(labelled);
  await phone.send('20');
  expect(await phone.send('Yes')).toMatchObject({ kind: 'end' });
  await (await phone.prompt()).approve();
  expect(await phone.untilStatus('paid')).toMatchObject({ goodsMinor: 2_000 });
});

test('a closed till leaves no files, even when closed twice or during a payment', async () => {
  const place = temporaryFolder();
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const till = await createTill({ menu });
  expect(readdirSync(place)).toHaveLength(1);
  const phone = till.phone('0244123456');
  await phone.dial('*713*5*1*20#');
  await phone.send('1');
  await Promise.all([till.close(), till.close()]);
  expect(readdirSync(place)).toEqual([]);
});

test('until advances the clock to a time, and the next dial or input arrives exactly then', async () => {
  const { phone, till } = await opened({ time: '2026-03-06T09:00:00Z' });
  await phone.until('2026-03-06T09:00:59.900Z');
  await phone.dial();
  expect(phone.dialledAt()).toBe(Date.parse('2026-03-06T09:00:59.900Z'));
  await phone.send('1');
  await phone.send('20');
  // A past time adds no wait and no time to read.
  await phone.until('2026-03-06T09:01:00Z');
  await phone.send('1');
  const [{ openedAt } = { openedAt: 0 }] = await till.collected('0244123456');
  expect(openedAt).toBe(Date.parse('2026-03-06T09:01:04.900Z'));
  await expect(phone.until('2026-03-08T09:00:00Z')).rejects.toThrow('more than 24 hours away');
  await expect(phone.until('noon')).rejects.toThrow('expected a time in quotes');
});
