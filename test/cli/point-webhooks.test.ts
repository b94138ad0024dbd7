import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pointWebhooks } from '../../src/cli/service/admin-client.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createTestProgram, run } from './support.ts';

/** Creates a sandbox whose merchants have these webhooks. Returns what pointing them at a gateway has moved. */
async function openSandbox(webhooks: readonly string[]) {
  const { service, json, env, url } = await createTestProgram();
  for (const webhook of webhooks) {
    const { id } = await json('merchants', 'create', 'Abena Stores');
    await service('webhook', 'set', webhook, '--merchant', id);
  }
  return async (gatewayUrl: string) => {
    const moved: string[] = [];
    await pointWebhooks(
      { fetch, clock: systemClock(), env },
      { serviceUrl: url, folder: temporaryFolder(), gatewayUrl, merchantIds: ['my-shop'] },
      (from, to) => moved.push(`${from} → ${to}`),
    );
    return moved;
  };
}

test('only plain webhooks of the project on this machine are moved, and each move is reported once', async () => {
  const point = await openSandbox([
    'http://localhost:9999/webhooks/my-shop',
    'http://127.0.0.1:8080/webhooks/my-shop',
    'http://localhost:9999/webhooks/my-shop?via=tunnel',
    'http://127.0.0.1:9999/webhooks/another-shop',
  ]);
  const to = 'http://127.0.0.1:8081/webhooks/my-shop';
  expect((await point('http://127.0.0.1:8081')).toSorted()).toEqual([
    `http://127.0.0.1:8080/webhooks/my-shop → ${to}`,
    `http://localhost:9999/webhooks/my-shop → ${to}`,
  ]);
  expect(await point('http://127.0.0.1:8081')).toEqual([]);
});

test('the webhooks of all merchants are moved, also those after the first page', async () => {
  const webhooks = Array.from({ length: 101 }, () => 'http://127.0.0.1:8080/webhooks/my-shop');
  const point = await openSandbox(webhooks);
  expect(await point('http://127.0.0.1:8081')).toHaveLength(101);
});

test('a sandbox in another folder than that of the project keeps its webhooks', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'dialtill.yaml');
  for (const name of ['data', 'other']) mkdirSync(join(folder, name));
  writeFileSync(
    file,
    'listen: { port: 9123 }\ndatabase: { file: data/dialtill.db }\nservice: { url: "http://127.0.0.1:8090", simulator: true }\nmerchants: [{ id: my-shop }]\n',
  );
  const greetingIn = async (name: string) => {
    let end: (signal: string) => void = () => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const env = { DIALTILL_CONFIG: file, DIALTILL_DATA: join(folder, name), DIALTILL_LOG: 'silent' };
    return (await run(['start', '--port', '0'], { env, ended, onOutput: () => end('SIGTERM') })).out;
  };
  expect(await greetingIn('data')).toContain(`Webhooks go to the gateway of ${file}`);
  expect(await greetingIn('other')).not.toContain('Webhooks go to');
});
