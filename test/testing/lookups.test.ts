import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTill, type TillOptions } from '../../src/testing/index.ts';
import { temporaryFolder } from '../kit/folder.ts';

const menu = `languages: [en]
start: number
screens:
  number: { kind: ask, answer: reference, pattern: '[A-Z0-9]+', example: AB, text: "Number:", to: student }
  student:
    kind: lookup
    url: /students/{reference}
    take: { due: { amount: "5000.00" } }
    found: due
    fallback: amount
  due:
    kind: choose
    text: "Due {due}"
    options: [{ label: Pay all, set: { amount: "{due}" }, to: confirm }]
  amount: { kind: ask, answer: amount, min: "1.00", max: "5000.00", text: "No answer. Amount:", to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve. Ref {short_reference}" }
`;

async function opened(options: Partial<TillOptions> = {}) {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(file, menu);
  const till = await createTill({ menu: file, ...options });
  onTestFinished(() => till.close());
  return { till, phone: till.phone('0244123456') };
}

test("a handler replaces the merchant's system and receives the same fields", async () => {
  const requests: unknown[] = [];
  const student = async (request: object) => {
    requests.push(request);
    return { due: 12_550 };
  };
  const { phone } = await opened({ lookups: { student } });
  await phone.dial();
  expect((await phone.send('AMA')).text).toContain('Due GHS 125.50');
  expect(requests).toMatchObject([{ lookup: 'student', reference: 'AMA', dialler: '233244123456' }]);
});

test('undefined is not found, and an exception is no answer', async () => {
  const { phone } = await opened({
    lookups: {
      student: async ({ reference }) => (reference === 'BAD' ? { due: '12.50' } : undefined),
    },
  });
  await phone.dial();
  expect((await phone.send('AMA')).text).toContain('Not found.');
  expect((await phone.send('BAD')).text).toContain('No answer. Amount:');
});

test('a lookup with an address and no handler has no answer at once, and no request is sent', async () => {
  const { phone, till } = await opened();
  await phone.dial();
  const before = phone.dialledAt();
  expect((await phone.send('AMA')).text).toContain('No answer. Amount:');
  await phone.dial();
  // Only the reading time of two and a half seconds before each key passes.
  expect(phone.dialledAt() - before).toBe(5_000);
  await till.close();
});

test('a handler that never returns ends at the time limit of a lookup on the simulated clock', async () => {
  let aborted = false;
  const student = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise<never>(() => {});
  };
  const { phone } = await opened({ lookups: { student }, timings: { lookupTimeoutSeconds: 0.5 } });
  await phone.dial();
  const before = phone.dialledAt();
  expect((await phone.send('AMA')).text).toContain('No answer. Amount:');
  expect(aborted).toBe(true);
  await phone.dial();
  expect(phone.dialledAt() - before).toBe(5_500);
});

test('a handler that takes real time, for example to read a file, completes', async () => {
  const { readFile } = await import('node:fs/promises');
  const student = async () => ({ due: (await readFile('package.json')).length });
  const { phone } = await opened({ lookups: { student } });
  await phone.dial();
  expect((await phone.send('AMA')).text).toContain('Due GHS');
});

test.each<[string, Partial<TillOptions>, string]>([
  [
    'a lookup that is not in the menu',
    { lookups: { studnt: async () => undefined } },
    'lookups.studnt: expected a lookup of the menu: student',
  ],
  ['an attendant without a number', { attendants: ['024'] }, 'expected a mobile number'],
  [
    'an invalid limit',
    { limits: { payer: { perHour: 0 } } },
    'limits.payer.perHour: expected a whole number',
  ],
  ['an unknown timing', { timings: { recent: 1 } as object }, 'timings.recent: unknown key'],
  [
    'contradictory timings',
    { timings: { retryAllowedAfterSeconds: 20 } },
    'timings.retryAllowedAfterSeconds: expected retryAllowedAfterSeconds of at least promptDeadlineSeconds',
  ],
  ['an invalid time', { time: 'at noon' }, 'time: expected a time in quotes'],
])('%s is rejected with the name of the option', async (_, options, message) => {
  await expect(opened(options)).rejects.toThrow(message);
});

test('the options set limits and timings', async () => {
  const { phone } = await opened({
    limits: { dialler: { perHour: 1 } },
    timings: { recentPaymentSeconds: 0, duplicateWindowSeconds: 0 },
  });
  const pay = async () => {
    await phone.dial('*713*5*1111*20#');
    return phone.send('1');
  };
  expect((await pay()).text).toContain('Approve.');
  await (await phone.prompt()).decline();
  await phone.untilStatus('failed');
  expect((await pay()).text).toContain('too many requests');
});

test('a dialogue has the same short reference in each run, and each dialogue has its own', async () => {
  const runs = [];
  for (let run = 0; run < 2; run++) {
    const { phone } = await opened();
    const references: string[] = [];
    for (const amount of ['20', '30']) {
      await phone.dial(`*713*5*1111*${amount}#`);
      // A second dial shows the first payment and continues from there.
      if (amount === '30') for (const key of ['1', 'AMA', '30']) await phone.send(key);
      const { text } = await phone.send('1');
      await (await phone.prompt()).approve();
      const { shortReference, retryOf } = await phone.untilStatus('paid');
      expect(retryOf).toBe(null);
      expect(text.replace(' ', '')).toContain(shortReference.slice(0, 4));
      references.push(shortReference);
    }
    runs.push(references);
  }
  expect(runs[0]).toEqual(runs[1]);
  expect(new Set(runs[0]).size).toBe(2);
});

test('a dial during an open session interrupts it, and the dialogue can continue', async () => {
  const { phone } = await opened();
  await phone.dial();
  await phone.send('AMA');
  phone.drop();
  expect((await phone.dial()).text).toContain('your session was interrupted');
  expect((await phone.send('1')).text).toContain('No answer. Amount:');
});

test('a prompt that is sent again is a new collection linked to the first', async () => {
  const { phone } = await opened();
  await phone.dial('*713*5*1111*20#');
  await phone.send('1');
  await (await phone.prompt()).decline();
  const { id } = await phone.untilStatus('failed');
  await phone.dial();
  await phone.send('1');
  await (await phone.prompt()).approve();
  expect(await phone.untilStatus('paid')).toMatchObject({ retryOf: id });
});
