import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { liveFaults } from '../../src/cli/service/live/start-live.ts';
import type { CommandResult } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { run } from './support.ts';

const token = 'Xk3vQ9pLm2TzR7wB4nYcD8fJ';
const example = 'fixtures/rails/http-rail.mjs';
const publicUrl = 'https://pay.abena-stores.com.gh';

afterEach(() => void vi.unstubAllEnvs());

type Prompt = { id: string; msisdn: string; amount_minor: number };

/** A payment operator with the API of the example: it has the payer of each prompt approve. */
async function createOperator() {
  const prompts: Prompt[] = [];
  const results = new Map<string, object>();
  const { url } = await startServer((response, { method, path, body }) => {
    const send = (status: number, answer: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const id = path.split('/')[2] ?? '';
    if (method === 'DELETE') results.delete(id);
    if (method !== 'POST') return send(200, { results: [...results.values()] });
    const prompt: Prompt = JSON.parse(body);
    prompts.push(prompt);
    const at = new Date(Date.now()).toISOString();
    results.set(prompt.id, { id: prompt.id, at, outcome: 'approved', charged_minor: prompt.amount_minor });
    send(202, {});
  });
  vi.stubEnv('RAIL_URL', url);
  vi.stubEnv('RAIL_TOKEN', 'of-the-operator');
  return { prompts, results };
}

/** Starts the service in live mode with the example rail. */
async function startLive(folder: string, ...options: string[]) {
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const env = { DIALTILL_ADMIN_TOKEN: token, DIALTILL_LOG: 'silent' };
  const args = [
    'start',
    '--live',
    '--data',
    folder,
    '--port',
    '0',
    '--rail',
    example,
    '--public-url',
    publicUrl,
    ...options,
  ];
  let finished: Promise<CommandResult> | undefined;
  const greeting = await new Promise<string>((resolve, reject) => {
    finished = run(args, { env, ended, onOutput: resolve });
    finished.then(({ err, code }) => code !== 0 && reject(new Error(err)), reject);
  });
  onTestFinished(async () => {
    end('SIGTERM');
    await finished;
  });
  const url = /address +(http:[^ ,]+)/.exec(greeting)?.[1] ?? '';
  const admin = (...more: string[]) => run([...more, '--data', folder], { env });
  return { greeting, url, admin };
}

test('a live session is paid end to end over HTTP, with the rail module of the documents', async () => {
  const { prompts, results } = await createOperator();
  const { url, admin, greeting } = await startLive(join(temporaryFolder(), 'live'));
  expect(greeting).toContain(`for ${publicUrl}`);
  const { id } = JSON.parse((await admin('merchants', 'create', 'Abena Stores', '--json')).out);
  await admin('merchants', 'approve', id);
  const key = (await admin('keys', 'create', '--live', '--quiet')).out.trim();
  expect(key).toMatch(/^sk_live_/);

  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': path,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  // The number would be a magic one in test mode.
  const goods = { mode: 'offline', msisdn: '233244000902', amount_minor: 2_000, network: 'mtn' };
  const created = await call('POST', '/v1/payments/sessions', { ...goods, reference: 'INV-7' });
  const session = `/v1/payments/sessions/${created.id}`;
  expect(await call('POST', `${session}/initiate`, {})).toMatchObject({ status: 'initiated' });
  expect(prompts).toEqual([
    expect.objectContaining({ id: created.id, msisdn: goods.msisdn, amount_minor: 2_020 }),
  ]);
  await expect
    .poll(() => call('GET', `${session}/status`), { timeout: 10_000 })
    .toMatchObject({ status: 'paid' });
  await expect.poll(() => results.size, { timeout: 5_000 }).toBe(0);

  expect((await fetch(`${url}/handset/prompts?msisdn=0244000902`)).status).toBe(404);
  expect((await admin('clock', 'advance', '1m')).err).toContain('test_clock_off');
});

test('a live start without anything lists all that is missing, and starts nothing', async () => {
  const { code, err, out } = await run(['start', '--live', '--port', '0'], { env: {} });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  for (const part of [
    '--rail: ',
    '--public-url: ',
    'DIALTILL_ADMIN_TOKEN (or',
    '--data (or DIALTILL_DATA): ',
  ])
    expect(err).toContain(`  ${part}`);
});

test('a live start rejects weak values of every setting at once', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'sandbox.json'), '{}');
  const rail = join(folder, 'rail.mjs');
  writeFileSync(rail, 'export const createRail = () => ({ push() {} });');
  const args = [
    'start',
    '--live',
    '--data',
    folder,
    '--rail',
    rail,
    '--public-url',
    'http://pay.example.com',
  ];
  const env = { DIALTILL_ADMIN_TOKEN: 'admin-token-0123456789' };
  const { err } = await run([...args, '--trusted-proxy', 'everybody'], { env });
  expect(err.split('\n').slice(1, -2)).toEqual([
    `  --rail: cannot use ${rail}: its rail has no function inquire; its rail has no function round.`,
    expect.stringContaining('--public-url: expected the address'),
    expect.stringContaining(
      '--trusted-proxy: expected an address or a network such as 10.0.0.0/8, found "everybody"',
    ),
    expect.stringContaining('DIALTILL_ADMIN_TOKEN: the admin token contains a common word'),
    expect.stringContaining('belongs to a sandbox or a demo (sandbox.json)'),
  ]);
  expect(readdirSync(folder).sort()).toEqual(['rail.mjs', 'sandbox.json']);
});

test('a folder in memory is rejected, also one that does not exist yet', () => {
  const tmpfs = () => 0x01021994;
  const request = { publicUrl, trustedProxies: [], adminToken: token };
  for (const data of [temporaryFolder(), join(temporaryFolder(), 'new', 'live')]) {
    expect(liveFaults({ ...request, data }, tmpfs)).toEqual([expect.stringContaining('is in memory')]);
    expect(liveFaults({ ...request, data }, () => 0xef53)).toEqual([]);
  }
});

test.each([
  'pay.abena-stores.com.gh',
  'https://localhost',
  'https://127.0.0.1:8090',
  'https://ama:pin@pay.abena-stores.com.gh',
  'https://pay.abena-stores.com.gh/?x=1',
])('the public URL %s is rejected', (text) => {
  const data = temporaryFolder();
  const faults = liveFaults({ data, publicUrl: text, trustedProxies: [], adminToken: token }, () => 0xef53);
  expect(faults).toEqual([expect.stringContaining(`found "${text}"`)]);
});

test('the rail of a sandbox is the simulated one: a rail module needs --live', async () => {
  const { code, err } = await run(['start', '--rail', example, '--data', temporaryFolder()]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('add --live') });
});

test('the admin token of a live service is in no file', async () => {
  await createOperator();
  const folder = temporaryFolder();
  await startLive(folder);
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json')))
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain(token);
});

test('wrong admin tokens lock out the client that the trusted proxy names, and no other client', async () => {
  await createOperator();
  const { url } = await startLive(temporaryFolder(), '--trusted-proxy', '127.0.0.1');
  const guess = async (client: string) => {
    const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': client };
    return (await fetch(`${url}/backoffice/merchants`, { headers })).status;
  };
  for (let count = 0; count < 10; count++) expect(await guess('203.0.113.7')).toBe(401);
  expect(await guess('203.0.113.7')).toBe(429);
  expect(await guess('198.51.100.8')).toBe(401);
});
