import { UserError, unreachable } from '../shared/errors.ts';
import { formatCedis } from '../shared/money.ts';
import { localForm, type Operator, parseMsisdn } from '../shared/msisdn.ts';
import { readShortReference, showShortReference } from '../shared/short-reference.ts';
import type { Collected, TillPhone, TillPrompt, TillScreen } from './phone.ts';
import { createTill, type Till } from './till.ts';
import type { Transcript, TranscriptStep } from './transcript.ts';

/** A difference from the transcript. `expected` and `actual` are the texts of screens that differ. */
export type Difference = { line: number; message: string; expected?: string; actual?: string };

/** An actual screen, which replaces the step at `index` of the transcript or is missing after it. */
export type ActualScreen = { screen: TillScreen; index: number; place: 'replace' | 'after' };

export type Played = {
  /** The number of screens compared. */
  screens: number;
  differences: Difference[];
  /** The screens with which the transcript would have no differences in its screens. */
  actualScreens: ActualScreen[];
  /** The last collection; `undefined` without one. */
  collected: Collected | undefined;
};

/** Plays a transcript against its own till and compares every screen. An impossible step ends the playback; a different screen does not. */
export async function playTranscript(transcript: Transcript): Promise<Played> {
  const { msisdn, operator, steps, menu, handlers, lookups, merchant, channel, timeZone } = transcript;
  const { attendants = [], limits = {}, timings = {}, fees = [], promptLifetime, time } = transcript;
  const till = await createTill({
    ...{ menu, handlers, lookups, merchant, channel, timeZone, attendants, limits, timings, fees },
    ...(promptLifetime === undefined ? {} : { promptLifetime }),
    ...(time === undefined ? {} : { time }),
  });
  try {
    const phones = createPhones(till);
    const phone = phones.of({ msisdn, operator });
    const state: State = { transcript, phones, phone, prompt: undefined, played: emptyResult() };
    for (const [at, step] of steps.entries()) {
      const problem = await tryStep(state, at, step);
      if (problem === undefined) continue;
      addDifference(state, at, { message: `${step.kind}: ${problem}` });
      break;
    }
    return { ...state.played, collected: await phones.lastCollected() };
  } finally {
    await till.close();
  }
}

type Phones = ReturnType<typeof createPhones>;

/** Creates the phones of a transcript. Each keeps its session while another one is used. */
function createPhones(till: Till) {
  const phones = new Map<string, TillPhone>();
  return {
    of({ msisdn, operator }: { msisdn: string; operator?: Operator | undefined }): TillPhone {
      const key = parseMsisdn(msisdn) ?? msisdn;
      const phone = phones.get(key) ?? till.phone(msisdn, operator === undefined ? {} : { operator });
      phones.set(key, phone);
      return phone;
    },
    async lastCollected(): Promise<Collected | undefined> {
      const found = await Promise.all([...phones.values()].map((phone) => phone.collection()));
      return found
        .filter((one) => one !== undefined)
        .sort((a, b) => b.openedAt - a.openedAt)
        .at(0);
    },
  };
}

type State = {
  transcript: Transcript;
  phones: Phones;
  /** The phone that the steps use. */
  phone: TillPhone;
  /** The last prompt that arrived. */
  prompt: TillPrompt | undefined;
  played: Omit<Played, 'collected'>;
};

const emptyResult = (): State['played'] => ({ screens: 0, differences: [], actualScreens: [] });

function addDifference(
  { transcript, played }: State,
  at: number,
  difference: Omit<Difference, 'line'>,
): void {
  played.differences.push({ line: transcript.lineOf(at), ...difference });
}

/** Runs one step. Returns the reason when it is impossible. */
async function tryStep(state: State, at: number, step: TranscriptStep): Promise<string | undefined> {
  try {
    await runStep(state, at, step);
    return undefined;
  } catch (fault) {
    if (fault instanceof UserError) return fault.message;
    throw fault;
  }
}

async function runStep(state: State, at: number, step: TranscriptStep): Promise<void> {
  const { phone } = state;
  switch (step.kind) {
    case 'phone':
      state.phone = state.phones.of(step.value);
      return;
    case 'dial':
      return expectNextScreen(state, at, await phone.dial(step.value));
    case 'send':
      return expectNextScreen(state, at, await phone.send(step.value));
    case 'repeat':
      return expectNextScreen(state, at, await phone.repeat());
    case 'screen':
    case 'end':
      return compareScreen(state, at, step);
    case 'drop':
      return phone.drop();
    case 'leave':
      return phone.leave();
    case 'timeout':
      return phone.timeout();
    case 'wait':
      return phone.advance(step.value);
    case 'until':
      return phone.until(step.value);
    case 'prompt':
      return awaitPrompt(state, at, step.value);
    case 'approve':
      return getPrompt(state).approve(step.value);
    case 'decline':
      return getPrompt(state).decline();
    case 'fail':
      return getPrompt(state).fail(step.value);
    case 'charge':
      return getPrompt(state).charge(step.value);
    case 'expect':
      return compareCollected(state, at, step.value);
    default:
      return unreachable(step);
  }
}

