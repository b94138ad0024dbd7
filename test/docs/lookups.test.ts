import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import type { Demo } from '../../src/demo/serve.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createTill } from '../../src/testing/till.ts';
import { dialDemo, startDemo } from '../kit/demo.ts';
import { temporaryFolder } from '../kit/folder.ts';
import type { Program } from '../kit/launch.ts';
import { freePort } from '../process/free-port.ts';
import { startCommand } from '../process/processes.ts';
import { grownMenus, snippetOf } from './snippets.ts';

const documentFile = 'docs/lookups.md';
const document = readFileSync(documentFile, 'utf8');
const _clock = systemClock();

/** The demo with the tutorial's menu, which asks an address. */
function startTutorial(folder: string, lookupsUrl: string): Promise<Demo> {
  const menu = join(folder, 'menu.yaml');
  writeFileSync(menu, stringify(grownMenus('docs/tutorial.md', 'menu.yaml').at(-1)));
  return startDemo(folder, { menu, lookupsUrl });
}

/** The document's server, in a process of its own as a reader runs it. */
async function startServer(folder: string, port: number, secret: string): Promise<Program> {
  const file = join(folder, 'bills.mjs');
  writeFileSync(file, snippetOf(documentFile, 'bills.mjs'));
  const env = { LOOKUPS_SECRET: secret, PORT: String(port) };
  const server = startCommand({ onTestFinished }, ['node', file], { env });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answers, { timeout: 10_000 }).toBe(401);
  return server;
}

/** What one call through the demo came to. It waits for no prompt, unless it is to be approved. */
async function dial(demo: Demo, msisdn: string, input: string, prompt = ['--wait', '0']) {
  const args = ['*713*5#', '--msisdn', msisdn, '--input', input, ...prompt, '--json'];
  return (await dialDemo(demo, args)).out;
}

test('the example server answers the menu of the tutorial, and the bill is paid', async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  const demo = await startTutorial(folder, `http://127.0.0.1:${port}`);
  const server = await startServer(folder, port, demo.lookups.secret);

  const [, inputs = ''] = /--input (\S+) --approve/.exec(document) ?? [];
  const paid = await dial(demo, '0244123456', inputs, ['--approve']);
  expect(paid).toContain('Ama Mensah\\nDue GHS 420.00');
  expect(JSON.parse(paid)).toMatchObject({ outcome: 'approved' });
  expect(await dial(demo, '0244123457', '1,2,INV-1002')).toContain('Nothing is due on INV-1002');
  expect(await dial(demo, '0244123458', '1,2,INV-1003')).toContain('Not found.');

  await server.end('SIGTERM');
  expect(await dial(demo, '0244123459', '1,2,INV-1001')).toContain('Amount in GHS');
});

test('the example request has the signature of its bytes', () => {
  const [, head = '', body = ''] = /^```http\n([\s\S]+?)\n\n([\s\S]+?)\n```$/m.exec(document) ?? [];
  const headers = Object.fromEntries(
    [...head.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const [, secret = ''] = /signed\s+with\s+`(whsec_\S+)`/.exec(document) ?? [];
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body);
  expect(headers['webhook-signature']).toBe(signature);
  expect(JSON.parse(body)).toMatchObject({ lookup: 'find', reference: 'INV-1001' });
});

test('the example of a proxy screen takes an order in the menu of the kitchen', async () => {
  const file = join(temporaryFolder(), 'order.mjs');
  writeFileSync(file, snippetOf(documentFile, 'order.mjs'));
  const { answerOrder } = (await import(pathToFileURL(file).href)) as {
    answerOrder: (request: object) => object;
  };
  const till = await createTill({
    menu: 'fixtures/menus/kitchen.yaml',
    lookups: { order: async (request) => answerOrder(request) },
  });
  onTestFinished(() => till.close());
  const phone = till.phone('0244123456');
  await phone.dial('*713*5#');
  for (const input of ['1', '1', '8', '3', '3']) await phone.send(input);
  expect(phone.screen()).toContain('Waakye, Kenkey, Kenkey: 55\n1. Waakye 25');
  await phone.send('9');
  expect(phone.screen()).toContain('Order 1-3-3\nWaakye, Kenkey, Kenkey\nGHS 55.00');
  for (const word of ['0', '1', '1', '1', '2', '2', '3', '3']) await phone.send(word);
  expect(phone.screen()).toContain('Order 1-1-2-2-3-3');
});
