import { UserError, unreachable } from '../shared/errors.ts';
import { formatCedis } from '../shared/money.ts';
import { localForm, type Operator, parseMsisdn } from '../shared/msisdn.ts';
import { readShortReference, showShortReference } from '../shared/short-reference.ts';
import type { Collected } from './collected.ts';
import type { Phone, Prompt, Screen } from './phone.ts';
import { createTill, type Till } from './till.ts';
import type { Step, Transcript } from './transcript.ts';

/** What is not as the transcript has it. Where screens differ, both texts are told. */
export type Difference = { line: number; message: string; expected?: string; got?: string };

/** A screen that the transcript should have: in the place of a step, or behind one that has none. */
export type Heard = { screen: Screen; at: number; place: 'instead' | 'behind' };

export type Played = {
  /** Screens that were compared. */
  screens: number;
  differences: Difference[];
  /** What would make the transcript's screens those that came. */
  heard: Heard[];
  /** What the last payment came to; `undefined` when nothing was agreed to. */
  collected: Collected | undefined;
};

/**
 * Plays a transcript against a till of its own, and compares every screen. A step that cannot be taken ends it; a
 * screen that is otherwise does not.
 */
export async function playTranscript(transcript: Transcript): Promise<Played> {
  const { msisdn, operator, steps, menu, handlers, lookups, merchant, channel } = transcript;
  const { attendants = [], limits = {}, timings = {}, time } = transcript;
  const till = await createTill({
    ...{ menu, handlers, lookups, merchant, channel, attendants, limits, timings },
    ...(time === undefined ? {} : { time }),
  });
  try {
    const phones = createPhones(till);
    const phone = phones.of({ msisdn, operator });
    const state: State = { transcript, phones, phone, prompt: undefined, played: nothingPlayed() };
    for (const [at, step] of steps.entries()) {
      const refused = await take(state, at, step);
      if (refused === undefined) continue;
      differ(state, at, { message: `${step.kind}: ${refused}` });
      break;
    }
    return { ...state.played, collected: await phones.lastCollected() };
  } finally {
    await till.close();
  }
}

type Phones = ReturnType<typeof createPhones>;

/** The phones of a transcript: each keeps its session while another is in hand. */
function createPhones(till: Till) {
  const phones = new Map<string, Phone>();
  return {
    of({ msisdn, operator }: { msisdn: string; operator?: Operator | undefined }): Phone {
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
  /** The one in hand. */
  phone: Phone;
  /** The last prompt that came. */
  prompt: Prompt | undefined;
  played: Omit<Played, 'collected'>;
};

const nothingPlayed = (): State['played'] => ({ screens: 0, differences: [], heard: [] });

function differ({ transcript, played }: State, at: number, difference: Omit<Difference, 'line'>): void {
  played.differences.push({ line: transcript.lineOf(at), ...difference });
}

/** Takes one step, and says why where it cannot be taken. */
async function take(state: State, at: number, step: Step): Promise<string | undefined> {
  try {
    await act(state, at, step);
    return undefined;
  } catch (fault) {
    if (fault instanceof UserError) return fault.message;
    throw fault;
  }
}

async function act(state: State, at: number, step: Step): Promise<void> {
  const { phone } = state;
  switch (step.kind) {
    case 'phone':
      state.phone = state.phones.of(step.value);
      return;
    case 'dial':
      return hear(state, at, await phone.dial(step.value));
    case 'send':
      return hear(state, at, await phone.send(step.value));
    case 'repeat':
      return hear(state, at, await phone.repeat());
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
      return promptOf(state).approve(step.value);
    case 'decline':
      return promptOf(state).decline();
    case 'expect':
      return compareCollected(state, at, step.value);
    default:
      return unreachable(step);
  }
}

const kindOf = { screen: 'continue', end: 'end' } as const;
const told = { continue: 'a screen that goes on', end: 'the end of the session' } as const;

/** An answer that the transcript says nothing about would never be compared. */
function hear(state: State, at: number, screen: Screen): void {
  const next = state.transcript.steps[at + 1]?.kind;
  if (next === 'screen' || next === 'end' || next === 'drop') return;
  const message = 'expected screen, end or drop in the next step (--update writes it)';
  differ(state, at, { message, expected: '', got: screen.text });
  state.played.heard.push({ screen, at, place: 'behind' });
}

function compareScreen(state: State, at: number, step: Extract<Step, { kind: 'screen' | 'end' }>): void {
  const { phone, played } = state;
  const screen = phone.shown();
  if (!screen) throw new UserError('nothing was dialled yet');
  const expected = { kind: kindOf[step.kind], text: step.value };
  played.screens++;
  if (screen.kind === expected.kind && screen.text === expected.text) return;
  const message =
    screen.kind === expected.kind
      ? `${step.kind} is otherwise`
      : `expected ${told[expected.kind]}, got ${told[screen.kind]}`;
  differ(state, at, { message, expected: expected.text, got: screen.text });
  played.heard.push({ screen, at, place: 'instead' });
}

type Asked<K extends Step['kind']> = Extract<Step, { kind: K }>['value'];

async function awaitPrompt(state: State, at: number, asked: Asked<'prompt'>): Promise<void> {
  const { amount, msisdn } = asked === true ? {} : asked;
  const prompt = await state.phone.prompt(msisdn === undefined ? {} : { msisdn });
  state.prompt = prompt;
  if (amount === undefined || amount === prompt.amountMinor) return;
  const message = `prompt.amount: expected ${formatCedis(amount)}, got ${formatCedis(prompt.amountMinor)}`;
  differ(state, at, { message });
}

function promptOf({ prompt }: State): Prompt {
  if (!prompt) throw new UserError('expected a step with prompt before it');
  return prompt;
}

async function compareCollected(state: State, at: number, asked: Asked<'expect'>): Promise<void> {
  const { phone } = state;
  if (asked.status === 'none') {
    const found = await phone.collection();
    if (!found || found.openedAt < phone.dialledAt()) return;
    return differ(state, at, { message: `expect.status: expected none, got ${found.status}` });
  }
  const found = await phone.untilStatus(asked.status);
  const pairs: [name: string, expected: string | undefined, got: string][] = [
    ['amount', shownAmount(asked.amount), shownAmount(found.goodsMinor) ?? ''],
    ['fee', shownAmount(asked.fee), shownAmount(found.feeMinor ?? undefined) ?? 'nothing quoted'],
    ['payer', shownNumber(asked.payer), found.payer],
    ['reference', asked.reference, found.reference],
    ['reason', asked.reason, found.reason ?? 'none'],
    ['retry_of', asked.retry_of?.toString(), String(found.retryOf !== null)],
    ['short_reference', spokenReference(asked.short_reference), showShortReference(found.shortReference)],
  ];
  for (const [name, expected, got] of pairs) {
    if (expected === undefined || expected === got) continue;
    differ(state, at, { message: `expect.${name}: expected ${expected}, got ${got}` });
  }
}

function shownAmount(minor: number | undefined): string | undefined {
  return minor === undefined ? undefined : formatCedis(minor);
}

function spokenReference(text: string | undefined): string | undefined {
  const digits = text === undefined ? undefined : readShortReference(text);
  return digits && showShortReference(digits);
}

function shownNumber(text: string | undefined): string | undefined {
  const msisdn = text === undefined ? undefined : parseMsisdn(text);
  return msisdn && localForm(msisdn);
}
