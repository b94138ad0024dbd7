import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { aggregatorNames, aggregators } from '../../src/aggregators/registry.ts';
import { registerCertify } from '../../src/cli/commands/certify/certify.ts';
import { templates } from '../../src/cli/commands/init/choices.ts';
import { registerInit } from '../../src/cli/commands/init/init.ts';
import { findFreePort } from '../../src/cli/commands/init/project-files.ts';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import { findGatewayOrKey } from '../../src/cli/staff/find-gateway.ts';
import { askLedger } from '../../src/cli/staff/open-ledger.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { endpointList } from '../../src/contract/staff/merchant-system.ts';
import { loadConfig, loadWithoutSecrets } from '../../src/gateway/config/load.ts';
import { findWeakSecrets } from '../../src/gateway/config/secrets.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { runCommand, type Streams } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { listenLocally } from '../kit/local-server.ts';

const clock = systemClock();
const ids = systemIds(clock);

type Typed = {
  answers?: readonly string[];
  tty?: boolean;
  freePort?: (first: number) => Promise<number>;
};

/** Runs `dialtill init`. Each answer is typed after the question before it. */
function init(
  args: readonly string[],
  { answers, tty = answers !== undefined, freePort = async (first) => first }: Typed = {},
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  for (const answer of answers ?? []) stdin.write(`${answer}\n`);
  if (answers) stdin.end();
  const register = (program: Parameters<typeof registerInit>[0], streams: Streams) =>
    registerInit(program, { ...streams, stdin, clock, ids, freePort });
  return runCommand(['init', ...args], register, { tty });
}

function readProject(folder: string) {
  const env = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
  const file = join(folder, 'dialtill.yaml');
  return { file, load: () => loadConfig(file, env, aggregators) };
}

test.each(templates.map(({ name }) => name))(
  'template %s gives a project without findings',
  async (template) => {
    const folder = join(temporaryFolder(), 'till');
    expect(await init([folder, '--yes', '--template', template])).toMatchObject({ err: '', code: 0 });
    const { file, load } = readProject(folder);
    const config = load();
    expect(findWeakSecrets(config)).toEqual([]);
    const checked = await runCommand(
      ['menu', 'check', join(folder, 'menu.yaml'), '--config', file],
      (program, streams) =>
        registerMenu(program, {
          ...streams,
          loadWithoutSecrets: load,
          clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
        }),
    );
    expect(checked).toMatchObject({ err: '', code: 0 });
  },
);

test.each(aggregatorNames)('a project with %s passes certify --offline', async (aggregator) => {
  const folder = temporaryFolder();
  const args = [
    folder,
    '--yes',
    '--aggregator',
    aggregator,
    '--name',
    "Abena's Stores",
    '--code',
    '*920*77#',
  ];
  expect(await init(args)).toMatchObject({ err: '', code: 0 });
  const { file, load } = readProject(folder);
  const { merchants, channels } = load();
  expect(merchants).toMatchObject([{ id: 'abena-s-stores', name: "Abena's Stores" }]);
  expect(channels).toMatchObject([
    { id: `abena-s-stores-${aggregator}`, aggregator, serviceCode: '*920*77#' },
  ]);
  const certified = await runCommand(
    ['certify', `abena-s-stores-${aggregator}`, '--offline'],
    (program, streams) =>
      registerCertify(program, {
        ...streams,
        clock,
        ids,
        fetch,
        loadConfig: load,
        loadWithoutSecrets: () => loadWithoutSecrets(file, {}, aggregators),
      }),
  );
  expect(certified).toMatchObject({ err: '', code: 0 });
});

test('only the owner can read the secrets, git ignores them, and they are not printed', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.gitignore'), 'node_modules');
  const { out } = await init([folder, '--yes']);
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('node_modules\n.env\ndata/\n');
  const secrets = Object.values(parseEnv(readFileSync(join(folder, '.env'), 'utf8')));
  expect(secrets).toHaveLength(5);
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThanOrEqual(40);
    expect(out).not.toContain(secret);
    expect(readFileSync(join(folder, 'dialtill.yaml'), 'utf8')).not.toContain(secret);
  }
});

test.each([
  ['by the option', ['--yes', '--system'], undefined],
  [
    'by the answer',
    ['--name', 'Shop', '--template', 'shop', '--code', '*713*5#', '--aggregator', 'nalo'],
    ['yes'],
  ],
])(
  'a merchant with a system gets a receiver, its endpoint, and the secret in .env: %s',
  async (_, args, answers) => {
    const folder = temporaryFolder();
    const { out, err, code } = await init([folder, ...args], answers === undefined ? {} : { answers });
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(readFileSync(join(folder, 'hooks.mjs'), 'utf8')).toBe(
      readFileSync('fixtures/receivers/hooks.mjs', 'utf8'),
    );
    const env = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
    expect(env).toMatchObject({ HOOKS_PORT: '3000', HOOKS_SECRET: expect.stringMatching(/^whsec_.{40}/) });
    expect(out).not.toContain(env.HOOKS_SECRET);
    expect(out).toContain('node --env-file=.env hooks.mjs');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    const fetch: typeof globalThis.fetch = (input, init = {}) =>
      askLedger(join(folder, 'dialtill.yaml'), env, { path: new URL(String(input)).pathname, init });
    const access = findGatewayOrKey({ config: join(folder, 'dialtill.yaml') }, { ...env, HOME: folder });
    const { data } = await createStaffClient({ fetch, clock }, access).get('/endpoints', endpointList);
    expect(data).toMatchObject([{ url: 'http://127.0.0.1:3000/hooks', state: 'active', wholePayer: false }]);
  },
);

