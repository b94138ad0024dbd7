import { writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readTranscriptHead } from '../../src/gateway/support/transcript/read-head.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { runLedger } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';
import { rehearse } from './session-files.ts';

/** A number that is not an example in a menu. */
const payer = '0249876543';

/** Runs `dialtill ledger show <id> …` next to the gateway, with a configuration or with only the database. @throws Error when it fails. */
async function show(till: Till, id: string, args: readonly string[], config?: string): Promise<string> {
  const { out, err, code } = await runLedger(till.config.database.file, ['show', id, ...args], {
    loadTranscriptHead: async (_, channel) =>
      config === undefined ? {} : readTranscriptHead(config, channel),
  });
  if (code !== 0) throw new Error(err);
  return out;
}

/** Writes a configuration with the parts that a transcript needs, without secrets. */
function writeConfig(till: Till): string {
  const file = join(till.folder, 'dialtill.yaml');
  const channels = till.config.channels.map(
    ({ id, aggregator, serviceCode }) =>
      `  - { id: ${id}, aggregator: ${aggregator}, serviceCode: '${serviceCode}', merchant: demo-shop, secret: "\${NONE}" }`,
  );
  const menu = resolve('fixtures/menus/shop.yaml');
  writeFileSync(
    file,
    `merchants: [{ id: demo-shop, name: Demo Shop, menu: ${menu} }]\nchannels:\n${channels.join('\n')}\n`,
  );
  return file;
}

/** Rehearses a text as a transcript in this folder, so that its menu is found. */
async function rehearsed(text: string) {
  const file = join(temporaryFolder(), 'exported.yaml');
  const menu = relative(join(file, '..'), resolve('fixtures/menus/shop.yaml'));
  writeFileSync(file, text.replace(/^menu: .*$/m, `menu: ${menu}`));
  return rehearse([file]);
}

test.each([
  ['on a channel with cumulative text', 'africastalking'],
  ['on a channel that sends the last input alone', 'nalo'],
])('a payment %s that is printed from the ledger has no differences in a rehearsal', async (_, channel) => {
  const till = await createTill();
  await till.pay(payer, ['3', 'inv-12', 'INV-2047', '20', '1'], channel);
  await till.untilStatus(payer, 'initiated');
  const { id } = await till.approved(payer);
  const text = await show(till, id, ['--as-transcript'], writeConfig(till));
  expect(text).toContain("- send: 'inv-12'\n");
  expect(text).toContain(
    "- expect: { status: paid, amount: '20.00' }\n".replace('{ ', '\n      ').slice(0, 9),
  );
  const { out, code } = await rehearsed(text);
  expect({ out: out.replace(/ {2}\S*exported/, '  exported'), code }).toEqual({
    out: 'ok      exported.yaml  6 screens, paid\n',
    code: 0,
  });
});

test('a direct-dial string, a prompt on another phone and a redial are printed unchanged', async () => {
  const till = await createTill();
  const code = till.config.channels.find(({ id }) => id === 'nalo')?.serviceCode ?? '';
  const directDial = till.session(payer, 'nalo', {
    session: 'n-1',
    dialled: code.replace('#', '*2*0201234567#'),
  });
  await directDial.walk(['2', '20', '1']);
  await till.untilStatus(payer, 'initiated');
  const again = till.session(payer, 'nalo', { session: 'n-2' });
  const answers = await again.walk(['8', '2', '0201234567', '2', '30', '1']);
  expect(answers.at(0)?.body).toContain('8. New payment');
  expect(answers.at(-1)?.body).toContain('is already waiting');
  await till.approve('0201234567');
  const { id } = await till.untilStatus(payer, 'paid');
  const text = await show(till, id, ['--as-transcript'], writeConfig(till));
  expect(text).toContain("- dial: '*920*5*2*0201234567#'");
  expect(text).toContain("- prompt:\n      msisdn: '0201234567'");
  expect((await rehearsed(text)).out).toMatch(/^ok .* 11 screens, paid\n$/);
});

test('without a configuration, the transcript has a head to complete', async () => {
  const till = await createTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  const text = await show(till, id, ['--as-transcript']);
  expect(text).toMatch(/^# From the ledger\. Fill in the menu/);
  for (const line of ['menu: FILL-IN', 'merchant: FILL-IN', 'aggregator: FILL-IN'])
    expect(text).toContain(line);
  const filled = text
    .replace('merchant: FILL-IN', 'merchant: Demo Shop')
    .replace('aggregator: FILL-IN', 'aggregator: africastalking')
    .replaceAll('*000#', '*713*5#');
  expect((await rehearsed(filled)).code).toBe(0);
});

test('--masked prints no number and no reference in any spelling, and the transcript can be rehearsed', async () => {
  const till = await createTill();
  await till.pay(payer, ['2', '+233 20 123 4567', '2', '35.50', '1']);
  await till.untilStatus(payer, 'initiated');
  await till.approve('0201234567');
  const { id } = await till.untilStatus(payer, 'paid');
  const text = await show(till, id, ['--as-transcript', '--masked'], writeConfig(till));
  expect(text).toContain("msisdn: '0244000000'");
  expect(text).toContain('menu: shop.yaml\n');
  expect(text).toContain("- send: '0204000001'");
  expect(text).toContain('from 0204000001?');
  expect(text.replaceAll(/\D/g, '')).not.toMatch(/249876543|201234567/);
  expect(text).toContain("- send: '35.50'");
  expect((await rehearsed(text)).out).toMatch(/^ok .* 6 screens, paid\n$/);
});

test('--masked keeps the numbers and examples of the menu', async () => {
  const till = await createTill();
  await till.pay(payer, ['2', '0201234567', '2', '20', '1']);
  const { id } = await till.only(payer);
  const text = await show(till, id, ['--as-transcript', '--masked']);
  expect(text).toContain('Number that pays, such as 0244123456:');
});

test('--masked hides references, mistyped numbers and free text, and valid inputs stay valid', async () => {
  const till = await createTill();
  await till.pay(payer, ['3', '024412345', 'inv-2047', '20', '1']);
  const { id } = await till.only(payer);
  const text = await show(till, id, ['--as-transcript', '--masked'], writeConfig(till));
  expect(text).toContain("- send: '000000000'");
  // In the form of the example on the screen, so that the menu accepts it.
  expect(text).toContain("- send: 'inv-1234'");
  expect(text).toContain('Bill INV-1234');
  expect(text).toContain("- send: '20'");
  expect(text).not.toMatch(/inv-2047|24412345/i);
  expect((await rehearsed(text)).code).toBe(0);
});

test('conflicting options are rejected', async () => {
  const till = await createTill();
  await till.pay(payer);
  const { id } = await till.only(payer);
  await expect(show(till, id, ['--masked'])).rejects.toThrow('--masked needs --as-transcript');
  await expect(show(till, id, ['--as-transcript', '--json'])).rejects.toThrow('choose one of');
});
