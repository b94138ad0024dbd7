import type { Clock } from '../../../shared/clock.ts';
import { type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import type { UssdReply } from '../../../shared/ussd.ts';
import type { Phone, PhoneFailure } from '../../../simulator/phone.ts';
import {
  awaitPrompt,
  type PendingPrompt,
  type PromptAnswerFailure,
  type PromptRejection,
  type Prompts,
} from '../../../simulator/prompts.ts';

export type PromptDecision = { kind: 'approve'; pin: string } | { kind: 'decline' } | { kind: 'ignore' };

/** The user of the phone: a person at a terminal, or a list of inputs. */
export interface PhoneUser {
  /** True when the user waits for the prompt after the session has ended. */
  readonly awaitsPrompt: boolean;
  /** Aborts when the user leaves while waiting. */
  readonly left?: AbortSignal;
  /** Shows the prompts that were open before the dial. They belong to other collections. */
  showOpenPrompts(prompts: readonly PendingPrompt[]): void;
  showScreen(screen: UssdReply): void;
  /** Returns the input for the current screen; `undefined` to hang up. */
  readInput(): Promise<string | undefined>;
  showWaiting(): void;
  /** @param otherPhone the phone that received the prompt, when it is not the one that dialled. */
  showPrompt(prompt: PendingPrompt, otherPhone: Msisdn | undefined): void;
  /** Returns the decision about the prompt after `rejections` rejected ones; `undefined` to stop asking. */
  readDecision(rejections: number): Promise<PromptDecision | undefined>;
  showRejection(message: string): void;
}

export type DialCall = {
  code: string;
  msisdn: Msisdn;
  phone: Phone;
  /** The simulated phone; absent for a live service, whose prompts reach real phones. */
  prompts: Prompts | undefined;
  /** Returns the id of the phone's newest collection, `null` for none, `undefined` when the ledger is not readable. */
  lastCollectionId(): Promise<string | null | undefined>;
  waitMs: number;
  clock: Clock;
};

type Outcome =
  | { outcome: 'ended' | 'hung_up' | 'no_prompt' | 'nothing_collected' }
  | { outcome: 'approved' | 'declined' | 'ignored'; prompt: PendingPrompt }
  /** A magic number answers its prompt itself. */
  | { outcome: 'automatic'; prompt: PendingPrompt; magic: string }
  | { outcome: 'rejected'; prompt: PendingPrompt; failure: PromptRejection }
  | { outcome: 'phone_failed'; prompt?: PendingPrompt; failure: PromptAnswerFailure }
  | { outcome: 'gateway_failed'; failure: PhoneFailure };

export type CallResult = Outcome & {
  screens: string[];
  ended: boolean;
  /** True when the dialogue opened a collection; `undefined` when it is unknown. */
  collected: boolean | undefined;
  olderPrompts: number;
  /** The phone that received the prompt, when it is not the one that dialled. */
  promptPhone?: Msisdn;
};

type Watched = { phones: Set<Msisdn>; olderPrompts: Set<string> };

/**
 * Makes one call: dials, answers screens until the session ends, waits for a new prompt, and answers it. The prompt can
 * reach the phone that dialled or a phone whose number was entered. Without a new collection there is no wait.
 */
export async function runCall(call: DialCall, user: PhoneUser): Promise<CallResult> {
  const older = user.awaitsPrompt ? await openPrompts(call, call.msisdn) : [];
  if (older.length > 0) user.showOpenPrompts(older);
  const watched: Watched = {
    phones: new Set([call.msisdn]),
    olderPrompts: new Set(older.map(({ id }) => id)),
  };
  if (user.awaitsPrompt) {
    for (const suffix of call.code.split(/[*#]/)) await watchPhone(call, watched, suffix);
  }
  const previousId = await call.lastCollectionId();
  const screens: string[] = [];
  const common = { screens, olderPrompts: older.length };
  let hop = await call.phone.dial(call.code);
  for (;;) {
    if (!hop.ok) {
      const collected = await hasCollected(call, previousId);
      return { ...common, ended: false, outcome: 'gateway_failed', failure: hop, collected };
    }
    screens.push(hop.screen.text);
    user.showScreen(hop.screen);
    if (call.phone.ended()) break;
    const input = await user.readInput();
    if (input === undefined) return { ...common, ended: false, outcome: 'hung_up', collected: false };
    if (user.awaitsPrompt) await watchPhone(call, watched, input);
    hop = await call.phone.send(input);
  }
  const collected = await hasCollected(call, previousId);
  const end = { ...common, ended: true, collected };
  if (!call.prompts || !user.awaitsPrompt) return { ...end, outcome: 'ended' };
  if (collected === false) return { ...end, outcome: 'nothing_collected' };
  const received = await receivePrompt({ ...call, prompts: call.prompts }, user, watched);
  // A prompt proves that there is a collection.
  return { ...end, ...received, collected: 'prompt' in received && received.prompt ? true : collected };
}

async function openPrompts({ prompts }: DialCall, msisdn: Msisdn): Promise<readonly PendingPrompt[]> {
  const pending = await prompts?.pending(msisdn);
  // A failure of the simulated phone is reported later, when the new prompt is awaited.
  return pending?.ok ? pending.prompts : [];
}

/** Adds the phone whose number was entered, because it may be the one that pays. */
async function watchPhone(call: DialCall, watched: Watched, input: string): Promise<void> {
  const msisdn = parseMsisdn(input);
  if (msisdn === undefined || watched.phones.has(msisdn)) return;
  watched.phones.add(msisdn);
  for (const { id } of await openPrompts(call, msisdn)) watched.olderPrompts.add(id);
}

/** True when the phone has a newer collection than the previous one. */
async function hasCollected(
  call: DialCall,
  previousId: string | null | undefined,
): Promise<boolean | undefined> {
  const lastId = previousId === undefined ? undefined : await call.lastCollectionId();
  return lastId === undefined ? undefined : lastId !== null && lastId !== previousId;
}

async function receivePrompt(
  { prompts, clock, msisdn, waitMs }: DialCall & { prompts: Prompts },
  user: PhoneUser,
  watched: Watched,
): Promise<Outcome & { promptPhone?: Msisdn }> {
  user.showWaiting();
  const awaited = await awaitPrompt(prompts, clock, {
    msisdns: [...watched.phones],
    known: watched.olderPrompts,
    waitMs,
    ...(user.left && { signal: user.left }),
  });
  if (!awaited.ok) return { outcome: 'phone_failed', failure: awaited };
  if (!awaited.prompt) return { outcome: 'no_prompt' };
  const { prompt } = awaited;
  const otherPhone = awaited.on === msisdn ? undefined : awaited.on;
  user.showPrompt(prompt, otherPhone);
  const outcome: Outcome =
    prompt.magic === undefined
      ? await answerPrompt(prompts, prompt, user)
      : { outcome: 'automatic', prompt, magic: prompt.magic };
  return { ...outcome, ...(otherPhone && { promptPhone: otherPhone }) };
}

/** Asks the user for decisions until one is accepted, or until another attempt is not possible. */
async function answerPrompt(prompts: Prompts, prompt: PendingPrompt, user: PhoneUser): Promise<Outcome> {
  let rejection: PromptRejection | undefined;
  for (let rejections = 0; ; rejections++) {
    const decision = await user.readDecision(rejections);
    if (!decision && rejection) return { outcome: 'rejected', prompt, failure: rejection };
    if (!decision || decision.kind === 'ignore') return { outcome: 'ignored', prompt };
    const decided =
      decision.kind === 'approve'
        ? await prompts.approve(prompt.id, decision.pin)
        : await prompts.decline(prompt.id);
    if (decided.ok) return { outcome: decided.status, prompt };
    if (decided.reason === 'unavailable') return { outcome: 'phone_failed', prompt, failure: decided };
    user.showRejection(decided.message);
    rejection = decided;
    const canRetry = decided.code === 'wrong_pin' || decided.code === 'invalid_pin';
    if (!canRetry) return { outcome: 'rejected', prompt, failure: rejection };
  }
}
