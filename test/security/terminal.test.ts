import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import { protectOutput, table } from '../../src/cli/terminal/output.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { run } from '../cli/support.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { readUnplaced, runLedger } from '../kit/staff-command.ts';
import { createTill } from '../kit/till.ts';
import { compiled } from '../process/compiled.ts';
import { rehearse, session, writeSession } from '../testing/session-files.ts';

/**
 * A title (OSC), a clipboard write (OSC 52), a clear, a colour, C0 and C1 controls, DEL, a change of the writing
 * direction, an invisible character, and a noncharacter.
 */
const hostile =
  'A\u001b]0;title\u0007\u001b]52;c;cm0=\u001b\\\u001b[2J\u001b[31m\u0008\r\u009b2K\u009d0;t\u009c\u007f\u202epay\u2066\u200b\ufdd6Z';

/** The styles that the program itself prints on a terminal. */
const esc = '\u001b';
const ownStyles = new RegExp(`${esc}\\[(1|22|2|36|32|33|31|39)m`, 'g');

/** Expects a text without effect on a terminal, and the own styles only on one. */
function expectInert(out: string, { tty }: { tty: boolean }): void {
  expect((tty ? out.replace(ownStyles, '') : out).match(/[^\P{C}\n]/gu)).toBeNull();
}

const outputs = [{ tty: true }, { tty: false }];

test.each(outputs)('no control or formatting character is written, except a line break: %j', ({ tty }) => {
  const stream = Object.assign(new PassThrough(), { isTTY: tty });
  const output = protectOutput(stream);
  for (let code = 0; code <= 0xffff; code++) {
    const one = String.fromCharCode(code);
    if (/[\p{C}]/u.test(one) && one !== '\n' && (code < 0xfdd0 || code > 0xfddb)) output.write(`<${one}>`);
  }
  expectInert(String(stream.read()), { tty: false });
});

test('a value is shown with its characters escaped, and colours nothing', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true });
  const output = protectOutput(stream);
  output.write(output.paint('green', 'ok'));
  output.write(' \u001b[31m red\u202e\n');
  expect(String(stream.read())).toBe('\u001b[32mok\u001b[39m \\u001b[31m red\\u202e\n');
});

test('a value of a table cannot look like another row', () => {
  expect(table((_, text) => text, [['name'], ['a\npaid  GHS 5.00']])).toBe('name\na paid  GHS 5.00\n');
});

/** Returns the database of a till with a paid collection, an unplaced event, and hostile texts in all of them. */
async function hostileLedger() {
  const till = await createTill();
  const { id } = await till.paidPayment();
  const { file } = till.config.database;
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.pragma('ignore_check_constraints = ON');
  // The gateway ends when a trigger is missing, so they are back before it can see the change.
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  db.exec('BEGIN IMMEDIATE');
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
  const columns: [table: string, ...columns: string[]][] = [
    ['collection', 'reference', 'network', 'channel', 'reason', 'review', 'paid_at', 'amount_source'],
    ['turn', 'input', 'screen', 'ussd_ref', 'channel'],
    ['inbox', 'type', 'event_id'],
    ['posting', 'booking', 'account'],
  ];
  for (const [name, ...texts] of columns) {
    const sets = texts.map((text) => `${text} = ? || rowid`).join(', ');
    db.prepare(`UPDATE ${name} SET ${sets}`).run(...texts.map(() => hostile));
  }
  db.prepare(
    `INSERT INTO inbox (merchant_id, event_id, livemode, type, session_id, body, received_at, state, lease_until, attempts, stale)
     VALUES (?, ?, 0, ?, ?, '{}', 0, 'dead', 0, 0, 0)`,
  ).run(hostile, hostile, hostile, hostile);
  db.prepare(
    `INSERT INTO unplaced_payment (id, merchant_id, livemode, charge, session_id, event_id, event_type, state, version, suspended_minor,
       reference, client_trans_id, channel, paid_at, reason, note, received_at, updated_at)
     VALUES ('unp_hostile', 'demo-shop', 0, 1, ?, ?, ?, 'open', 1, 0, ?, ?, ?, ?, ?, ?, 0, 0)`,
  ).run(...Array.from({ length: 9 }, () => hostile));
  for (const { sql } of triggers) db.exec(sql);
  db.exec('COMMIT');
  return { file, id };
}

test('no ledger command writes a control or formatting character that is stored', async () => {
  const { file, id } = await hostileLedger();
  const commands = [
    ...[
      ['show', id],
      ['show', id, '--json'],
      ['find', '0244123456'],
      ['find', '0244123456', '--json'],
    ],
    ...[['reviews'], ['balances'], ['balances', '--json'], ['verify']],
    ['verify', '--json'],
    ['find', hostile],
  ];
  for (const command of commands) {
    for (const options of outputs) {
      const ran = await runLedger(file, command, {}, options);
      expect(ran.err).toBe('');
      expect(ran.out).not.toBe('');
      expectInert(ran.out, options);
    }
  }
});

