import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadMenu } from '../../src/menu/file/load.ts';
import type { ServiceConfig } from '../../src/service/create.ts';
import { showShortReference } from '../../src/shared/short-reference.ts';
import { createShop } from '../kit/payers.ts';
import { runLedger } from '../kit/staff-command.ts';
import type { Till } from '../kit/till.ts';
import { rehearse } from './session-files.ts';

/*
 * For all times of dials, inputs and approvals, to the millisecond: a payment that is printed from the ledger has the same
 * screens in a rehearsal, masked too.
 */

const menu = `languages: [en]
start: welcome
screens:
  welcome:
    kind: choose
    text: "{merchant}"
    options:
      - { label: Pay, set: { amount: "20.00" }, to: pay }
      - { label: "Paid?", when: { dialler: attendant }, to: paid }
  paid: { kind: status, text: "Ref:" }
  pay: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}." }
`;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The number of each run: of a customer, or of an attendant who pays. */
const customerOf = (run: number) => `0249${String(100_000 + run)}`;
const attendantOf = (run: number) => `0209${String(100_000 + run)}`;
const maxRuns = 50;

async function opened(service: Partial<ServiceConfig> = {}) {
  const till = await createShop({
    service,
    attendants: Array.from({ length: maxRuns }, (_, run) => attendantOf(run)),
    configure(config) {
      const file = join(config.database.file, '..', 'shop.yaml');
      writeFileSync(file, menu);
      const loaded = loadMenu(file);
      if (!loaded.ok) throw new Error('the menu does not load');
      config.merchants = config.merchants.map((one) => ({ ...one, menu: loaded.menu }));
    },
  });
  let runs = 0;
  return { till, next: () => runs++ };
}

/** Creates a phone of the till that adds every screen to `screens`. */
function createRecordingPhone(till: Till, number: string, screens: string[]) {
  const phone = till.phone(number);
  const record = async (shown: Promise<string>) => {
    screens.push(await shown);
    return shown;
  };
  return { dial: () => record(phone.dial()), send: (input: string) => record(phone.send(input)) };
}

/** Returns the key of an option on a screen. */
function keyOf(screen: string, label: string): string {
  return new RegExp(`^(.+)\\. ${label}`, 'm').exec(screen)?.[1] ?? '';
}

type Plan = {
  /** The time of the dial within its minute, in milliseconds. */
  dialledAtMs: number;
  /** The payer confirms in the last minute of a day. */
  isLate: boolean;
  /** The times between keys, and between the last screen and the PIN. */
  gapsMs: readonly number[];
  waitMs: number;
  /** The action in the same millisecond as the approval, and whether it comes first. */
  concurrent: 'dial' | 'confirm' | 'status';
  isBefore: boolean;
  /** The time from then to the redial. */
  laterMs: number;
};

/** Carries out a plan. Returns the collection and all screens in the order of their arrival. */
async function carryOut(till: Till, run: number, plan: Plan) {
  const { clock } = till;
  const payer = plan.concurrent === 'status' ? attendantOf(run) : customerOf(run);
  const screens: string[] = [];
  const own = createRecordingPhone(till, payer, screens);
  const next = () => clock.advance(plan.gapsMs[screens.length % plan.gapsMs.length] ?? 0);

  const into = plan.isLate ? dayMs - minuteMs + plan.dialledAtMs : plan.dialledAtMs;
  const every = plan.isLate ? dayMs : minuteMs;
  await clock.skip((((into - clock.now()) % every) + every) % every);
  await own.dial();
  await next();
  const confirm = await own.send('1');
  await next();
  await own.send(keyOf(confirm, 'Yes'));
  const { id, shortReference } = await till.only(payer);
  await till.until(async () => (await till.service.phone.pending(`233${payer.slice(1)}`)).length > 0);
  await clock.advance(plan.waitMs);

  const act = await prepare(plan.concurrent);
  const pay = async () => {
    await till.approve(payer);
    await clock.advance(0);
  };
  for (const one of plan.isBefore ? [act, pay] : [pay, act]) await one();
  await clock.advance(plan.laterMs);
  await own.dial();
  return { id, screens };

  /** Types the inputs that lead to an action, and returns the action. */
  async function prepare(action: Plan['concurrent']): Promise<() => Promise<unknown>> {
    if (action === 'dial') return () => own.dial();
    const again = await own.dial();
    await next();
    await own.send(keyOf(again, 'New payment'));
    await next();
    const screen = await own.send(action === 'confirm' ? '1' : '2');
    await next();
    return () =>
      own.send(action === 'confirm' ? keyOf(screen, 'Yes') : showShortReference(shortReference ?? ''));
  }
}

