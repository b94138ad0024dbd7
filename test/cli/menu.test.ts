import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { type CommandResult, runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { writeConfig } from './certify-support.ts';

const shop = 'fixtures/menus/shop.yaml';
const tickets = 'fixtures/menus/tickets.yaml';

/** Runs `dialtill menu` as the program does. */
function run(args: readonly string[], tty = false): Promise<CommandResult> {
  const rest = {
    loadWithoutSecrets: (file: string) => loadConfig(file, {}, aggregators),
    clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
  };
  return runCommand(['menu', ...args], (program, streams) => registerMenu(program, { ...rest, ...streams }), {
    tty,
  });
}

describe('menu check', () => {
  test('the included menus have no findings on any aggregator, and print one line each', async () => {
    const { out, err, code } = await run(['check', shop, tickets]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const line = (file: string, screens: number, languages: string) =>
      `ok ${file} ${screens} screens, ${languages}, \\d+ states, longest screen \\S+ in \\w+: \\d+ of \\d+ septets, \\d inputs to the farthest end screen\n`;
    expect(out).toMatch(new RegExp(`^${line(shop, 7, '2 languages')}${line(tickets, 7, '1 language')}$`));
  });

  test('a finding prints its line, its screen and the inputs that lead to it', async () => {
    const { out, code } = await run(['check', shop, '--limit', '100']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^fixtures\/menus\/shop\.yaml:8\d done \(en\): too_long: 10\d septets, \d over 100 \(--limit\) - type 1 > [\d.]+ > (# > )?1( - with fee: known)?$/m,
    );
    expect(out).toMatch(/^failed fixtures\/menus\/shop\.yaml \d+ findings, 7 screens, /m);
  });

  test('a finding about a built-in message prints the name of the message', async () => {
    const { out } = await run(['check', shop, '--limit', '100']);
    expect(out).toMatch(
      /^fixtures\/menus\/shop\.yaml:\d+ \(promptSentAgain\) \(en\): too_long: 117 septets, 17 over 100/m,
    );
  });

  test('a finding prints the lookup result that leads to it', async () => {
    const file = join(temporaryFolder(), 'menu.yaml');
    const text = readFileSync('test/menu/broken/no_fallback.yaml', 'utf8');
    writeFileSync(file, text.replace(/found:[\s\S]*- amount/, 'found: fees').replace('notFound', 'fallback'));
    const { out } = await run(['check', file]);
    expect(out).toContain('confirm: lost: ');
    expect(out).toContain(' - type 102030 > 1 - with record: found; due unknown or GHS 0.00\n');
  });

  test('a last day in the past is a finding from the day after it', async () => {
    const file = join(temporaryFolder(), 'menu.yaml');
    const option = (until: string) =>
      readFileSync('test/menu/broken/never_open.yaml', 'utf8').replace(
        /when:.*/,
        `when: { until: ${until} }`,
      );
    writeFileSync(file, option('2026-03-06'));
    expect(await run(['check', file])).toMatchObject({ code: 0 });
    writeFileSync(file, option('2026-03-05'));
    const { out, code } = await run(['check', file]);
    expect({ out, code }).toEqual({ out: expect.stringContaining('welcome: never_open: '), code: 1 });
    expect(out).toContain('found none: until 2026-03-05');
  });

  test('a terminal receives colours, and a pipe does not', async () => {
    expect((await run(['check', shop], true)).out).toContain('\u001b[32mok');
    expect((await run(['check', shop])).out).not.toContain('\u001b');
  });

  test('--json prints one object with the findings of each file', async () => {
    const { out, code } = await run(['check', shop, 'test/menu/broken/loop.yaml', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      menus: [
        {
          ok: true,
          file: shop,
          screens: 7,
          languages: ['en', 'tw'],
          inputs: 3,
          findings: [],
        },
        {
          ok: false,
          findings: [
            { kind: 'loop', screen: 'help', line: 27, path: 'screens.help' },
            { kind: 'loop', screen: 'advice', line: 33, path: 'screens.advice' },
          ],
        },
      ],
    });
  });

  test('--max-inputs limits the inputs to an end screen', async () => {
    expect((await run(['check', shop, '--max-inputs', '3'])).code).toBe(0);
    const { out, code } = await run(['check', shop, '--max-inputs', '2']);
    expect(code).toBe(1);
    expect(out).toContain('done: too_many_inputs: expected at most 2 inputs to this screen, found 3');
  });

  test('--config checks with the configured channels, names and approvals', async () => {
    const folder = temporaryFolder();
    const config = writeConfig(folder);
    expect(await run(['check', shop, '--config', config])).toMatchObject({ code: 0, err: '' });

    const tight = join(folder, 'tight.yaml');
    const settings = readFileSync(config, 'utf8').replace(
      'aggregator: nalo,',
      'aggregator: nalo, textLimit: 85,',
    );
    writeFileSync(tight, settings.replace('environment:', 'approvals: { mtn: "Dial *170#" }\nenvironment:'));
    const { out, code } = await run(['check', shop, '--config', tight]);
    expect(code).toBe(1);
    expect(out).toContain('over 85 (shop-nalo)');
    expect(out).not.toContain('shop-wigal');
  });

  test.each([
    ['no file', ['check']],
    ['a limit that no channel can have', ['check', shop, '--limit', '59']],
    ['a limit that is not a number', ['check', shop, '--limit', 'tiny']],
    ['no inputs', ['check', shop, '--max-inputs', '0']],
    ['a limit and a configuration', ['check', shop, '--limit', '120', '--config', 'dialtill.yaml']],
    ['a flowchart and JSON', ['check', shop, '--graph', '--json']],
  ])('%s is invalid usage', async (_, args) => {
    const { out, code } = await run(args);
    expect({ out, code }).toEqual({ out: '', code: 2 });
  });

  test('a menu that no configured channel uses is invalid usage', async () => {
    const config = writeConfig(temporaryFolder());
    const { out, err, code } = await run(['check', tickets, '--config', config]);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toBe(`no channel of ${config} uses the menu of ${tickets}\n`);
  });

  test('a missing file and an invalid menu have findings like any other', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'no\u001b[2Jmenu.yaml');
    writeFileSync(file, 'start: a\nscreens: [');
    const { out, code } = await run(['check', resolve(folder, 'gone.yaml'), file]);
    expect(code).toBe(1);
    expect(out).toContain('gone.yaml:1: invalid: expected a readable file\n');
    expect(out).toContain('menu.yaml:2: invalid: not YAML');
    expect(out).not.toContain('\u001b');
  });
});

describe('menu graph', () => {
  const odd = `languages: [en]
start: amount
screens:
  amount:
    kind: ask
    answer: amount
    min: "1.00"
    max: "5.00"
    text: '<b>"Amount"</b> & more]'
    to: confirm
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: Thanks }
`;

  test('a menu is printed as a Mermaid flowchart', async () => {
    const { out, code } = await run(['graph', shop]);
    expect(code).toBe(0);
    expect(out).toContain('flowchart TD\n  dial((dial)) --> s0\n  s0["welcome<br/>#123;merchant#125;"]\n');
    expect(out).toContain('  s0 -- "1" --> s4\n');
    expect(out).toContain('  s5 -- "yes" --> s6\n');
  });

  test('a text never changes the structure of a flowchart', async () => {
    const file = join(temporaryFolder(), 'odd.yaml');
    writeFileSync(file, odd);
    const mermaid = (await run(['graph', file])).out;
    expect(mermaid).toContain('"amount<br/>#60;b#62;#34;Amount#34;#60;#47;b#62; #38; more#93;"');
  });

  const fees = 'fixtures/menus/school-fees.yaml';

  test('a lookup has its own shape, and one edge for each result', async () => {
    const { out } = await run(['graph', fees]);
    expect(out).toContain('[("record<br/>#47;students")]\n');
    const id = (name: string) => new RegExp(`(s\\d+)[^a-z]+${name}<br`).exec(out)?.[1];
    const arrow = (from: string, label: string, to: string) => `  ${id(from)} -- "${label}" --> ${id(to)}\n`;
    expect(out).toContain(arrow('record', 'found, due above GHS 0.00', 'fees'));
    expect(out).toContain(arrow('record', 'found, due is known', 'settled'));
    expect(out).toContain(arrow('record', 'not found', 'unknown'));
    expect(out).toContain(arrow('record', 'no answer', 'unreachable'));
    expect(out).toContain(arrow('fees', 'each of fees if item.due above GHS 0.00, 2', 'confirm'));
    expect(out).toContain(arrow('welcome', '2 if attendant', 'paid'));
    expect(out).toContain('[["paid<br/>');
  });

  test('check --graph prints flowcharts of clean menus, and the findings of others', async () => {
    const drawn = await run(['check', shop, '--graph']);
    expect(drawn).toEqual({ ...(await run(['graph', shop])), code: 0 });
    const { out, code } = await run(['check', 'test/menu/broken/no_fallback.yaml', '--graph']);
    expect(code).toBe(1);
    expect(out).toMatch(/^test\/menu\/broken\/no_fallback\.yaml:12 record: no_fallback: .*\nfailed .*\n$/);
  });

  test('an invalid menu prints its errors and no flowchart', async () => {
    const { out, err, code } = await run(['graph', 'test/menu/broken/invalid.yaml']);
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toContain('invalid.yaml:11:5 screens.amount.to: expected the name of a screen');
  });
});
