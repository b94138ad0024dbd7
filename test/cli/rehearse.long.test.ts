import { appendFileSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../kit/folder.ts';
import { changed, rehearse, session, textOf, writeSession } from '../testing/session-files.ts';

/** The transcript with the actual screens. */
let right = '';

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-'));
  try {
    const file = writeSession(session, folder);
    expect(await rehearse([file, '--update'])).toMatchObject({ err: '', code: 0 });
    right = textOf(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a transcript without differences prints one line and exits with 0', async () => {
  const file = writeSession(right);
  expect(await rehearse([file])).toEqual({ out: `ok      ${file}  3 screens, paid\n`, err: '', code: 0 });
});

test('a different screen is reported with its file and line, and both texts line by line', async () => {
  const file = writeSession(changed(right, '1. Small', '1. Tiny'));
  const { out, code } = await rehearse([file]);
  expect(code).toBe(1);
  expect(out).toBe(
    `failed  ${file}  3 screens, paid\n` +
      `  ${file}:9  screen differs (- expected, + actual)\n` +
      '      Abena Stores\n    - 1. Tiny\n    + 1. Small\n      2. Large\n',
  );
});

test('--update replaces different screens and keeps every other byte, including comments', async () => {
  const file = writeSession(changed(changed(right, '1. Small', '1. Tiny'), 'Approve', 'Agree to'));
  expect(right).toContain('# A small payment.');
  expect(right).toContain('# The large one.');
  expect(right).toContain("- send: '1' # confirm\n");
  expect(await rehearse([file, '--update'])).toEqual({
    out: `ok      ${file}  3 screens, paid, 2 updated\n`,
    err: '',
    code: 0,
  });
  expect(textOf(file)).toBe(right);
});

test('--update does not write a file without differences', async () => {
  const odd = `${right}  -   { wait:   1s }   # as its author wrote it\n`;
  const file = writeSession(odd);
  expect((await rehearse([file, '--update'])).code).toBe(0);
  expect(textOf(file)).toBe(odd);
});

test('a missing screen is a difference, and --update inserts it', async () => {
  const without = right.replace(/ {2}- screen: \|\n {6}Pay(.*\n)+?(?= {2}-)/, '');
  expect(without.length).toBeLessThan(right.length);
  const file = writeSession(without);
  const { out, code } = await rehearse([file]);
  expect(code).toBe(1);
  expect(out).toContain(`${file}:14  expected screen, end or drop as the next step (--update writes it)\n`);
  expect((await rehearse([file, '--update'])).code).toBe(0);
  expect(textOf(file)).toBe(right);
});

test('a screen step at the end of the session is a difference, and --update renames it', async () => {
  const file = writeSession(changed(right, '- end: |', '- screen: |'));
  expect((await rehearse([file])).out).toContain(
    'expected a screen that waits for an input, found the end of the session',
  );
  expect((await rehearse([file, '--update'])).code).toBe(0);
  expect(textOf(file)).toBe(right);
});

const wrongSteps = [
  {
    what: 'a prompt with another amount',
    from: 'amount: 50.50',
    to: 'amount: 50.00',
    message: 'prompt.amount: expected GHS 50.00, found GHS 50.50',
    at: '- prompt: { amount: 50.00 }',
  },
  {
    what: 'another price',
    from: 'amount: 50.00',
    to: 'amount: 5',
    message: 'expect.amount: expected GHS 5.00, found GHS 50.00',
    at: '- expect: ',
  },
  {
    what: 'another status',
    from: 'status: paid',
    to: 'status: failed',
    message: 'expect: expected failed, found paid',
    at: '- expect: ',
  },
  {
    what: 'an unexpected payment',
    from: 'status: paid',
    to: 'status: none',
    message: 'expect.status: expected none, found paid',
    at: '- expect: ',
  },
  {
    what: 'an input after the end',
    from: "- approve: '1234'",
    to: "- send: '3'",
    message: 'send: the session has ended: dial again',
    at: "- send: '3'",
  },
  {
    what: 'a decision without a prompt',
    from: '- prompt: { amount: 50.50 }',
    to: '- wait: 5s',
    message: 'approve: expected a prompt step before it',
    at: '- approve: ',
  },
  {
    what: 'a wrong PIN',
    from: "- approve: '1234'",
    to: "- approve: '0000'",
    message: 'approve: ',
    at: "- approve: '0000'",
  },
  {
    what: 'an end notice before the first dial',
    from: "- dial: '*713*5#'",
    to: '- leave',
    message: 'leave: no code was dialled yet',
    at: '- leave',
  },
];

test.each(wrongSteps)('$what is reported with its line, and --update does not hide it', async (one) => {
  const file = writeSession(changed(right, one.from, one.to));
  for (const options of [[], ['--update']]) {
    const { out, code } = await rehearse([file, ...options]);
    expect(code).toBe(1);
    const [, line, message] = /^ {2}\S+:(\d+) {2}(.*)$/m.exec(out) ?? [];
    expect(message?.startsWith(one.message)).toBe(true);
    expect(textOf(file).split('\n')[Number(line) - 1]?.trim().startsWith(one.at)).toBe(true);
  }
});

test.each([
  [
    'an unknown step',
    '- prompt: { amount: 50.50 }',
    '- promt',
    'steps[6]: expected one of dial, send, screen',
  ],
  [
    'two steps in one',
    "- send: '2'",
    "- { send: '2', drop: }",
    'steps[2]: expected one of dial, send, screen',
  ],
  ['an unknown key', 'amount: 50.50', 'sum: 50.50', 'steps[6].prompt.sum: unknown key'],
  ['a key without quotes', "send: '2'", 'send: 2', "steps[2].send: expected an input in quotes, such as '1'"],
  ['a number without quotes', "'0244123456'", '0244123456', 'msisdn: expected a mobile number in quotes'],
  ['an invalid code', "dial: '*713*5#'", "dial: '713'", 'steps[0].dial: expected a code in quotes'],
  ['an unknown aggregator', 'africastalking', 'africa', 'channel.aggregator: expected one of africastalking'],
  [
    'an unknown status',
    'status: paid',
    'status: payed',
    'steps[8].expect.status: expected one of none, accepted',
  ],
  [
    'an invalid PIN',
    "approve: '1234'",
    "approve: '12345'",
    'steps[7].approve: expected a PIN of four digits',
  ],
  ['a missing menu', 'small.yaml', 'tiny.yaml', 'menu: expected a readable menu file'],
  ['a merchant without a name', 'merchant: Abena Stores\n', '', 'merchant: expected'],
])('%s is an error with its line, and the transcript is not played', async (_, from, to, message) => {
  const file = writeSession(changed(session, from, to));
  const { out, code } = await rehearse([file, '--update']);
  expect(code).toBe(1);
  const [head, ...errors] = out.trimEnd().split('\n');
  expect(head).toBe(`failed  ${file}  not played`);
  expect(errors).toHaveLength(1);
  expect(errors[0]?.trim().startsWith(`${file}:`)).toBe(true);
  expect(errors[0]).toContain(message);
  const line = Number(/:(\d+)(?::\d+)? /.exec(errors[0] ?? '')?.[1]);
  if (to !== '') expect(textOf(file).split('\n')[line - 1]).toContain(to.split('\n')[0]);
});

test('errors of the menu are reported with the lines of the menu', async () => {
  const file = writeSession(session);
  const menu = join(dirname(file), 'menus/small.yaml');
  appendFileSync(menu, '  done: { kind: end, text: Again }\n');
  const { out, code } = await rehearse([file]);
  expect(code).toBe(1);
  expect(out).toContain(`  ${menu}:12:3 screens.done: duplicate key`);
});

test.each([
  ['too many steps', '  - repeat\n'.repeat(1_000), 'steps: expected at most 1000 steps'],
  ['a wait of more than a day', '  - wait: 25h\n', 'expected a time of at most 24h'],
  ['an invalid time', '  - until: noon\n', 'expected a time in quotes'],
  ['a screen that is too long', `  - screen: ${'x'.repeat(1_001)}\n`, 'at most 1000 characters'],
])('%s is rejected', async (_, more, message) => {
  const file = writeSession(`${session}${more}`);
  const { out, code } = await rehearse([file]);
  expect(code).toBe(1);
  expect(out).toContain(message);
});

test('folders are searched, each transcript is played once, and --json prints one object', async () => {
  const folder = join(temporaryFolder(), 'sessions');
  cpSync(dirname(writeSession(right)), folder, { recursive: true });
  renameSync(join(folder, 'pay.yaml'), join(folder, 'a.yaml'));
  writeFileSync(join(folder, 'b.yaml'), changed(right, 'Abena Stores\n      1', 'Other\n      1'));
  const files = ['a.yaml', 'b.yaml'].map((name) => join(folder, name));
  const { out, code } = await rehearse([...files, join(folder, 'a.yaml'), '--json']);
  expect(code).toBe(1);
  const result = JSON.parse(out);
  expect(result.ok).toBe(false);
  expect(result.sessions.map((one: { file: string }) => one.file)).toEqual(files);
  expect(result.sessions[0]).toMatchObject({ ok: true, screens: 3, status: 'paid', differences: [] });
  expect(result.sessions[1].differences).toEqual([
    {
      line: 9,
      message: 'screen differs',
      expected: 'Other\n1. Small\n2. Large',
      actual: 'Abena Stores\n1. Small\n2. Large',
    },
  ]);
  // A menu in a folder of transcripts is reported as an invalid transcript.
  const all = await rehearse([folder]);
  expect(all.out).toContain(`failed  ${join(folder, 'menus/small.yaml')}  not played`);
});

test('invalid usage exits with 2 and prints the expected arguments', async () => {
  const empty = temporaryFolder();
  expect(await rehearse(['none.yaml'])).toMatchObject({
    out: '',
    err: 'none.yaml: expected a transcript or a folder with transcripts\n',
    code: 2,
  });
  expect((await rehearse([empty])).code).toBe(2);
  expect((await rehearse([])).code).toBe(2);
  expect(await rehearse(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes:') });
});

test('a difference is coloured on a terminal and plain in a pipe', async () => {
  const file = writeSession(changed(right, '1. Small', '1. Tiny'));
  const colour = String.fromCharCode(27);
  expect((await rehearse([file], { tty: true })).out).toContain(`${colour}[31m- 1. Tiny${colour}[39m`);
  expect((await rehearse([file])).out).not.toContain(colour);
});

test.each(['menu.ts', 'menu.mts', 'menu.js', 'menu.mjs'])(
  'a program that a transcript names (%s) runs only with --allow-programs',
  async (name) => {
    const file = writeSession(right);
    const folder = dirname(file);
    const [, menuPath = ''] = /^menu: (.*)$/m.exec(right) ?? [];
    const ran = join(folder, 'ran');
    const menu = JSON.stringify(parse(textOf(join(folder, menuPath))));
    writeFileSync(
      join(folder, name),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(ran)}, '');\nexport default ${menu};\n`,
    );
    writeFileSync(file, right.replace(menuPath, name));

    const rejected = await rehearse([file]);
    expect(rejected.code).toBe(1);
    expect(rejected.out).toContain(
      `${file}:${lineOf(right, 'menu:')}:1 menu: expected a menu in YAML, found a program, which this command would run. If you trust it, add --allow-programs`,
    );
    expect(existsSync(ran)).toBe(false);
    expect((await rehearse([file, '--update'])).code).toBe(1);
    expect(existsSync(ran)).toBe(false);

    expect(await rehearse([file, '--allow-programs'])).toMatchObject({ err: '', code: 0 });
    expect(existsSync(ran)).toBe(true);
  },
);

test('a menu in YAML does not run a program that it includes', async () => {
  const file = writeSession(right);
  const folder = dirname(file);
  const [, menuPath = ''] = /^menu: (.*)$/m.exec(right) ?? [];
  const ran = join(folder, 'ran');
  writeFileSync(join(folder, 'part.ts'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`);
  appendFileSync(join(folder, menuPath), `include: [${JSON.stringify(join(folder, 'part.ts'))}]\n`);
  expect((await rehearse([file, '--allow-programs'])).code).toBe(1);
  expect(existsSync(ran)).toBe(false);
});

function lineOf(text: string, start: string): number {
  return text.split('\n').findIndex((line) => line.startsWith(start)) + 1;
}