async function exported(till: Till, id: string, ...flags: string[]): Promise<string> {
  const { out } = await runLedger(till.config.database.file, ['show', id, '--as-transcript', ...flags], {
    loadTranscriptHead: async () => ({
      ...{ menu: join(till.folder, 'shop.yaml'), merchant: 'Demo Shop', aggregator: 'africastalking' },
      serviceCode: '*713*5#',
      attendants: till.config.merchants.flatMap(({ attendants }) => attendants),
    }),
  });
  return out;
}

/** Removes short references, because a rehearsal has its own. */
const withoutReferences = (screen: string) => screen.replace(/\b\d{4} \d{4}\b/g, '#### ####');

async function expectRoundTrip(till: Till, id: string, shown: readonly string[]): Promise<void> {
  for (const flags of [[], ['--masked']]) {
    const text = await exported(till, id, ...flags);
    const file = join(till.folder, 'exported.yaml');
    writeFileSync(file, text);
    const { out } = await rehearse([file]);
    expect(out, text).toMatch(/^ok .* paid\n$/);
    if (flags.length > 0) continue;
    const { steps } = parse(text) as { steps: (string | Record<string, string>)[] };
    const printed = steps.flatMap((step) => {
      const screen = typeof step === 'string' ? undefined : (step.screen ?? step.end);
      return screen === undefined ? [] : [withoutReferences(screen.replace(/\n$/, ''))];
    });
    expect(printed).toEqual(shown.map(withoutReferences));
  }
}

const plans: fc.Arbitrary<Plan> = fc.record({
  dialledAtMs: fc.constantFrom(0, 1, 30_000, 57_400, 59_900, 59_999),
  isLate: fc.constant(false),
  gapsMs: fc.array(fc.constantFrom(1, 99, 100, 2_400, 2_500, 9_000), { minLength: 1, maxLength: 5 }),
  waitMs: fc.constantFrom(0, 1, 499, 7_000, 58_000),
  concurrent: fc.constantFrom('dial', 'confirm', 'status'),
  isBefore: fc.boolean(),
  laterMs: fc.constantFrom(1, 100, 2_500, 61_000, 700_000),
});

/** Confirmed in the last 100 ms of a minute, with the approval before and after an action in the same millisecond. */
const atTheMinute = { dialledAtMs: 59_898, isLate: false, gapsMs: [1], waitMs: 0, laterMs: 1 };
const examples = (['dial', 'confirm', 'status'] as const).flatMap((concurrent) =>
  [true, false].map((isBefore): [Plan] => [{ ...atTheMinute, concurrent, isBefore }]),
);

test('the transcript of a payment has the same screens, whatever the times of its inputs', async () => {
  const { till, next } = await opened();
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { id, screens } = await carryOut(till, next(), plan);
      await expectRoundTrip(till, id, screens);
    }),
    { examples, numRuns: examples.length + 1, endOnFailure: true },
  );
});

test('a payment in the last minute of a day, shown on the next day, is rehearsed across midnight', async () => {
  const { till, next } = await opened();
  await till.clock.skip(3 * dayMs);
  const plan: Plan = { ...atTheMinute, isLate: true, concurrent: 'dial', isBefore: true, laterMs: 61_000 };
  const { id, screens } = await carryOut(till, next(), plan);
  expect(screens.at(-1)).toContain('was paid at 9 Mar 23:59.');
  await expectRoundTrip(till, id, screens);
});

test('an approval after the default lifetime of a simulated prompt is rehearsed', async () => {
  const { till, next } = await opened({ rail: { promptLifetimeMs: 5 * minuteMs } });
  const plan: Plan = { ...atTheMinute, waitMs: 170_000, concurrent: 'dial', isBefore: false };
  const { id, screens } = await carryOut(till, next(), plan);
  await expectRoundTrip(till, id, screens);
  // Here, a screen showed the pending prompt in between.
  const late = await carryOut(till, next(), { ...plan, isBefore: true });
  await expectRoundTrip(till, late.id, late.screens);
});
