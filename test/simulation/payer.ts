import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import { minute, second } from '../kit/clock.ts';
import type { Call, createAggregator } from './aggregator.ts';
import { type Confirmation, readConfirmation } from './confirmation.ts';
import type { Oracle } from './oracle/oracle.ts';
import type { Prompt } from './oracle/session.ts';
import type { Part } from './scene.ts';

export type PayerDeps = Part & {
  aggregator: ReturnType<typeof createAggregator>;
  oracle: Pick<Oracle, 'approve' | 'decline'>;
  /** Resolves as soon as the phones are not blocked. */
  passPayer(): Promise<void>;
  /** Called when a payer reads that a prompt was sent. */
  onAnnounced(screen: { channel: string; session: string }): void;
  channels: readonly [string, ...string[]];
  /** Short references that payers have read on a screen, for attendants to type. */
  references: string[];
  /** Numbers that can be typed as the paying number. */
  numbers: readonly [Msisdn, ...Msisdn[]];
};

export type Payer = {
  msisdn: Msisdn;
  /** Everything that this payer confirmed. */
  confirmations: readonly Confirmation[];
  /** Dials, with the habits of this payer, and perhaps redials. */
  visit(): Promise<void>;
  /** Dials as one of many who do the same at the same moment. */
  join(crowd: Crowd): Promise<void>;
  /** Shows a prompt on the phone. */
  onPrompt(prompt: Prompt): void;
};

/** Nobody reads a screen and answers it faster. */
const fastestMs = 600;

/** The labels that each plan chooses on a screen; the first one that is present wins. */
const preferredLabels = {
  pay: ['My number', 'Continue', 'New payment', 'Yes'],
  bill: ['Bill', 'Continue', 'New payment', 'Yes'],
  other: ['Other number', 'Start over', 'New payment', 'Yes'],
  again: ['Send prompt again', 'How to approve', 'Continue', 'My number', 'Yes'],
  paid: ['Paid?', 'New payment', 'Start over'],
  requests: ['Requests', 'New payment'],
} as const;

type Habit = { action: 'approve' | 'decline' | 'ignore'; minSeconds: number; maxSeconds: number };

/** How payers answer prompts, and after how many seconds. */
const answers: readonly [Habit, ...Habit[]] = [
  { action: 'approve', minSeconds: 3, maxSeconds: 60 },
  { action: 'approve', minSeconds: 3, maxSeconds: 25 },
  { action: 'approve', minSeconds: 60, maxSeconds: 290 },
  { action: 'approve', minSeconds: 200, maxSeconds: 4_000 },
  { action: 'decline', minSeconds: 5, maxSeconds: 60 },
  { action: 'ignore', minSeconds: 1, maxSeconds: 1 },
];

function optionsOf(text: string): { key: string; label: string }[] {
  return Array.from(text.matchAll(/^(\d+)\. (.*)$/gm), ([, key = '', label = '']) => ({ key, label }));
}

/** What the payers of a crowd have in common: whether each pays alone, the phone that all name, where they dial, and their pace. */
export type Crowd = {
  plan: 'pay' | 'other';
  payer: Msisdn;
  channels: readonly [string, ...string[]];
  paceMs: number;
};

