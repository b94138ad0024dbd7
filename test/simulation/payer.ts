import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { UssdReply } from '../../src/shared/ussd.ts';
import type { Call, openAggregator } from './aggregator.ts';
import type { Chance } from './chance.ts';
import { type Consent, consentOn } from './consent.ts';
import type { Feature } from './features.ts';
import type { Oracle } from './oracle/oracle.ts';
import type { Prompt } from './oracle/session.ts';
import type { World } from './world.ts';

export type PayerDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  count(what: string): void;
  aggregator: ReturnType<typeof openAggregator>;
  oracle: Pick<Oracle, 'approve' | 'decline'>;
  /** Resolves when the handsets are not blocked. */
  passPayer(): Promise<void>;
  /** A payer read that a prompt comes. */
  onAnnounced(screen: { channel: string; session: string }): void;
  channels: readonly [string, ...string[]];
  /** Short references that anybody has read on a screen: what attendants are told. */
  references: string[];
  /** Others' numbers, for those who let another phone pay. */
  numbers: readonly [Msisdn, ...Msisdn[]];
};

export type Payer = {
  msisdn: Msisdn;
  /** What this payer said yes to, whatever came of it. */
  consents: readonly Consent[];
  /** Dials, and does what people do. */
  visit(): Promise<void>;
  /** A prompt lit up on the phone. */
  onPrompt(prompt: Prompt): void;
};

const second = 1000;
const minute = 60 * second;

/** What people who know what they want look for on a screen, the first that is there. */
const wants = {
  pay: ['My number', 'Continue', 'New payment', 'Yes'],
  bill: ['Bill', 'Continue', 'New payment', 'Yes'],
  other: ['Other number', 'Start over', 'New payment', 'Yes'],
  again: ['Send prompt again', 'How to approve', 'Continue', 'My number', 'Yes'],
  paid: ['Paid?', 'New payment', 'Start over'],
  requests: ['Requests', 'New payment'],
} as const;

type Habit = { does: 'approve' | 'decline' | 'ignore'; least: number; most: number };

/** How somebody treats a prompt, and after how long. */
const answers: readonly [Habit, ...Habit[]] = [
  { does: 'approve', least: 3, most: 60 },
  { does: 'approve', least: 3, most: 25 },
  { does: 'approve', least: 60, most: 290 },
  { does: 'approve', least: 200, most: 4_000 },
  { does: 'decline', least: 5, most: 60 },
  { does: 'ignore', least: 1, most: 1 },
];

function optionsOf(text: string): { key: string; label: string }[] {
  return Array.from(text.matchAll(/^(\d+)\. (.*)$/gm), ([, key = '', label = '']) => ({ key, label }));
}

/** One person with a phone: dials, mistypes, walks off, dials again, and approves sooner or later or never. */
export function openPayer(msisdn: Msisdn, { world, aggregator, oracle, has, ...deps }: PayerDeps): Payer {
  const chance = deps.chance.fork(`payer ${msisdn}`);
  const haste = chance.pick([2_500, 2_500, 5_000, 600]);
  const consents: Consent[] = [];

  function inputFor(text: string, plan: keyof typeof wants): string {
    if (chance.happens(0.04)) return chance.pick(['', '9', '77', 'x', '0', '00', '1*1', '99999']);
    if (text.includes('Amount:')) return chance.pick(['20', '5', '7.50', '20', '1200']);
    if (text.includes('Number that pays:')) return `0${chance.pick(deps.numbers).slice(3)}`;
    if (text.includes('Bill:')) return chance.pick(['INV-1234', 'INV-0042']);
    if (text.includes('Short reference:')) return chance.pick(['12345678', ...deps.references]);
    const options = optionsOf(text);
    if (options[0] && chance.happens(0.04)) return chance.pick([options[0], ...options]).key;
    for (const want of wants[plan]) {
      const found = options.find(({ label }) => label === want);
      if (found) return found.key;
    }
    const [first = { key: '1', label: '' }, ...rest] = options;
    return chance.pick([first, ...rest]).key;
  }

  /** Types a key. One that may be taken for a yes counts as one. */
  async function type(call: Call, text: string, input: string): Promise<UssdReply | undefined> {
    const [, label] =
      new RegExp(`^${input.replaceAll('*', '\\*')}\\. (Yes|Send prompt again)$`, 'm').exec(text) ?? [];
    if (label === undefined) return call.next(input);
    consents.push(consentOn(text));
    if (label !== 'Yes') deps.count('prompts sent again');
    const shown = await call.next(input);
    if (shown?.kind === 'end' && shown.text.startsWith('Approve GHS')) {
      deps.count('prompts announced');
      deps.onAnnounced(call);
    }
    return shown;
  }

  /** The last session that this payer left without its end, and its screen. */
  let left: { call: Call; text: string } | undefined;

  /** A key for a session that was left: the phone has dialled since. */
  async function typeLate(): Promise<void> {
    if (!left) return;
    const { call, text } = left;
    left = undefined;
    deps.count('late keys');
    const shown = await type(call, text, inputFor(text, chance.pick(['again', 'pay'])));
    if (shown?.kind === 'continue') left = { call, text: shown.text };
  }

  function remember(text: string): void {
    const [, reference] = /Ref (\d{4} \d{4})/.exec(text) ?? [];
    if (reference !== undefined) deps.references.push(reference);
  }

  async function walk(plan: keyof typeof wants): Promise<void> {
    const call = aggregator.open(chance.pick(deps.channels), msisdn);
    let shown = await call.next();
    if (chance.happens(0.3)) await typeLate();
    for (let screens = 0; screens < 12 && shown?.kind === 'continue'; screens++) {
      await world.sleep(haste + chance.int(0, chance.happens(0.1) ? 90 * second : 8 * second));
      const { text } = shown;
      if (chance.happens(0.08)) {
        left = { call, text };
        if (chance.happens(0.5)) call.leave();
        return;
      }
      remember(text);
      const input = inputFor(text, plan);
      // Two keys at once: a double tap that the network made two requests of. Where requests are not numbered the second
      // is taken for an answer to a screen that nobody has read (decision 0004): whatever it is a yes to, it was typed.
      if (has('parallel_keys') && chance.happens(0.05)) {
        deps.count('fault parallel_keys');
        consents.push({ isUsed: false });
        void call.next(chance.pick(['1', '2', input]));
      }
      shown = await type(call, text, input);
    }
    if (shown) remember(shown.text);
  }

  return {
    msisdn,
    consents,
    async visit() {
      const plan = chance.pick(['pay', 'pay', 'pay', 'bill', 'other', 'again', 'paid', 'requests'] as const);
      // Some use two phones, or two channels, at the same time.
      if (chance.happens(0.1)) {
        deps.count('two sessions at once');
        await Promise.all([walk(plan), walk(chance.pick(['again', 'pay']))]);
      } else await walk(plan);
      // A payer who is not sure that it worked redials.
      for (let again = 0; again < 3 && chance.happens(0.3); again++) {
        deps.count('redials');
        await world.sleep(chance.pick([4 * second, 20 * second, 90 * second, 8 * minute]));
        await walk(chance.pick(['again', 'pay']));
      }
    },
    onPrompt(prompt) {
      const { does, least, most } = chance.pick(answers);
      if (does === 'ignore') return;
      world.after(chance.int(least * second, most * second), async () => {
        await deps.passPayer();
        oracle[does](prompt);
      });
    },
  };
}
