import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { registerLookup } from '../../src/cli/commands/lookup/lookup.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { secret } from '../gateway/lookup/support.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startServer } from '../kit/local-server.ts';
import { freePort } from '../process/free-port.ts';

const menu = `
languages: [en]
start: record
screens:
  record:
    kind: lookup
    url: /students/{reference}
    take: { pupil: { text: 20 }, due: { amount: "500.00" } }
    found: part
    notFound: none
    fallback: none
  part: { kind: ask, answer: amount, min: "1.00", max: "{due}", text: "{pupil:name} {due}", to: confirm }
  none: { kind: end, text: Nothing is due. }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;

const proxyMenu = `
languages: [en]
start: kitchen
screens:
  kitchen: { kind: proxy, url: /order, take: { due: { amount: "500.00" } }, done: part, fallback: none }
  part: { kind: ask, answer: amount, min: "1.00", max: "{due}", text: "{due}", to: confirm }
  none: { kind: end, text: Nothing is due. }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "{approvals}" }
`;

/** Runs `dialtill lookup try` with a menu. */
function run(
  args: readonly string[],
  env: Record<string, string> = { LOOKUPS_SECRET: secret },
  text: string = menu,
) {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(file, text);
  const clock = systemClock();
  const rest = { env, clock, ids: systemIds(clock) };
  const loadConfig = () => {
    throw new Error('no configuration is read');
  };
  return runCommand(['lookup', 'try', file, ...args], (program, streams) =>
    registerLookup(program, { ...rest, ...streams, loadConfig }),
  );
}

const answering = (status: number, body: object) =>
  startServer((response) => response.writeHead(status).end(JSON.stringify(body)));

test('a lookup is tried with a signed request, and shows the values and the next screen', async () => {
  const system = await answering(200, { pupil: 'AMA MENSAH', due: 42_000 });
  const { out, code } = await run(['--reference', 'ST-1', '--url', system.url]);
  expect(code).toBe(0);
  expect(out).toContain(`POST ${system.url}/students/ST-1\n`);
  expect(out).toContain('{due}  GHS 420.00\n');
  expect(out).toContain('The payer sees  part\n  | Ama Mensah GHS 420.00\n');
  const [question] = system.questions;
  const headers = question?.headers as Record<string, string>;
  expect(new Webhook(secret).verify(question?.body ?? '', headers)).toMatchObject({ reference: 'ST-1' });
});

test('an unusable answer names the field, and shows the fallback', async () => {
  const system = await answering(200, { pupil: 'AMA', due: '420.00' });
  const { out, code } = await run(['--reference', 'ST-1', '--url', system.url]);
  expect(code).toBe(1);
  expect(out).toContain('due: expected a whole number of pesewas, found a text');
  expect(out).toContain('The payer sees  none\n  | Nothing is due.\n');
});

test('without a screen for it, a record that does not exist asks the question again', async () => {
  const question =
    '  student: { kind: ask, answer: reference, pattern: "ST-.", example: ST-1, text: "Number:", to: record }\n';
  const asking = menu
    .replace('start: record', 'start: student')
    .replace('    notFound: none\n', '')
    .replace('screens:\n', `screens:\n${question}`);
  const system = await answering(404, {});
  const { out, code } = await run(['--reference', 'ST-1', '--url', system.url], undefined, asking);
  expect(code).toBe(0);
  expect(out).toMatch(
    /The payer sees {2}student\n {2}\| Not found\. Please check and try again\.\n {2}\| Number:\n/,
  );
});

test('a record that does not exist is an answer', async () => {
  const system = await answering(404, {});
  const { out, code } = await run(['--reference', 'ST-1', '--url', system.url, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ outcome: 'not_found', next: { screen: 'none' } });
});

test('nothing is sent without a value that the address needs', async () => {
  const system = await answering(200, {});
  const { err, code } = await run(['--url', system.url, '--json']);
  expect(code).toBe(2);
  expect(err).toContain('--reference: expected a value for the address /students/{reference}');
  expect(system.questions).toEqual([]);
});

test.each([
  [['missing'], 'no lookup or proxy screen missing; the menu has: record'],
  [['--language', 'tw'], '--language: expected one of en, found tw'],
  [['--amount', 'x'], '--amount: expected an amount such as 20.00, found x'],
  [['--payer', '123'], '--payer: expected a Ghanaian mobile number'],
  [['--value', 'class'], '--value: expected a name and a value, such as class=JHS1'],
  [['--value', 'peer=A'], '--value: no value peer; the menu has: pupil, due'],
  [
    ['--reference', '..'],
    '--reference: the address /students/{reference} accepts each value except . and ..',
  ],
  [['--reference', 'ST-1'], 'expected --config with a merchant that has lookups, or --url'],
])('wrong usage %j states what to write', async (args, message) => {
  const { err, code } = await run(args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test('a secret is required', async () => {
  const { err, code } = await run(['--reference', 'ST-1', '--url', 'http://127.0.0.1:1'], {});
  expect(code).toBe(2);
  expect(err).toContain('expected the secret whsec_... of lookups in LOOKUPS_SECRET');
});

test('a request in the middle of a proxy screen has the turn, the input and the state, and shows the screen that follows', async () => {
  const system = await answering(200, { text: 'Waakye: 25\n9. That is all', state: '1' });
  const args = ['kitchen', '--input', '1', '--state', '0', '--url', system.url];
  const { out, code } = await run(args, undefined, proxyMenu);
  expect(code).toBe(0);
  expect(out).toContain('The payer sees  kitchen\n  | Waakye: 25\n  | 9. That is all\n');
  expect(JSON.parse(system.questions[0]?.body ?? '')).toMatchObject({
    ...{ lookup: 'kitchen', turn: 2, input: '1', state: '0', dialler: '233244123456' },
  });
});

test('the end of a proxy screen shows the values, and an unusable screen its field', async () => {
  const done = await answering(200, { done: true, due: 2500 });
  const ended = await run(['--url', done.url], undefined, proxyMenu);
  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('{due}  GHS 25.00\n') });
  const blank = await answering(200, { text: '' });
  const unusable = await run(['--url', blank.url], undefined, proxyMenu);
  expect(unusable).toMatchObject({
    code: 1,
    out: expect.stringContaining('text: expected letters or digits'),
  });
  expect(await run(['--turn', '2', '--url', blank.url], undefined, proxyMenu)).toMatchObject({ code: 2 });
});

const answeringText = (status: number, body: string) =>
  startServer((response) => response.writeHead(status).end(body));
const trying = (url: string, ...more: string[]) => run(['--reference', 'ST-1', '--url', url, ...more]);

test('names without a value and fields that are not taken are shown', async () => {
  const system = await answering(200, { pupil: 'AMA', Due: 42_000, note: 'x' });
  const { out } = await trying(system.url);
  expect(out).toContain(
    '{pupil}  AMA\n  {due}  no value: the answer has no due, or a blank one\n  not used  Due, note\n',
  );
  const { out: json } = await trying(system.url, '--json');
  expect(JSON.parse(json)).toMatchObject({
    withoutValue: [{ name: 'due', field: 'due' }],
    unused: ['Due', 'note'],
  });
});

test.each([
  [500, 'Traceback:\n\u001b[31mKeyError', 'HTTP 500: expected 200, or 404 for a record that does not exist'],
  [401, 'wrong signature', 'Compare the secret, and the clock of your system'],
  [302, 'moved', 'Redirects are not followed'],
  [200, '<html>', 'the body is not JSON in UTF-8'],
  [200, '[1]', 'the answer is no object such as {"due": 42000}'],
  [200, 'x'.repeat(70_000), 'the body is larger than 64 KiB'],
])(
  'an unusable answer with HTTP %i and %j has a sentence and its beginning',
  async (status, body, sentence) => {
    const system = await answeringText(status, body);
    const { out, code } = await trying(system.url);
    expect(code).toBe(1);
    expect(out).toContain(sentence);
    expect(out).toContain(body.replace('\n\u001b', ' ').slice(0, 300));
    expect(out).not.toContain('x'.repeat(301));
    expect(out).not.toContain('\u001b');
  },
);

test('a system that is not there has a sentence', async () => {
  const { out, code } = await trying(`http://127.0.0.1:${await freePort()}`);
  expect(code).toBe(1);
  expect(out).toContain('no program listens at this address');
});

test('a reference is read as the question of the menu reads it', async () => {
  const question =
    '  student: { kind: ask, answer: reference, pattern: "ST-[0-9]", example: ST-1, text: "Number:", to: record }\n';
  const asking = menu
    .replace('start: record', 'start: student')
    .replace('screens:\n', `screens:\n${question}`);
  const system = await answering(200, { pupil: 'AMA', due: 100 });
  const { out } = await run(['--reference', 'st-1', '--url', system.url], undefined, asking);
  expect(out).toContain('/students/ST-1\n');
  const wrong = await run(['--reference', 'X', '--url', system.url], undefined, asking);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('--reference: a payer cannot type X: the pattern is ST-[0-9], such as ST-1');
});
