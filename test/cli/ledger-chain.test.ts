import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configuredSealKeys, expectationReader } from '../../src/cli/chain.ts';
import { registerRestore } from '../../src/cli/commands/backup.ts';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { createSealKey } from '../../src/gateway/ledger/seal-key.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { earlierLedger, publicKey, sealSecret, tampered } from '../gateway/ledger/tampering.ts';
import { testClock } from '../kit/clock.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';

/** Runs `dialtill ledger` or `dialtill restore` as the program does. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  return runCommand(args, (program, streams) => {
    const deps = {
      ...streams,
      clock: testClock(),
      database: ({ db }: { db?: string }) => ({ file: db ?? '' }),
      readExpectation: expectationReader(env),
      sealKeys: (options: { config?: string; db?: string }) => configuredSealKeys(options, env),
    };
    registerLedger(program, deps);
    registerRestore(program, deps);
  });
}

function writeConfig(section: string): string {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, `environment: test\nledger: ${section}\nmerchants: [{ key: "\${MISSING}" }]\n`);
  return file;
}

/** The key is the environment variable KEY. */
const sealKeyFromKey = `{ sealKey: "\${KEY}" }`;

const headOf = (file: string) => {
  const database = new Database(file);
  const head = database.prepare('SELECT hash FROM seal ORDER BY number DESC LIMIT 1').pluck().get();
  database.close();
  return String(head);
};
const forged = (file: Database) => file.exec('UPDATE seal SET signature = NULL, key_id = NULL');

test('verify finds a noted head, and reports how many rows came after it', async () => {
  const file = await tampered(() => {});
  const { code, out } = await run([
    'ledger',
    'verify',
    '--db',
    file,
    '--head',
    headOf(await earlierLedger()),
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(/\nnoted head: block \d+, \d+ rows written since\nledger: ok\n$/);
  expect(out).toMatch(
    /\nsignatures: not checked, because no public key is known \(\d+ blocks signed, 0 not signed\)\n/,
  );

  const gone = await run(['ledger', 'verify', '--db', file, '--head', 'ab'.repeat(32)]);
  expect(gone.code).toBe(1);
  expect(gone.out).toContain(`head: no block has the hash ${'ab'.repeat(32)}`);
  expect(await run(['ledger', 'verify', '--db', file, '--head', 'ab'])).toMatchObject({ code: 2 });
});

test.each([
  ['the secret of the configuration', sealKeyFromKey, { KEY: sealSecret }],
  [
    'a public key of the configuration, without the secret',
    `{ sealKey: "\${KEY}", publicKeys: [${publicKey}] }`,
    {},
  ],
])('verify checks the signatures with %s', async (_, section, env: Record<string, string>) => {
  const config = writeConfig(section);
  const good = await run(['ledger', 'verify', '--db', await tampered(() => {}), '--config', config], env);
  expect(good).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nsignatures: \d+ blocks signed, 0 not signed\n/),
  });
  const bad = await run(['ledger', 'verify', '--db', await tampered(forged), '--config', config], env);
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/^seals 1 to \d+: not signed\. If signing began later, set ledger\.signedFrom/);
});

test('verify accepts a key up to the block that it signed last', async () => {
  const file = await tampered(() => {});
  const verify = (key: string) => run(['ledger', 'verify', '--db', file, '--public-key', key]);
  expect(await verify(`${publicKey}:1`)).toMatchObject({
    ...{
      code: 1,
      out: expect.stringMatching(/^seals 2 to \d+: signed after the last block of its key/),
    },
  });
  expect(await verify(`${publicKey}:1000`)).toMatchObject({ code: 0 });
  expect(await verify(`${publicKey}:x`)).toMatchObject({ code: 2 });
});

test('restore --check verifies the signatures and a noted head', async () => {
  const file = await earlierLedger();
  const key = ['--public-key', publicKey];
  const good = await run(['restore', file, '--check', ...key, '--head', headOf(file), '--db', 'none']);
  expect(good).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /\nsignatures +\d+ blocks signed, 0 not signed\nnot sealed +0 rows\nnoted head +block \d+, 0 rows written since\n/,
    ),
  });
  const head = headOf(await tampered(() => {}));
  const older = await run(['restore', file, '--check', ...key, '--head', head, '--db', 'none']);
  expect(older).toMatchObject({ code: 1, out: expect.stringMatching(/fault +head: no block has the hash/) });
  const bad = await run(['restore', await tampered(forged), '--check', ...key, '--db', 'none']);
  expect(bad).toMatchObject({ code: 1, out: expect.stringMatching(/fault +seals 1 to \d+: not signed/) });
});

test('seal-key prints the public key of the configured key, and a new key with its secret', async () => {
  const config = writeConfig(sealKeyFromKey);
  const { id } = createSealKey(sealSecret);
  const known = await run(['ledger', 'seal-key', '--config', config], { KEY: sealSecret });
  expect(known).toMatchObject({ code: 0, out: `key id      ${id}\npublic key  ${publicKey}\n` });
  expect(await run(['ledger', 'seal-key', '--config', config])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ledger.sealKey is not configured'),
  });
  const { out } = await run(['ledger', 'seal-key', '--new', '--json']);
  const made = JSON.parse(out);
  expect(createSealKey(made.secret)).toMatchObject({ id: made.id, publicKey: made.publicKey });
  expect((await run(['ledger', 'seal-key', '--new'])).out).toMatch(
    /^key id +\S{16}\npublic key +\S{43}\nsecret +\S{44} {3}\(/,
  );
});
