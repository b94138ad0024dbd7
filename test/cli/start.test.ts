import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerStart } from '../../src/cli/commands/start.ts';
import { protectOutput, shellWord } from '../../src/cli/terminal/output.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import type { Environment } from '../../src/gateway/config/secrets.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { UsageError } from '../../src/shared/errors.ts';
import { good, env as secrets, write } from '../gateway/config/kit.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { listenLocally } from '../kit/local-server.ts';

type While = (text: string) => Promise<void> | void;

/** Returns the greeting of `dialtill start` as a demo; `whileRunning` runs before the demo stops. */
async function greeting(
  env: Environment,
  args = ['--demo'],
  whileRunning: While = () => {},
): Promise<string> {
  const stdout = new PassThrough();
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const program = new Command();
  const ports = { DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0', DIALTILL_LOG: 'silent' };
  const all = { ...ports, ...env };
  registerStart(program, {
    ...{ env: all, readEnv: () => all, hiddenVariables: () => new Map(), onHangup: () => {} },
    ...{ clock: systemClock(), fetch },
    ...{ stdout: protectOutput(stdout), ended: () => ended },
  });
  const running = program.parseAsync(['start', ...args], { from: 'user' });
  const text = await new Promise<string>((resolve, reject) => {
    stdout.once('data', (chunk) => resolve(String(chunk)));
    running.catch(reject);
  });
  try {
    await whileRunning(text);
  } finally {
    end('SIGTERM');
    await running;
  }
  return text;
}

const bills = `
  languages: [en]
  start: bill
  screens:
    bill: { kind: ask, answer: reference, pattern: '[0-9]+', example: '1234', text: 'Bill:', to: find }
    find: { kind: lookup, url: /bills, take: { due: { amount: '50.00' } }, found: told }
    told: { kind: end, text: 'Due {due}' }
`;

/** A menu file, and a folder for the demo that shows it. */
function ownMenu(text: string) {
  const folder = temporaryFolder();
  const file = join(folder, 'menu.yaml');
  writeFileSync(file, text);
  return { file, env: { DIALTILL_DATA: join(folder, 'data') } };
}

test('the commands that the demo prints find its folder from a second terminal', async () => {
  const data = join(temporaryFolder(), "Ama's data");
  const text = await greeting({ DIALTILL_DATA: data });
  const settings = `DIALTILL_DATA=${shellWord(data)} npx dialtill`;
  for (const command of ["dial '*713*5#'", 'ledger find 0244123456', 'service clock advance 10m']) {
    expect(text).toContain(`    ${settings} ${command}`);
  }
  expect(text).toContain('    npx dialtill service numbers\n');
  expect(text).toMatch(/service +(http\S+) +\(its API: \1\/docs\)/);
});

test('the demo prints the address of its phone, which a browser on this machine opens', async () => {
  const text = await greeting(
    { DIALTILL_DATA: join(temporaryFolder(), 'data') },
    ['--demo'],
    async (shown) => {
      const [, url = ''] = /phone +(http:\/\/127\.0\.0\.1:\d+\/phone) /.exec(shown) ?? [];
      const page = await fetch(url);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain('No real money moves');
    },
  );
  expect(text).toContain('(pay in a browser)');
});

test('the password and the code that the demo prints sign its people in on the command line', async () => {
  await greeting({ DIALTILL_DATA: join(temporaryFolder(), 'data') }, ['--demo'], async (shown) => {
    const [, password, code] = /sign in with the password (\S+) and the code (\d+):/.exec(shown) ?? [];
    const [, name] = /npx dialtill staff sign-in (\w+)/.exec(shown) ?? [];
    const [, url = ''] = /gateway +(http:\S+)/.exec(shown) ?? [];
    const answer = await fetch(`${url}/staff/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password, code }),
    });
    expect(await answer.json()).toMatchObject({ name: 'ama', role: 'lead', token: expect.any(String) });
  });
});

test('they name the configuration of the demo when another configuration would be used instead', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(folder, 'own.yaml'), '');
  const env = { DIALTILL_DATA: data, DIALTILL_CONFIG: join(folder, 'own.yaml') };
  expect(await greeting(env)).toContain(
    `    DIALTILL_CONFIG=${join(data, 'demo.yaml')} DIALTILL_DATA=${data} npx dialtill ledger verify`,
  );
});

test('--menu, --attendant and --lookups set the menu, the attendants and the lookup URL of the demo', async () => {
  const { file, env } = ownMenu(bills);
  const args = ['--menu', file, '--attendant', '0201234567', '0261234567', '--lookups', 'http://127.0.0.1:9'];
  const read = () => loadConfig(join(env.DIALTILL_DATA, 'demo.yaml'), {}, aggregators).merchants[0];
  const text = await greeting(env, args, () => {
    expect(read()).toMatchObject({
      menu: { start: 'bill' },
      attendants: ['233201234567', '233261234567'],
      lookups: { url: 'http://127.0.0.1:9' },
    });
  });
  expect(text).toContain(`  menu      ${file}`);
  expect(text).toContain(`  lookups   http://127.0.0.1:9   (signed by ${read()?.lookups?.secret})`);
});

test("the secret for the demo's lookups is the same at its next start", async () => {
  const { file, env } = ownMenu(bills);
  const secretOf = (text: string) => /signed by (whsec_\S+)\)/.exec(text)?.[1];
  const first = secretOf(await greeting(env, ['--menu', file]));
  expect(first).toBeDefined();
  expect(secretOf(await greeting(env, ['--menu', file]))).toBe(first);
});

test('an error of the menu is reported with its line, and no demo is created', async () => {
  const { file, env } = ownMenu(bills.replace('{due}', '{owed}'));
  await expect(greeting(env, ['--menu', file])).rejects.toThrow(
    `${file}:7:24 screens.told.text: expected no {owed} here`,
  );
  expect(existsSync(env.DIALTILL_DATA)).toBe(false);
});

test.each([
  [['--attendant', '12'], '--attendant: expected a mobile number such as 0201234567, found 12'],
  [['--menu', 'menu.yaml', '--config', 'dialtill.yaml'], 'with --config, set them in the file'],
])('%j is rejected with one sentence', async (args, sentence) => {
  const refused = greeting({ DIALTILL_DATA: temporaryFolder() }, args);
  await expect(refused).rejects.toBeInstanceOf(UsageError);
  await expect(refused).rejects.toThrow(sentence);
});

test.each([
  ['/var/lib/dialtill', '/var/lib/dialtill'],
  ['/tmp/x demo', "'/tmp/x demo'"],
  ["/tmp/Ama's", "'/tmp/Ama'\\''s'"],
  ['$(reboot)', "'$(reboot)'"],
  ['', "''"],
])('%j is one shell word as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test('the demo is not shown to other machines, unless it is told to be', async () => {
  const env = { DIALTILL_HOST: '0.0.0.0', DIALTILL_DATA: join(temporaryFolder(), 'data') };
  await expect(greeting(env, ['--demo'])).rejects.toThrow('the demo would listen on 0.0.0.0 (DIALTILL_HOST)');
  expect(existsSync(env.DIALTILL_DATA)).toBe(false);
  expect(await greeting(env, ['--demo', '--expose-demo'])).toContain('dialtill demo is up');
});

test('a hangup reloads the gateway, and does not end it, also while its sandbox does not answer', async () => {
  const sandbox = createServer();
  const { url } = await listenLocally(sandbox);
  const asked = new Promise<ServerResponse>((resolve) => {
    sandbox.on('request', ({ url: path = '' }, response) => {
      if (path.startsWith('/backoffice/')) resolve(response);
      else response.writeHead(500).end();
    });
  });
  const config = write(
    `${good.replace('http://127.0.0.1:9000/', `${url}\n  simulator: true`)}log: { level: silent }\n`,
  );
  mkdirSync(join(dirname(config), 'data'));
  const token = { DIALTILL_ADMIN_TOKEN: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY' };
  const env = { ...secrets, ...token, DIALTILL_PORT: '0', DIALTILL_DATA: join(dirname(config), 'data') };
  writeFileSync(
    join(env.DIALTILL_DATA, 'sandbox.json'),
    JSON.stringify({ url, advancedMs: 0, startedAt: 0 }),
  );
  const reloads: (() => void)[] = [];
  const program = new Command();
  registerStart(program, {
    ...{ env, readEnv: () => env, hiddenVariables: () => new Map() },
    onHangup: (reload) => reloads.push(reload),
    ...{
      clock: systemClock(),
      fetch,
      stdout: protectOutput(new PassThrough()),
      ended: async () => 'SIGTERM',
    },
  });
  const running = program.parseAsync(['start', '--config', config], { from: 'user' });
  const answer = await Promise.race([asked, running.then(() => undefined)]);
  expect(answer).toBeDefined();
  expect(reloads).toHaveLength(1);
  answer?.writeHead(500).end();
  await running;
});
