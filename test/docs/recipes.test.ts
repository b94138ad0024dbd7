import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTill } from '../../src/testing/till.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { type Question, startServer } from '../kit/local-server.ts';
import { findingsOf } from '../menu/prove-support.ts';
import { snippetOf } from './snippets.ts';

const document = 'docs/recipes.md';

/** Writes a file of the document as a reader does, and returns its path. */
function write(name: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, snippetOf(document, name));
  return file;
}

const load = async <Module>(name: string) => (await import(pathToFileURL(write(name)).href)) as Module;

test('an SMS receipt is sent for a confirmed payment, with the key of the payment, and a refusal is not hidden', async () => {
  const asked: Question[] = [];
  const answers = [200, 503];
  const { url } = await startServer((response, question) => {
    asked.push(question);
    response.writeHead(answers.shift() ?? 200).end();
  });
  vi.stubEnv('SMS_URL', url);
  vi.stubEnv('SMS_KEY', 'k1');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const { sendReceipt } = await load<{ sendReceipt(notification: object): Promise<void> }>('receipt.mjs');
  const [, example = ''] =
    /^```json\n(\{\n {2}"type": "payment.paid"[\s\S]+?)\n```/m.exec(
      readFileSync('docs/notifications.md', 'utf8'),
    ) ?? [];
  const paid = JSON.parse(example);
  const notify = (changes: object) =>
    sendReceipt({ ...paid, data: { ...paid.data, payer: '233244123456', ...changes } });

  await notify({ confirmed: false });
  await sendReceipt({ ...paid, type: 'payment.opened' });
  expect(asked).toEqual([]);
  await notify({ confirmed: true });
  await expect(notify({ confirmed: true })).rejects.toThrow('the SMS provider answered 503');
  const [receipt] = asked;
  expect(receipt?.headers).toMatchObject({ authorization: 'Bearer k1', 'idempotency-key': paid.data.id });
  expect(JSON.parse(receipt?.body ?? '')).toEqual({
    to: '233244123456',
    text: 'We received GHS 20.00 for 12345674. Thank you.',
  });
});

test('the holder of a ported number is shown with its network before the confirmation', async () => {
  const { findHolder } = await load<{ findHolder(request: object): object | undefined }>('holders.mjs');
  const menu = write('payer.yaml');
  expect(findingsOf(readFileSync(menu, 'utf8'))).toEqual([]);
  const till = await createTill({ menu, lookups: { holder: async (request) => findHolder(request) } });
  onTestFinished(() => till.close());

  const phone = till.phone('0244123456');
  await phone.dial('*713*5#');
  for (const input of ['0201234567', '20']) await phone.send(input);
  expect(phone.screen()).toContain('Kofi Boateng');
  expect(phone.screen()).toContain('on MTN');

  const stranger = till.phone('0244123457');
  await stranger.dial('*713*5#');
  await stranger.send('0201234568');
  expect(stranger.screen()).toContain('Network of that number?');
});

test('the screens of an old menu are the first part of a payment', async () => {
  const { answerFromOld } = await load<{ answerFromOld(request: object): object }>('old-menu.mjs');
  const menu = write('moved.yaml');
  expect(findingsOf(readFileSync(menu, 'utf8'))).toEqual([]);
  const till = await createTill({ menu, lookups: { old: async (request) => answerFromOld(request) } });
  onTestFinished(() => till.close());
  const phone = till.phone('0244123456');
  await phone.dial('*713*5#');
  expect(phone.screen()).toContain('Welcome\n1. Water\n2. Light');
  await phone.send('2');
  expect(phone.screen()).toContain('Meter number:');
  await phone.send('4711');
  await phone.send('1');
  expect(phone.screen()).toContain('Pay GHS 60.00?\nLIGHT 4711');
  await phone.send('7');
  expect(await till.collected('0244123456')).toMatchObject([{ reference: 'LIGHT 4711' }]);

  const wrong = till.phone('0244123457');
  await wrong.dial('*713*5#');
  await wrong.send('3');
  expect(wrong.screen()).toContain('Wrong number. Please dial again.');
  expect(wrong.ended()).toBe(true);
});