test('no unplaced command writes a control or formatting character that is stored', async () => {
  const { file } = await hostileLedger();
  for (const command of [
    ['events'],
    ['events', '--json'],
    ['list'],
    ['list', '--json'],
    ['show', 'unp_hostile'],
  ]) {
    for (const options of outputs) {
      const ran = await readUnplaced(file, command, options);
      expect(ran.err).toBe('');
      expect(ran.out).not.toBe('');
      expectInert(ran.out, options);
    }
  }
});

test.each([
  ['export', '--csv'],
  ['show', 'ID', '--as-transcript'],
])('the data of ledger %s %s is inert on a terminal, and unchanged in a file', async (...command) => {
  const { file, id } = await hostileLedger();
  const [shown, stored] = await Promise.all(
    outputs.map((options) =>
      runLedger(
        file,
        command.map((word) => word.replace('ID', id)),
        {},
        options,
      ),
    ),
  );
  expectInert(shown?.out ?? '', { tty: true });
  expect(shown?.out.length).toBeGreaterThan(100);
  if (command[0] === 'export') expect(stored?.out).toContain(hostile);
});

test('no menu command writes a control or formatting character of a menu', async () => {
  const file = join(temporaryFolder(), 'menu.yaml');
  const text = JSON.stringify(hostile);
  writeFileSync(
    file,
    `languages: [en]
start: a
screens:
  a: { kind: choose, text: ${text}, options: [{ label: ${text}, to: b }, { label: ${text}, to: ${text} }] }
  b: { kind: end, text: ${text} }
  ${text}: { kind: end, text: ${text} }
`,
  );
  for (const command of [
    ['check', file],
    ['check', file, '--json'],
    ['graph', file],
    ['check', '--graph', file],
  ]) {
    for (const options of outputs) {
      const ran = await runCommand(
        ['menu', ...command],
        (program, streams) =>
          registerMenu(program, {
            ...streams,
            clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
            loadWithoutSecrets: () => {
              throw new Error('none');
            },
          }),
        options,
      );
      expectInert(ran.out, options);
      expectInert(ran.err, options);
      expect(`${ran.out}${ran.err}`.length).toBeGreaterThan(10);
    }
  }
});

test('rehearse writes no control or formatting character of a transcript', async () => {
  const screen = writeSession(
    session.replace('  - screen: |', `  - screen: ${JSON.stringify(hostile)}\n  - screen: |`),
  );
  const key = writeSession(`${session}${JSON.stringify(hostile)}: 1\n`);
  for (const options of outputs) {
    for (const file of [screen, key]) {
      const { out, code } = await rehearse([file], options);
      expect(code).toBe(1);
      expect(out).toContain('Z');
      expectInert(out, options);
    }
  }
});

/** A service whose responses have hostile texts in all fields that are texts. */
async function hostileService(): Promise<string> {
  const { url } = await startServer((response) => {
    const error = { code: hostile, message: hostile, request_id: hostile, param: hostile };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  return url;
}

test('no command of the service writes a control or formatting character of an error', async () => {
  const url = await hostileService();
  const env = { DIALTILL_SERVICE_URL: url, DIALTILL_ADMIN_TOKEN: 'token-of-the-test-service' };
  const groups = 'merchants platforms keys fees senders webhook sessions reviews deliveries'.split(' ');
  for (const args of [...groups.map((group) => [group]), ['clock'], ['messages', '0244123456']]) {
    for (const options of outputs) {
      const { out, err } = await run(args, { env, ...options });
      // The program prints an error through the same output: see the last test.
      expectInert(out, options);
      expect(err).not.toBe('');
    }
  }
});

test('errors of the program, and help for a wrong command, are inert', () => {
  for (const args of [
    ['ledger', 'find', hostile, '--db', `/nowhere/${hostile}`],
    [hostile],
    ['ledger', hostile],
  ]) {
    const words = args.map((word) => word.replaceAll('\0', ''));
    const { stdout, stderr } = spawnSync(process.execPath, [compiled('src/cli/main.ts'), ...words], {
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`.length).toBeGreaterThan(10);
    expectInert(`${stdout}${stderr}`, { tty: false });
  }
});

test('only the entry points touch the streams of the process, so every command writes through the protection', () => {
  const { stdout } = spawnSync(
    'git',
    ['grep', '-lE', 'process\\.(stdout|stderr)|console\\.(log|info|warn|error|debug|trace)\\(', '--', 'src'],
    { encoding: 'utf8' },
  );
  // The health check prints its own texts and codes of the system, and main the version of Node: nothing that they received.
  expect(stdout.trim().split('\n')).toEqual([
    'src/cli/health-check.ts',
    'src/cli/main.ts',
    'src/cli/program.ts',
  ]);
  const program = readFileSync('src/cli/program.ts', 'utf8');
  for (const stream of ['stdout', 'stderr'])
    expect(program).toMatch(new RegExp(`^const ${stream} = protectOutput\\(process\\.${stream}\\b`, 'm'));
});
