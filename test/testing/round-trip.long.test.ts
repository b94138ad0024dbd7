import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { LookupHandler } from '../../src/menu/effects/lookup.ts';
import { createTill, type Phone, type Till, type TillOptions } from '../../src/testing/index.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { runLedger } from '../kit/staff-command.ts';
import { rehearse } from './session-files.ts';

/* A payment that is printed from the ledger has the same screens in a rehearsal, masked too. */

const menu = `languages: [en, tw]
start: welcome
screens:
  welcome:
    kind: choose
    text: "{merchant}"
    options:
      - { label: { en: Pay fees, tw: Tua fees }, to: number }
      - { label: { en: Pay for another, tw: Tua ma obi }, to: other }
      - { label: { en: "Paid?", tw: "Paid?" }, when: { dialler: attendant }, to: paid }
      - { label: Uniforms, to: uniforms }
  uniforms:
    kind: proxy
    url: /uniforms
    take: { child: { text: 20, from: name }, due: { amount: "900.00" } }
    done: uniform
    fallback: amount
  uniform:
    kind: choose
    text: "{child}"
    options: [{ label: "Pay {due}", set: { amount: "{due}", reference: UNIFORM }, to: name }]
  paid: { kind: status, text: "Ref:" }
  other: { kind: ask, answer: msisdn, text: "Number:", to: number }
  number:
    { kind: ask, answer: reference, pattern: 'ST-\\d{4}', example: ST-1234, text: "Number, such as {example}:", to: student }
  student:
    kind: lookup
    url: /students/{reference}
    take:
      student: { text: 20 }
      due: { amount: "5000.00", from: due_minor }
      left: { number: 9000 }
      fees: { list: 5, of: { name: { text: 12 }, due: { amount: "2000.00" } } }
    found: fees
    fallback: amount
  fees:
    kind: choose
    text: "{student:name}\\nDue {due}, {left:number} left"
    options:
      - { each: fees, label: "{item.name} {item.due:plain}", set: { amount: "{item.due}" }, to: name }
      - { label: Other, to: amount }
  amount: { kind: ask, answer: amount, min: "1.00", max: "5000.00", text: "Amount:", to: name }
  name: { kind: ask, answer: text, name: giver, text: "Your name:", to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}\\nfor {reference} by {giver:upper}\\nFee {fee}, total {total}", to: done }
  done: { kind: end, text: "Approve {amount}. Ref {short_reference}" }
`;

const answers: Record<string, object> = {
  'ST-2047': {
    student: 'kofi mensah-tɛtɛ',
    due_minor: 125_000,
    left: 1_234,
    fees: [
      { name: 'Tuition', due: 100_000 },
      { name: 'Sports', due: 25_000 },
    ],
  },
};

/** The uniforms of a child, whose name is typed and shown in lines that a screen divides. */
const uniforms: LookupHandler = async ({ turn, input = '', state = '' }) => {
  if (turn === 1) return { text: 'Name of the child:' };
  if (turn === 2) {
    const line = Array.from({ length: 12 }, () => input).join(' and ');
    return { text: `${line}\nFor ${input}:\n1. Shirt 20\n2. Shorts 25`, state: input };
  }
  return input === '9' ? { text: 7 } : { done: true, name: state, due: Number(input) * 20_00 };
};

const own = '0249876543';
const other = '0207654321';

type RecordedTill = {
  till: Till;
  phone: Phone;
  /** Dials or types, and records every screen. */
  dial(phone?: Phone): Promise<void>;
  send(...inputs: string[]): Promise<void>;
  screens: string[];
  folder: string;
  attendants: readonly string[];
};