test('with --service and --system, the endpoint does not need the secrets of the service', async () => {
  const folder = temporaryFolder();
  const args = [folder, '--yes', '--json', '--system', '--service', 'https://payments.example.com/'];
  const { out, code } = await init(args);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ endpointUrl: 'http://127.0.0.1:3000/hooks' });
  expect(parseEnv(readFileSync(join(folder, '.env'), 'utf8'))).toMatchObject({
    ...{ MERCHANT_KEY: '', MERCHANT_WEBHOOK_SECRET: '' },
    HOOKS_SECRET: expect.stringMatching(/^whsec_/),
  });
});

test('each port of a project is written once, and is one that is free', async () => {
  const folder = temporaryFolder();
  const taken = createServer();
  const { port } = await listenLocally(taken);
  const next = await findFreePort(port);
  expect(next).not.toBe(port);
  const freePort = async (first: number) => (first === 8080 ? next : first);
  await init([folder, '--yes', '--system'], { freePort });
  const text = ['dialtill.yaml', '.env', 'hooks.mjs']
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  for (const one of [next, 8090]) expect(text.split(`${one}`)).toHaveLength(2);
  expect(text).not.toContain('8080');
  const { phone, console: pages, listen } = readProject(folder).load();
  expect([listen.port, phone?.publicUrl, pages?.publicUrl]).toEqual([
    ...[next, `http://127.0.0.1:${next}`, `http://127.0.0.1:${next}`],
  ]);
});

test('an existing file stops the command, and nothing is written', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'menu.yaml'), 'mine');
  const { err, code } = await init([folder, '--yes']);
  expect({ err, code }).toEqual({
    err: `${folder} already has menu.yaml. Nothing was changed. Choose another folder: dialtill init <folder>\n`,
    code: 1,
  });
  expect(readFileSync(join(folder, 'menu.yaml'), 'utf8')).toBe('mine');
  expect(existsSync(join(folder, 'dialtill.yaml'))).toBe(false);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('on a terminal, the command asks what no option states, and asks again after an invalid answer', async () => {
  const folder = temporaryFolder();
  const answers = ['Kofi & Daughters', 'cinema', 'tickets', '713', '*713*8#', 'maybe', ''];
  const { out, code } = await init([folder, '--aggregator', 'hubtel'], { answers: [...answers] });
  expect(code).toBe(0);
  expect(out).toContain('Name of the merchant, as payers see it [My Shop]: ');
  expect(out).toContain('expected one of shop, school, church, meter, tickets');
  expect(out).not.toContain('USSD aggregator [');
  expect(out).toContain('expected one of yes, no');
  expect(existsSync(join(folder, 'hooks.mjs'))).toBe(false);
  const { merchants, channels } = readProject(folder).load();
  expect(merchants).toMatchObject([{ id: 'kofi-daughters', name: 'Kofi & Daughters' }]);
  expect(channels).toMatchObject([{ aggregator: 'hubtel', serviceCode: '*713*8#' }]);
  expect(readFileSync(join(folder, 'menu.yaml'), 'utf8')).toContain('Tickets of {merchant}');
});

test('a person who leaves creates no project', async () => {
  const folder = temporaryFolder();
  const { err, code } = await init([folder], { answers: ['Kofi'] });
  expect({ err, code }).toEqual({ err: 'no project was created\n', code: 1 });
  expect(existsSync(join(folder, 'dialtill.yaml'))).toBe(false);
});

test('without a terminal, the command asks for --yes', async () => {
  const { err, code } = await init([temporaryFolder()]);
  expect({ err, code }).toEqual({
    err: 'the questions need a terminal: add --yes to use the defaults\n',
    code: 2,
  });
});

test.each([
  [['--name', 'Ɔdɔ'], '--name: expected a letter'],
  [['--template', 'bar'], '--template: expected one of shop'],
  [['--aggregator', 'x'], '--aggregator: expected one of africastalking'],
  [['--code', '713'], '--code: expected a service code such as *713*5#, found 713'],
])('%j is rejected', async (args, message) => {
  const folder = temporaryFolder();
  const { err, code } = await init([folder, '--yes', ...args]);
  expect(err).toContain(message);
  expect(code).toBe(2);
  expect(existsSync(join(folder, 'dialtill.yaml'))).toBe(false);
});

test('with --service, the project has no sandbox, and .env has empty values for what the service gives', async () => {
  const folder = temporaryFolder();
  const { out, code } = await init([folder, '--yes', '--json', '--service', 'https://payments.example.com/']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    folder,
    files: ['dialtill.yaml', 'menu.yaml', '.env', '.gitignore'],
    gatewayUrl: 'http://127.0.0.1:8080',
    callbackUrl: 'http://127.0.0.1:8080/ussd/my-shop-africastalking/***',
    webhookUrl: 'http://127.0.0.1:8080/webhooks/my-shop',
  });
  const { load } = readProject(folder);
  expect(load).toThrow('expected MERCHANT_KEY or MERCHANT_KEY_FILE in the environment');
  expect(existsSync(join(folder, 'data'))).toBe(false);
});