const replyKinds = { screen: 'continue', end: 'end' } as const;
const descriptions = {
  continue: 'a screen that waits for an input',
  end: 'the end of the session',
} as const;

/** Adds a difference when the next step does not compare the screen. */
function expectNextScreen(state: State, at: number, screen: TillScreen): void {
  const next = state.transcript.steps[at + 1]?.kind;
  if (next === 'screen' || next === 'end' || next === 'drop') return;
  const message = 'expected screen, end or drop as the next step (--update writes it)';
  addDifference(state, at, { message, expected: '', actual: screen.text });
  state.played.actualScreens.push({ screen, index: at, place: 'after' });
}

function compareScreen(
  state: State,
  at: number,
  step: Extract<TranscriptStep, { kind: 'screen' | 'end' }>,
): void {
  const { phone, played } = state;
  const screen = phone.shown();
  if (!screen) throw new UserError('no code was dialled yet');
  const expected = { kind: replyKinds[step.kind], text: step.value };
  played.screens++;
  if (screen.kind === expected.kind && screen.text === expected.text) return;
  const message =
    screen.kind === expected.kind
      ? `${step.kind} differs`
      : `expected ${descriptions[expected.kind]}, found ${descriptions[screen.kind]}`;
  addDifference(state, at, { message, expected: expected.text, actual: screen.text });
  played.actualScreens.push({ screen, index: at, place: 'replace' });
}

type ValueOf<K extends TranscriptStep['kind']> = Extract<TranscriptStep, { kind: K }>['value'];

async function awaitPrompt(state: State, at: number, expected: ValueOf<'prompt'>): Promise<void> {
  const { amount, msisdn } = expected === true ? {} : expected;
  const prompt = await state.phone.prompt(msisdn === undefined ? {} : { msisdn });
  state.prompt = prompt;
  if (amount === undefined || amount === prompt.amountMinor) return;
  const message = `prompt.amount: expected ${formatCedis(amount)}, found ${formatCedis(prompt.amountMinor)}`;
  addDifference(state, at, { message });
}

function getPrompt({ prompt }: State): TillPrompt {
  if (!prompt) throw new UserError('expected a prompt step before it');
  return prompt;
}

async function compareCollected(state: State, at: number, expectation: ValueOf<'expect'>): Promise<void> {
  const { phone } = state;
  if (expectation.status === 'none') {
    const found = await phone.collection();
    if (!found || found.openedAt < phone.dialledAt()) return;
    return addDifference(state, at, { message: `expect.status: expected none, found ${found.status}` });
  }
  const found = await phone.untilStatus(expectation.status);
  const pairs: [name: string, expected: string | undefined, actual: string][] = [
    ['amount', formatAmount(expectation.amount), formatAmount(found.goodsMinor) ?? ''],
    ['fee', formatAmount(expectation.fee), formatAmount(found.feeMinor ?? undefined) ?? 'no quote'],
    ['payer', formatNumber(expectation.payer), found.payer],
    ['reference', expectation.reference, found.reference],
    [
      'answers',
      expectation.answers && formatAnswers(Object.entries(expectation.answers)),
      formatAnswers(found.answers.map(({ name, value }) => [name, value])),
    ],
    ['reason', expectation.reason, found.reason ?? 'none'],
    ['retry_of', expectation.retry_of?.toString(), String(found.retryOf !== null)],
    [
      'short_reference',
      formatShortReference(expectation.short_reference),
      showShortReference(found.shortReference),
    ],
  ];
  for (const [name, expected, actual] of pairs) {
    if (expected === undefined || expected === actual) continue;
    addDifference(state, at, { message: `expect.${name}: expected ${expected}, found ${actual}` });
  }
}

function formatAmount(minor: number | undefined): string | undefined {
  return minor === undefined ? undefined : formatCedis(minor);
}

/** Formats answers in the order of their names. */
function formatAnswers(answers: readonly (readonly [name: string, value: string])[]): string {
  const lines = answers.map(([name, value]) => `${name}: ${value}`).sort();
  return lines.join(', ') || 'none';
}

function formatShortReference(text: string | undefined): string | undefined {
  const digits = text === undefined ? undefined : readShortReference(text);
  return digits && showShortReference(digits);
}

function formatNumber(text: string | undefined): string | undefined {
  const msisdn = text === undefined ? undefined : parseMsisdn(text);
  return msisdn && localForm(msisdn);
}
