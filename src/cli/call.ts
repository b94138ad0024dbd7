import { awaitPrompt } from '../handset/await-prompt.ts';
import type { HopFailure, Phone } from '../handset/phone.ts';
import type { Prompt, PromptFailure, PromptRefusal, Prompts } from '../handset/prompts.ts';
import type { Clock } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { UssdReply } from '../ussd/turn.ts';

/** What the payer does about a prompt. */
export type Decision = { kind: 'approve'; pin: string } | { kind: 'decline' } | { kind: 'ignore' };

/** Who holds the phone: a person at a terminal, or a list of answers. */
export interface Payer {
  /** True when the payer stays for the prompt after the session has ended. */
  readonly staysForPrompt: boolean;
  /** Aborts when the payer leaves while waiting. */
  readonly left?: AbortSignal;
  seesScreen(screen: UssdReply): void;
  /** The answer to the open screen; `undefined` to hang up. */
  answers(): Promise<string | undefined>;
  waitsForPrompt(): void;
  seesPrompt(prompt: Prompt): void;
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
  waitMs: number;
  clock: Clock;
};

/** How a call ended, and what belongs to that. */
type Ending =
  | { outcome: 'ended' | 'hung_up' | 'no_prompt' }
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
};

async function knownPrompts({ prompts, msisdn }: Call): Promise<ReadonlySet<string>> {
  const pending = await prompts?.pending(msisdn);
  // A handset that is silent now is reported when its prompt is awaited.
  return new Set(pending?.ok ? pending.prompts.map((one) => one.id) : []);
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

async function receivePrompt(call: Call, payer: Payer, known: ReadonlySet<string>): Promise<Ending> {
  if (!call.prompts || !payer.staysForPrompt) return { outcome: 'ended' };
  payer.waitsForPrompt();
  const awaited = await awaitPrompt(call.prompts, call.clock, {
    msisdn: call.msisdn,
    known,
    waitMs: call.waitMs,
    ...(payer.left && { signal: payer.left }),
  });
  if (!awaited.ok) return { outcome: 'handset_failed', failure: awaited };
  if (!awaited.prompt) return { outcome: 'no_prompt' };
  const { prompt } = awaited;
  payer.seesPrompt(prompt);
  if (prompt.magic !== undefined) return { outcome: 'automatic', prompt, magic: prompt.magic };
  return answerPrompt(call.prompts, prompt, payer);
}

/**
 * One call from the dial to the decision about the prompt: screens and answers until the session ends, then the
 * wait for a prompt that was not there before, then the payer's decision, unless the prompt ends by itself.
 */
export async function makeCall(call: Call, payer: Payer): Promise<CallResult> {
  const known = payer.staysForPrompt ? await knownPrompts(call) : new Set<string>();
  const screens: string[] = [];
  let hop = await call.phone.dial(call.code);
  for (;;) {
    if (!hop.ok) return { screens, ended: false, outcome: 'gateway_failed', failure: hop };
    screens.push(hop.screen.text);
    payer.seesScreen(hop.screen);
    if (call.phone.ended()) break;
    const input = await payer.answers();
    if (input === undefined) return { screens, ended: false, outcome: 'hung_up' };
    hop = await call.phone.send(input);
  }
  return { screens, ended: true, ...(await receivePrompt(call, payer, known)) };
}
