import type { Clock } from '../../../shared/clock.ts';
import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import type { UssdReply } from '../../../shared/ussd.ts';
import { awaitPrompt } from '../../../simulator/await-prompt.ts';
import type { HopFailure, Phone } from '../../../simulator/phone.ts';
import type { Prompt, PromptFailure, PromptRefusal, Prompts } from '../../../simulator/prompts.ts';

/** What the payer does about a prompt. */
export type Decision = { kind: 'approve'; pin: string } | { kind: 'decline' } | { kind: 'ignore' };

/** Who holds the phone: a person at a terminal, or a list of answers. */
export interface Payer {
  /** True when the payer stays for the prompt after the session has ended. */
  readonly staysForPrompt: boolean;
  /** Aborts when the payer leaves while waiting. */
  readonly left?: AbortSignal;
  /** Prompts that waited before the dial: they belong to another collection. */
  seesWaiting(prompts: readonly Prompt[]): void;
  seesScreen(screen: UssdReply): void;
  /** The answer to the open screen; `undefined` to hang up. */
  answers(): Promise<string | undefined>;
  waitsForPrompt(): void;
  /** `on` is another phone than the one that dialled. */
  seesPrompt(prompt: Prompt, on: Msisdn | undefined): void;
  /** What to do about the prompt, after `refusals` refused attempts; `undefined` to give up. */
  decides(refusals: number): Promise<Decision | undefined>;
  isRefused(message: string): void;
}

export type Call = {
  code: string;
  msisdn: Msisdn;
  phone: Phone;
  /** The simulated handset; absent when the service is a live one, whose prompts reach real phones. */
  prompts: Prompts | undefined;
  /** The last collection that was agreed to on the phone, `null` for none, `undefined` where nobody can tell. */
  lastAgreed(): Promise<string | null | undefined>;
  waitMs: number;
  clock: Clock;
};

/** How a call ended, and what belongs to that. */
type Ending =
  | { outcome: 'ended' | 'hung_up' | 'no_prompt' | 'nothing_collected' }
  | { outcome: 'approved' | 'declined' | 'ignored'; prompt: Prompt }
  /** The prompt of a magic number: it ends by itself. */
  | { outcome: 'automatic'; prompt: Prompt; magic: string }
  | { outcome: 'refused'; prompt: Prompt; failure: PromptRefusal }
  | { outcome: 'handset_failed'; prompt?: Prompt; failure: PromptFailure }
  | { outcome: 'gateway_failed'; failure: HopFailure };

export type CallResult = Ending & {
  screens: string[];
  /** True when the gateway's last screen closed the session. */
  ended: boolean;
  /** Whether a payment was agreed to; `undefined` where nobody can tell. */
  collected: boolean | undefined;
  /** How many prompts waited before the dial. */
  waiting: number;
  /** The phone on which the prompt came, where that is not the one that dialled. */
  on?: Msisdn;
};

async function pendingPrompts({ prompts }: Call, msisdn: Msisdn): Promise<readonly Prompt[]> {
  const pending = await prompts?.pending(msisdn);
  // A handset that is silent now is reported when its prompt is awaited.
  return pending?.ok ? pending.prompts : [];
}

async function answerPrompt(prompts: Prompts, prompt: Prompt, payer: Payer): Promise<Ending> {
  let refusal: PromptRefusal | undefined;
  for (let refusals = 0; ; refusals++) {
    const decision = await payer.decides(refusals);
    if (!decision && refusal) return { outcome: 'refused', prompt, failure: refusal };
    if (!decision || decision.kind === 'ignore') return { outcome: 'ignored', prompt };
    const decided =
      decision.kind === 'approve'
        ? await prompts.approve(prompt.id, decision.pin)
        : await prompts.decline(prompt.id);
    if (decided.ok) return { outcome: decided.status, prompt };
    if (decided.reason === 'unavailable') return { outcome: 'handset_failed', prompt, failure: decided };
    payer.isRefused(decided.message);
    refusal = decided;
    const mayTryAgain = decided.code === 'wrong_pin' || decided.code === 'invalid_pin';
    if (!mayTryAgain) return { outcome: 'refused', prompt, failure: refusal };
  }
}

