import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aggregatorNames, aggregators } from '../../src/aggregators/registry.ts';
import { loadDescribedChannels } from '../../src/certify/fixture.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { createSilentLog } from '../kit/log.ts';
import { notSet, run, secrets, writeConfig } from './certify-support.ts';

/** Changes one expected value of a copy of all fixtures, and returns the folder of the copy. */
function fixturesWith(file: string, change: (fixture: { answer: { body: object } }) => void): string {
  const folder = temporaryFolder();
  cpSync('fixtures/aggregators', folder, { recursive: true });
  const fixture = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  change(fixture);
  writeFileSync(join(folder, file), JSON.stringify(fixture));
  return folder;
}

/** Starts a gateway with the configuration, on a free port. */
async function serve(file: string): Promise<string> {
  const config = loadConfig(file, {}, aggregators);
  const listen = { ...config.listen, port: 0 };
  const log = createSilentLog();
  const { url, stop } = await serveGateway({ ...config, listen }, { log, onBroken: () => {} });
  onTestFinished(stop);
  return url;
}

/** Sets the folder for temporary files during one test. */
function stubTemporaryFolder(): string {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return folder;
}

const secretWords = [
  ...Object.values(secrets),
  'Zp4kWt81sVbQyN60dHcJm3xR',
  'nXh3c8hbS0uAm2vRkqT9eZwDyQ1oLf7P',
];

function expectNoSecret(text: string): void {
  expect(secretWords.filter((word) => text.includes(word))).toEqual([]);
}

const certifiedNames = [...aggregatorNames, ...loadDescribedChannels().map(({ id }) => id)];

test('--all certifies every supported aggregator, with one line for each, and leaves no files', async () => {
  const place = stubTemporaryFolder();
  const { out, err, code } = await run(['certify', '--all']);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  const lines = out.trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ +/)[1])).toEqual(certifiedNames);
  for (const line of lines)
    expect(line).toMatch(/^ok {6}\S+ {2,}\S.* {2}[1-9]\d* fixtures, [6789] exchanges$/);
  expect(readdirSync(place)).toEqual([]);
});

test('one changed value in a fixture fails the certification and is reported', async () => {
  const fixtures = fixturesWith('nalo/dial.json', ({ answer }) => {
    Object.assign(answer.body, { MSGTYPE: false });
  });
  const { out, code } = await run(['certify', '--all'], { fixtures });
  expect(code).toBe(1);
  const lines = out.split('\n').filter((line) => !line.startsWith('ok '));
  expect(lines[0]).toMatch(/^- nalo\/dial\.json {2}/);
  expect(lines[1]).toBe('  answer.body.MSGTYPE: expected false, got true');
  expect(lines[2]).toMatch(/^failed {2}nalo/);
  expect(lines.slice(3)).toEqual(['']);
});

test('an unreadable fixture fails its aggregator, and --verbose prints every exchange', async () => {
  const fixtures = fixturesWith('nalo/dial.json', (fixture) => Object.assign(fixture, { surplus: 1 }));
  const { out, code } = await run(['certify', '--all', '--verbose'], { fixtures });
  expect(code).toBe(1);
  expect(out).toMatch(/\n {2}fixtures: .*nalo\/dial\.json: .*surplus/);
  expect(out.match(/^failed .*$/gm)).toEqual([
    expect.stringMatching(/^failed {2}nalo .* 0 fixtures, 7 exchanges$/),
  ]);
  expect(out.match(/^\+ first dial$/gm)).toHaveLength(certifiedNames.length);
});

test('--json prints one object with fixtures, requests, answers and deviations', async () => {
  const file = writeConfig(temporaryFolder());
  const { out } = await run(['certify', 'shop-nalo', '--config', file, '--offline', '--json']);
  const { ok, certified } = JSON.parse(out);
  expect({ ok, count: certified.length }).toEqual({ ok: true, count: 1 });
  const [one] = certified;
  expect(one).toMatchObject({
    ok: true,
    name: 'shop-nalo',
    aggregator: 'nalo',
    title: 'Nalo Solutions',
    problems: [],
  });
  expect(one.fixtures).toContainEqual({
    file: 'nalo/dial.json',
    about: 'The first request carries the whole dialled string.',
    problems: [],
  });
  expect(one.exchanges[0]).toEqual({
    name: 'first dial',
    request: {
      method: 'POST',
      path: '/ussd/shop-nalo/***',
      contentType: 'application/json',
      body: expect.stringMatching(/"MSISDN":"233240000000".*"SESSIONID":"certify-\w+"/),
    },
    answer: {
      status: 200,
      contentType: 'application/json',
      body: expect.stringContaining('Abena Stores'),
      ms: expect.any(Number),
    },
    problems: [],
  });
  expectNoSecret(out);
});

test.each([['shop-nalo'], ['shop-wigal']])(
  '--offline certifies %s without its gateway, its database and its allowFrom',
  async (channel) => {
    const place = stubTemporaryFolder();
    const folder = temporaryFolder();
    const file = writeConfig(folder);
    const { out, err, code } = await run(['certify', channel, '--config', file, '--offline']);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out).toMatch(new RegExp(`\nok {6}${channel} .* fixtures, [78] exchanges\n$`));
    expect(readdirSync(folder)).toEqual(['dialtill.yaml']);
    expect(readdirSync(place).filter((name) => name.startsWith('dialtill-certify-'))).toEqual([]);
    expectNoSecret(out);
  },
);