async function opened(options: Partial<TillOptions> = {}): Promise<RecordedTill> {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  writeFileSync(join(folder, 'school.yaml'), menu);
  const till = await createTill({
    menu: join(folder, 'school.yaml'),
    merchant: 'Star School',
    time: '2026-03-09T16:20:31Z',
    lookups: { student: async ({ reference = '' }) => answers[reference], uniforms },
    ...options,
  });
  vi.unstubAllEnvs();
  onTestFinished(() => till.close());
  const screens: string[] = [];
  let inHand = till.phone(own);
  return {
    ...{ till, phone: inHand, screens, folder, attendants: options.attendants ?? [] },
    async dial(phone = inHand) {
      inHand = phone;
      screens.push((await phone.dial()).text);
    },
    async send(...inputs) {
      for (const input of inputs) screens.push((await inHand.send(input)).text);
    },
  };
}

async function exported(
  { folder, attendants }: RecordedTill,
  id: string,
  ...args: string[]
): Promise<string> {
  const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('dialtill-till-'));
  const file = join(folder, name, 'gateway.db');
  const { out } = await runLedger(file, ['show', id, '--as-transcript', ...args], {
    loadTranscriptHead: async () => ({
      menu: join(folder, 'school.yaml'),
      merchant: 'Star School',
      aggregator: 'africastalking',
      serviceCode: '*713*5#',
      attendants,
    }),
  });
  return out;
}

function screensOf(text: string): string[] {
  const { steps } = parse(text) as { steps: (string | Record<string, string>)[] };
  return steps.flatMap((step) => {
    const said = typeof step === 'string' ? undefined : (step.screen ?? step.end);
    return said === undefined ? [] : [said.replace(/\n$/, '')];
  });
}

/** Removes short references, because a rehearsal has its own. */
const withoutReferences = (text: string) => text.replace(/\b\d{4} \d{4}\b/g, '#### ####');

/** Prints a payment as a transcript and rehearses it, once unmasked and once masked. Returns both texts. */
async function roundTrip(recorded: RecordedTill, id: string, screens: readonly string[] = recorded.screens) {
  const texts: string[] = [];
  for (const args of [[], ['--masked']]) {
    const text = await exported(recorded, id, ...args);
    const file = join(recorded.folder, `exported-${args.length}.yaml`);
    writeFileSync(file, text);
    const { out } = await rehearse([file]);
    expect(out, text).toMatch(/^ok /);
    expect(screensOf(text)).toHaveLength(screens.length);
    texts.push(text);
  }
  const [plain = '', masked = ''] = texts;
  expect(screensOf(plain).map(withoutReferences)).toEqual(screens.map(withoutReferences));
  for (const secret of ['249876543', '207654321', '2047', 'kofi', 'mensah', 'abena']) {
    expect(masked.toLowerCase().replaceAll(' ', '')).not.toContain(secret);
  }
  return { plain, masked };
}

async function pay({ phone }: RecordedTill): Promise<void> {
  await (await phone.prompt()).approve();
  await phone.untilStatus('paid');
}

test('a payment after a lookup, a not-found lookup and a language screen', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('2', '1', 'ST-9999', 'st-2047', '2', 'Abena', '1');
  await pay(recorded);
  const { id } = await recorded.phone.untilStatus('paid');
  const { plain, masked } = await roundTrip(recorded, id);
  expect(plain).toContain('- asked:\n        reference: ST-2047\n');
  expect(plain).toContain('answer: not_found');
  expect(plain).toContain('due: 125000');
  // In the form of the menu's own example, so that the menu accepts them.
  expect(masked).toContain("- send: 'ST-1234'");
  expect(masked).toContain("- send: 'st-1235'");
  expect(masked).toContain('reference: ST-1235');
  expect(masked).toContain('Masked-Mas');
});

test('a lookup without an answer has none in the transcript, also next to an answered one', async () => {
  const student = async ({ reference = '' }) => answers[reference] ?? { due_minor: 'unreadable' };
  const recorded = await opened({ lookups: { student } });
  await recorded.dial();
  await recorded.send('1', '1', 'ST-5555', '0', 'ST-2047', '0', 'ST-7777', '20', 'Abena', '1');
  await pay(recorded);
  const { id } = await recorded.phone.untilStatus('paid');
  await roundTrip(recorded, id);
});