/** Simulates one payer: dials, mistypes, leaves, redials, and approves early, late or never. */
export function createPayer(
  msisdn: Msisdn,
  { scheduler, aggregator, oracle, has, ...deps }: PayerDeps,
): Payer {
  const random = deps.random.fork(`payer ${msisdn}`);
  const thinkTimeMs = random.pick([2_500, 2_500, 5_000, fastestMs]);
  const confirmations: Confirmation[] = [];

  function inputFor(text: string, plan: keyof typeof preferredLabels): string {
    if (random.happens(0.04)) return random.pick(['', '9', '77', 'x', '0', '00', '1*1', '99999']);
    if (text.includes('Amount:')) return random.pick(['20', '5', '7.50', '20', '1200']);
    if (text.includes('Number that pays:')) return `0${random.pick(deps.numbers).slice(3)}`;
    if (text.includes('Bill:')) return random.pick(['INV-1234', 'INV-0042']);
    if (text.includes('Short reference:')) return random.pick(['12345678', ...deps.references]);
    const options = optionsOf(text);
    if (options[0] && random.happens(0.04)) return random.pick([options[0], ...options]).key;
    for (const preferred of preferredLabels[plan]) {
      const found = options.find(({ label }) => label === preferred);
      if (found) return found.key;
    }
    const [first = { key: '1', label: '' }, ...rest] = options;
    return random.pick([first, ...rest]).key;
  }

  /** Types a key. A key that can count as a confirmation is recorded as one. */
  async function type(call: Call, text: string, input: string): Promise<UssdReply | undefined> {
    const [, label] =
      new RegExp(`^${input.replaceAll('*', '\\*')}\\. (Yes|Send prompt again)$`, 'm').exec(text) ?? [];
    if (label === undefined) return call.next(input);
    confirmations.push(readConfirmation(text));
    if (label !== 'Yes') deps.count('prompts sent again');
    const shown = await call.next(input);
    if (shown?.kind === 'end' && shown.text.startsWith('Approve GHS')) {
      deps.count('prompts announced');
      deps.onAnnounced(call);
    }
    return shown;
  }

  /** The last session that this payer left before its end, and its screen. */
  let left: { call: Call; text: string } | undefined;

  /** Types a key in a session that was left, after another dial. */
  async function typeLate(): Promise<void> {
    if (!left) return;
    const { call, text } = left;
    left = undefined;
    deps.count('late keys');
    const shown = await type(call, text, inputFor(text, random.pick(['again', 'pay'])));
    if (shown?.kind === 'continue') left = { call, text: shown.text };
  }

  function remember(text: string): void {
    const [, reference] = /Ref (\d{4} \d{4})/.exec(text) ?? [];
    if (reference !== undefined) deps.references.push(reference);
  }

  async function runSession(plan: keyof typeof preferredLabels): Promise<void> {
    const call = aggregator.open(random.pick(deps.channels), msisdn);
    let shown = await call.next();
    if (random.happens(0.3)) await typeLate();
    for (let screens = 0; screens < 12 && shown?.kind === 'continue'; screens++) {
      await scheduler.sleep(thinkTimeMs + random.int(0, random.happens(0.1) ? 90 * second : 8 * second));
      const { text } = shown;
      if (random.happens(0.08)) {
        left = { call, text };
        if (random.happens(0.5)) call.leave();
        return;
      }
      remember(text);
      const input = inputFor(text, plan);
      // A double tap that became two requests. Without sequence numbers the second counts as the answer to a screen
      // that the payer has not read (decision 0004), so whatever it confirms was typed.
      if (has('parallel_keys') && random.happens(0.05)) {
        deps.count('fault parallel_keys');
        confirmations.push({ isUsed: false, isUnread: true });
        void call.next(random.pick(['1', '2', input]));
      }
      shown = await type(call, text, input);
    }
    if (shown) remember(shown.text);
    if (shown?.text.startsWith('Approve GHS') && has('impatient_payers') && random.happens(0.5)) {
      deps.count('redials before the prompt');
      await scheduler.sleep(random.pick([200, 600, 1_500]));
      await runSession('again');
    }
  }

  /** Types what the crowd types, so that all confirm at the same moment. */
  async function follow({ plan, payer, channels, paceMs }: Crowd): Promise<void> {
    const call = aggregator.open(random.pick(channels), msisdn);
    const startedAt = scheduler.now();
    let shown = await call.next();
    for (let screens = 1; screens < 12 && shown?.kind === 'continue'; screens++) {
      const waitMs = startedAt + screens * paceMs + random.int(0, 100) - scheduler.now();
      await scheduler.sleep(Math.max(fastestMs, waitMs));
      const { text } = shown;
      remember(text);
      const input = text.includes('Number that pays:') ? `0${payer.slice(3)}` : inputFor(text, plan);
      shown = await type(call, text, input);
    }
    if (shown) remember(shown.text);
  }

  return {
    msisdn,
    confirmations,
    join: follow,
    async visit() {
      const plan = random.pick(['pay', 'pay', 'pay', 'bill', 'other', 'again', 'paid', 'requests'] as const);
      // Some payers use two phones or channels at once.
      if (random.happens(0.1)) {
        deps.count('two sessions at once');
        await Promise.all([runSession(plan), runSession(random.pick(['again', 'pay']))]);
      } else await runSession(plan);
      // A payer who is not sure of the result redials.
      for (let again = 0; again < 3 && random.happens(0.3); again++) {
        deps.count('redials');
        await scheduler.sleep(random.pick([4 * second, 20 * second, 90 * second, 8 * minute]));
        await runSession(random.pick(['again', 'pay']));
      }
    },
    onPrompt(prompt) {
      const { action, minSeconds, maxSeconds } = random.pick(answers);
      if (action === 'ignore') return;
      scheduler.after(random.int(minSeconds * second, maxSeconds * second), async () => {
        await deps.passPayer();
        oracle[action](prompt);
      });
    },
  };
}