test('a running gateway is certified, every exchange is printed, and no collection is created', async () => {
  const folder = temporaryFolder();
  const file = writeConfig(folder);
  const url = await serve(file);
  const asked = ['certify', 'shop-nalo', '--config', file, '--gateway', `${url}/`, '--msisdn', '0201234567'];
  const { out, err, code } = await run(asked);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  expect(out).toContain('+ nalo/dial.json  The first request carries the whole dialled string.\n');
  expect(out).toMatch(
    /\+ first dial\n {2}> POST \/ussd\/shop-nalo\/\*{3} application\/json\n {4}\{.*"MSISDN":"233201234567".*\}\n {2}< 200 application\/json \(\d+ ms\)\n {4}\{.*Abena Stores.*\}\n/,
  );
  expect(out).toMatch(/\+ oversize body\n.*\n {4}0{60}\.\.\. \(71680 characters\)\n {2}< 200/);
  expect(out).toMatch(/\+ wrong secret\n {2}> POST \/ussd\/shop-nalo\/wrong-secret .*\n.*\n {2}< 404/);
  expectNoSecret(out);
  const store = createSqliteReader(join(folder, 'gateway.db'));
  onTestFinished(() => store.close());
  expect(await findCollections(store, '0201234567')).toEqual([]);
  expect(await store.read.all('SELECT DISTINCT dialler FROM turn')).toEqual([['233201234567']]);
});

test('a gateway without the channel has its own error', async () => {
  const file = writeConfig(temporaryFolder());
  const url = await serve(file);
  const { out, code } = await run(['certify', 'shop-wigal', '--config', file, '--gateway', url]);
  expect(code).toBe(1);
  expect(out).toContain('  status: expected 200, got 404\n');
  expect(out).toContain(
    `channel: expected a channel of the gateway at ${url}, got 404: if its allowFrom excludes`,
  );
  expect(out).toMatch(/\nfailed {2}shop-wigal /);
  expectNoSecret(out);
});

test('a missing gateway is reported with how to start one and how to certify without it', async () => {
  const file = writeConfig(temporaryFolder());
  const { out, err, code } = await run(['certify', 'shop-nalo', '--config', file]);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(err).toMatch(/^no gateway at http:\/\/127\.0\.0\.1:1 \(.+\)\n/);
  expect(err).toContain(`npx dialtill start --config ${file}\n`);
  expect(err).toContain(`npx dialtill certify shop-nalo --config ${file} --offline\n`);
  expectNoSecret(err);
});

test.each([
  [[], 'expected the id of a configured channel, or --all'],
  [['shop-nalo', '--all'], '--all certifies every supported aggregator'],
  [['--all', '--offline'], '--all certifies every supported aggregator'],
  [['shop-nalo', '--gateway', 'localhost'], '--gateway: expected a URL'],
  [['shop-nalo', '--gateway', 'http://10.0.0.7:8080'], 'the secret of the channel would cross the network'],
  [['shop-nalo', '--gateway', 'http://127.0.0.1:1', '--offline'], 'choose one of --offline and --gateway'],
  [['shop-nalo', '--msisdn', '12'], '--msisdn: expected a Ghanaian mobile number'],
  [['shop-glo'], 'no channel shop-glo; the configured channels are shop-nalo, shop-wigal'],
  [['shop-nalo', '--nonsense'], "unknown option '--nonsense'"],
])('certify %j is wrong usage', async (args, said) => {
  const file = writeConfig(temporaryFolder());
  const config = args.includes('--all') ? [] : ['--config', file];
  const { err, code } = await run(['certify', ...args, ...config]);
  expect(code).toBe(2);
  expect(err).toContain(said);
});

test('colours are for terminals', async () => {
  const file = writeConfig(temporaryFolder());
  const asked = ['certify', 'shop-nalo', '--config', file, '--offline'];
  expect((await run(asked, { tty: true })).out).toContain('\u001b[32mok');
  expect((await run(asked)).out).not.toContain('\u001b');
});

test('the help has examples and exit codes', async () => {
  const { out, code } = await run(['certify', '--help']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /Examples:\n {2}\$ dialtill certify .*Exit codes:\n {2}0 {2}every reply is as the aggregator expects\n/s,
  );
});

test('--offline needs no secrets', async () => {
  const file = writeConfig(temporaryFolder());
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(secrets.nalo, notSet));
  const offline = await run(['certify', 'shop-nalo', '--config', file, '--offline']);
  expect(offline).toMatchObject({ err: '', code: 0 });
  const online = await run(['certify', 'shop-nalo', '--config', file]);
  expect(online.err).toContain('expected NOT_SET or NOT_SET_FILE in the environment');
});

test('a gateway that is recovering after a restore is reported as such, and not certified', async () => {
  const { url } = await startServer((response) => response.end('{"status":"ready","recovering":true}'));
  const file = writeConfig(temporaryFolder());
  const { out, err, code } = await run(['certify', 'shop-nalo', '--config', file, '--gateway', url]);
  expect({ out, code }).toEqual({ out: '', code: 1 });
  expect(err).toBe(
    `the gateway at ${url} is recovering after a restore, and starts no dialogues until then\n` +
      `certify the channel again when it has ended: npx dialtill health --url ${url}\n`,
  );
});