/** Phones on which the prompt may come, and the prompts that waited on them before. */
type Watched = { phones: Set<Msisdn>; prompts: Set<string> };

async function receivePrompt(call: Call, payer: Payer, watched: Watched): Promise<Ending & { on?: Msisdn }> {
  payer.waitsForPrompt();
  const { prompts, clock, msisdn, waitMs } = call;
  if (!prompts) return { outcome: 'ended' };
  const awaited = await awaitPrompt(prompts, clock, {
    msisdns: [...watched.phones],
    known: watched.prompts,
    waitMs,
    ...(payer.left && { signal: payer.left }),
  });
  if (!awaited.ok) return { outcome: 'handset_failed', failure: awaited };
  if (!awaited.prompt) return { outcome: 'no_prompt' };
  const { prompt } = awaited;
  const on = awaited.on === msisdn ? undefined : awaited.on;
  payer.seesPrompt(prompt, on);
  const ending: Ending =
    prompt.magic === undefined
      ? await answerPrompt(prompts, prompt, payer)
      : { outcome: 'automatic', prompt, magic: prompt.magic };
  return { ...ending, ...(on && { on }) };
}

/** Another phone may be the one that pays: from when its number is typed, what comes to it is new. */
async function watch(call: Call, watched: Watched, typed: string): Promise<void> {
  const phone = parseMsisdn(typed);
  if (phone === undefined || watched.phones.has(phone)) return;
  watched.phones.add(phone);
  for (const { id } of await pendingPrompts(call, phone)) watched.prompts.add(id);
}

/** Whether a payment was agreed to since then. */
async function hasAgreed(call: Call, before: string | null | undefined): Promise<boolean | undefined> {
  const after = before === undefined ? undefined : await call.lastAgreed();
  return after === undefined ? undefined : after !== null && after !== before;
}

/**
 * One call from the dial to the decision about the prompt: screens and answers until the session ends, then the
 * wait for a prompt that was not there before, on this phone or on one that was typed, then the payer's decision, unless
 * the prompt ends by itself. Where nothing was agreed to, no prompt is waited for.
 */
export async function runCall(call: Call, payer: Payer): Promise<CallResult> {
  const { staysForPrompt } = payer;
  const before = staysForPrompt ? await pendingPrompts(call, call.msisdn) : [];
  if (before.length > 0) payer.seesWaiting(before);
  const watched: Watched = { phones: new Set([call.msisdn]), prompts: new Set(before.map(({ id }) => id)) };
  if (staysForPrompt) {
    for (const typed of call.code.split(/[*#]/)) await watch(call, watched, typed);
  }
  const agreed = await call.lastAgreed();
  const waiting = before.length;
  const screens: string[] = [];
  let hop = await call.phone.dial(call.code);
  for (;;) {
    if (!hop.ok) {
      const collected = await hasAgreed(call, agreed);
      return { screens, ended: false, outcome: 'gateway_failed', failure: hop, collected, waiting };
    }
    screens.push(hop.screen.text);
    payer.seesScreen(hop.screen);
    if (call.phone.ended()) break;
    const input = await payer.answers();
    if (input === undefined) return { screens, ended: false, outcome: 'hung_up', collected: false, waiting };
    if (staysForPrompt) await watch(call, watched, input);
    hop = await call.phone.send(input);
  }
  const collected = await hasAgreed(call, agreed);
  const end = { screens, ended: true, collected, waiting };
  if (!call.prompts || !staysForPrompt) return { ...end, outcome: 'ended' };
  if (collected === false) return { ...end, outcome: 'nothing_collected' };
  const received = await receivePrompt(call, payer, watched);
  // A prompt comes of a payment alone.
  return { ...end, ...received, collected: 'prompt' in received && received.prompt ? true : collected };
}