test('a payment after a proxy screen', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('1', '3', 'Kofi Mensah', '#', '#', '1', '1', 'Abena', '1');
  await pay(recorded);
  const { id } = await recorded.phone.untilStatus('paid');
  const { plain, masked } = await roundTrip(recorded, id);
  expect(plain).toContain('input: Kofi Mensah\n');
  expect(plain).toContain('1. Shirt 20\n');
  expect(masked).not.toContain('Shirt');
});

test('a proxy screen that is entered again, resumed, and then has no answer', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('1', '3', 'Esi', '0', '3', 'Kofi Mensah');
  recorded.phone.drop();
  await recorded.dial();
  await recorded.send('1', '9', '20', 'Abena', '1');
  await pay(recorded);
  const { id } = await recorded.phone.untilStatus('paid');
  await roundTrip(recorded, id);
});

test('a redial while the prompt waits, and one after the payment', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('1', '1', 'ST-2047', '3', '20', 'Abena', '1');
  await recorded.phone.advance(41_000);
  await recorded.dial();
  await recorded.send('1');
  await pay(recorded);
  await recorded.phone.advance(125_300);
  await recorded.dial();
  const { id } = await recorded.phone.untilStatus('paid');
  await roundTrip(recorded, id);
  expect(recorded.screens.at(-1)).toMatch(/was paid at 16:2\d\. Ref \d{4} \d{4}/);
});

test('a prompt that is sent again after a decline', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('1', '1', 'ST-2047', '1', 'Abena', '1');
  await (await recorded.phone.prompt()).decline();
  await recorded.phone.untilStatus('failed');
  await recorded.dial();
  await recorded.send('1');
  await pay(recorded);
  const { id, retryOf } = await recorded.phone.untilStatus('paid');
  expect(retryOf).not.toBe(null);
  await roundTrip(recorded, id);
});

test('a language of an earlier dialogue, and a resumed dialogue', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('2', '1', 'ST-2047');
  recorded.phone.drop();
  await recorded.dial();
  await recorded.send('1', '2', 'Abena', '1');
  await pay(recorded);
  await recorded.phone.advance(3_600_000);
  const before = recorded.screens.length;
  await recorded.dial();
  await recorded.send('1', 'ST-2047', '2', 'Abena', '1');
  await pay(recorded);
  const [last, first] = await recorded.till.collected(own);
  await roundTrip(recorded, first?.id ?? '', recorded.screens.slice(0, before));
  // The transcript contains the dialogue that chose the language, and not the resumed one.
  const ofLast = [...recorded.screens.slice(0, 4), ...recorded.screens.slice(before)];
  const { plain } = await roundTrip(recorded, last?.id ?? '', ofLast);
  expect(plain).toMatch(/- until: '2026-03-09T17:2\d:/);
});

test('a payment that another phone requested, and a dial of its payer', async () => {
  const recorded = await opened();
  await recorded.dial();
  await recorded.send('1', '2', other, 'ST-2047', '1', 'Abena', '1');
  const second = recorded.till.phone(other);
  await recorded.dial(second);
  await recorded.send('1');
  await (await second.prompt()).approve();
  const { id } = await recorded.phone.untilStatus('paid');
  await recorded.dial(second);
  const { masked } = await roundTrip(recorded, id);
  expect(masked).toContain("- phone: '0204000001'");
});

test('a status query of an attendant by short reference', async () => {
  const recorded = await opened({ attendants: [own] });
  await recorded.dial();
  await recorded.send('1', '1', 'ST-2047', '1', 'Abena', '1');
  await pay(recorded);
  const { id, shortReference } = await recorded.phone.untilStatus('paid');
  await recorded.dial();
  await recorded.send('1', '3', shortReference);
  expect(recorded.screens.at(-1)).toMatch(/^PAID\n/);
  const { plain } = await roundTrip(recorded, id);
  expect(plain).toContain('attendants:');
});
