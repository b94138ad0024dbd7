import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { changed, rehearse, textOf } from './session-files.ts';

const menu = `languages: [en]
start: welcome
screens:
  welcome:
    kind: choose
    text: "{merchant}"
    options:
      - { label: Pay, to: number }
      - { label: "Paid?", when: { dialler: attendant }, to: paid }
  number: { kind: ask, answer: reference, pattern: '\\d{4}', example: '1234', text: "Number:", to: student }
  student:
    kind: lookup
    url: /students/{reference}
    take: { due: { amount: "5000.00", from: due_minor }, fees: { list: 3, of: { name: { text: 9, from: title } } } }
    found: due
    fallback: amount
  due:
    kind: choose
    text: "Due {due}"
    options:
      - { each: fees, label: "{item.name}", set: { amount: "{due}" }, to: confirm }
      - { label: Pay all, set: { amount: "{due}" }, to: confirm }
  amount: { kind: ask, answer: amount, min: "1.00", max: "5000.00", text: "No answer. Amount:", to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve. Ref {short_reference}" }
  paid: { kind: status, text: "Ref:" }
`;

const head = `menu: menu.yaml
merchant: Star School
channel: { aggregator: africastalking, serviceCode: '*713*5#' }
msisdn: '0244123456'
attendants: [ '0209999999' ]
limits: { payer: { perHour: 10 } }
timings: { quoteTimeoutSeconds: 0 }
lookups:
  student:
    - asked: { reference: '1111' }
      once: true
      answer: { due_minor: 2000, fees: [ { title: Sports } ] }
    - asked: { reference: '1111' }
      answer: { due: 500 }
    - asked: { reference: '3333' }
      answer: none
`;

function written(steps: string, top = head): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'menu.yaml'), menu);
  const file = join(folder, 'pay.yaml');
  writeFileSync(file, `${top}steps:\n${steps}`);
  return file;
}

const steps = `  - dial: '*713*5*1#'
  - send: '1111'
  - send: '2'
  - send: '1'
  - phone: '0209999999'
  - dial: '*713*5*2#'
  - phone: { msisdn: '0201112222', operator: mtn }
  - dial: '*713*5*1*2222#'
  - send: '3333'
  - phone: '0244123456'
  - prompt
  - decline
  - expect: { status: failed, retry_of: false }
  - dial: '*713*5#'
  - send: '1'
  - prompt
  - approve: '1234'
  - expect: { status: paid, retry_of: true, amount: 20.00 }
  - dial: '*713*5*1*1111#'
  - send: '1'
`;

test('--update writes the screens of several phones, lookups and attendants, and the result has no differences', async () => {
  const file = written(steps);
  const { out } = await rehearse([file, '--update']);
  expect(out).toMatch(/^ok +.* 11 screens, paid, 11 updated\n$/);
  const text = textOf(file);
  expect(text.startsWith(head)).toBe(true);
  // The fields have the names of the merchant's system and of its lists.
  expect(text).toContain('Due GHS 20.00\n      1. Sports\n      2. Pay all');
  expect(text).toContain("- phone: '0209999999'\n  - dial: '*713*5*2#'\n  - screen: |\n      Ref:\n");
  // A further lookup does not get the first answer again.
  expect(text).toContain('Due GHS 5.00\n      1. Pay all');
  expect(text).toContain('Not found. Please check and try again.');
  expect(text).toContain('No answer. Amount:');
  expect(await rehearse([file])).toMatchObject({ code: 0 });
  expect(textOf(file)).toBe(text);
  const [, shown = ''] = /Ref (\d{4} \d{4})/.exec(text) ?? [];
  expect((await rehearse([written(text.split('steps:\n')[1] ?? '')])).code).toBe(0);
  const wrong = changed(text, `Ref ${shown}`, 'Ref 0000 0000');
  writeFileSync(file, wrong);
  expect((await rehearse([file])).out).toContain('end differs');
});

test.each([
  [
    'a first payment instead of a retry',
    'status: failed, retry_of: false',
    'status: failed, retry_of: true',
    'expect.retry_of: expected true, found false',
  ],
  [
    'another short reference',
    'status: failed, retry_of: false',
    "status: failed, short_reference: '0000 0000'",
    'expect.short_reference: expected 0000 0000, found ',
  ],
])('%s is reported as a difference', async (_, from, to, message) => {
  const file = written(changed(steps, from, to));
  expect((await rehearse([file, '--update'])).out).toContain(message);
});

test('one answer is used for every request: fields, not_found or none', async () => {
  const [before = ''] = head.split('lookups:');
  for (const [answer, screen] of [
    ['{ due: 700 }', 'Due GHS 7.00'],
    ['not_found', 'Not found.'],
    ['none', 'No answer.'],
  ]) {
    const file = written("  - dial: '*713*5*1*5555#'\n", `${before}lookups: { student: ${answer} }\n`);
    await rehearse([file, '--update']);
    expect(textOf(file)).toContain(screen);
  }
});

test('times on screens start at the time of the transcript', async () => {
  const file = written(steps, `${head}time: '2026-11-21T23:10:00Z'\n`);
  await rehearse([file, '--update']);
  expect(textOf(file)).toContain('was paid at 23:10.');
});

test.each([
  [
    'a lookup that is not in the menu',
    '  student:\n',
    '  studnt:\n',
    'lookups.studnt: expected a lookup of the menu: student',
  ],
  [
    'an invalid answer',
    'answer: none',
    'answer: nothing',
    'lookups.student[2].answer: expected a map of fields, not_found or none',
  ],
  [
    'an unknown condition',
    "{ reference: '3333' }",
    '{ ref: 3333 }',
    'lookups.student[2].asked.ref: unknown key',
  ],
  [
    'an invalid payer',
    "{ reference: '3333' }",
    "{ payer: '12' }",
    'lookups.student[2].asked.payer: expected a mobile number',
  ],
  ['an invalid attendant', "'0209999999' ]", "'12' ]", 'attendants[0]: expected a mobile number'],
  ['an unknown limit', 'payer: { perHour: 10 }', 'payers: {}', 'limits.payers: unknown key'],
  ['an invalid limit', 'perHour: 10', 'perHour: often', 'limits.payer.perHour: expected a whole number'],
  [
    'an invalid timing',
    'quoteTimeoutSeconds: 0',
    'quoteTimeoutSeconds: 7',
    'timings.quoteTimeoutSeconds: expected seconds from 0 to 1',
  ],
  ['an invalid time', "attendants: [ '0209999999' ]", 'time: noon', 'time: expected a time in quotes'],
])('%s is an error with its line, and no step is run', async (_, from, to, message) => {
  const file = written(steps, changed(head, from, to));
  const { out, code } = await rehearse([file]);
  expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining(message) });
  const line = Number(/:(\d+):\d+ /.exec(out.split('\n')[1] ?? '')?.[1]);
  expect(textOf(file).split('\n')[line - 1]).toContain(to.trim());
});

test.each([
  [
    'a phone without a number',
    "phone: '0209999999'",
    "phone: '12'",
    'steps[4].phone: expected a mobile number',
  ],
  [
    'an invalid short reference',
    'retry_of: false',
    "short_reference: '12'",
    'steps[12].expect.short_reference: expected a short reference',
  ],
])('%s is an error of its step', async (_, from, to, message) => {
  const { out } = await rehearse([written(changed(steps, from, to))]);
  expect(out).toContain(message);
});
