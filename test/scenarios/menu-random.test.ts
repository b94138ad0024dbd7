import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultFee, feeFor } from '../../src/service/fee/schedule.ts';
import {
  addOtherShop,
  checkStatement,
  createPayerPhone,
  createShop,
  msisdnOf,
  other,
  type PayerPhone,
  payer,
  type StoredCollection,
  storedCollections,
} from '../kit/payers.ts';
import type { Till } from '../kit/till.ts';

const places = [
  { number: payer, channel: 'africastalking' },
  { number: payer, channel: 'nalo' },
  { number: payer, channel: 'other-shop' },
  { number: other, channel: 'hubtel' },
  { number: other, channel: 'nalo', numberIsSession: true },
] as const;

const at = fc.nat({ max: places.length - 1 });
const choice = fc.nat({ max: 5 });
const number = fc.constantFrom(payer, other);
const seconds = fc.constantFrom(1, 2, 10, 60, 150, 400, 1_200);

/** What payers who know what they want look for on a screen, the first that is there. */
const walks = {
  own: ['Yes', 'My number', 'Continue', 'New payment'],
  other: ['Yes', 'Other number', 'Start over', 'New payment'],
  again: ['Send prompt again', 'Yes', 'Continue', 'My number'],
  // And then the line breaks off.
  halfway: ['My number', 'Continue', 'New payment'],
} as const;

type Action =
  | { kind: 'dial' | 'repeat'; at: number }
  | { kind: 'walk'; at: number; by: keyof typeof walks; dials: boolean }
  | { kind: 'go' | 'key' | 'late'; at: number; choice: number }
  | { kind: 'both'; at: number; and: number; choice: number }
  | { kind: 'approve' | 'decline'; number: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'restart' };

const action = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('dial' as const), at }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('go' as const), at, choice }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('walk' as const),
      at,
      by: fc.constantFrom('own', 'other', 'again', 'again', 'halfway'),
      dials: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('key' as const), at, choice }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('late' as const), at, choice }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('both' as const), at, and: at, choice }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('repeat' as const), at }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('approve' as const, 'decline' as const), number }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** What was typed where, and what it was worth if it said yes. */
type Typed = { yesMinor: number; text: string };

/** Phones that are dialled in any order, and what their owners agreed to. */
async function createPhones() {
  const limits = { declines: { maxDeclines: 3, coolDownMs: 600_000 } };
  const till = await createShop({ limits });
  await addOtherShop(till);
  const lineAt = (n: number) => {
    const { number: of, channel, ...rest } = places[n] ?? places[0];
    return createPayerPhone(till, of, channel, rest);
  };
  const lines = places.map((_, n) => lineAt(n));
  const left: (PayerPhone | undefined)[] = [];
  const phones = {
    till,
    line: (n: number) => lines[n] as PayerPhone,
    /** The session that was open before the last dial. */
    before: (n: number) => left[n],
    async dial(n: number): Promise<void> {
      left[n] = lines[n];
      lines[n] = lineAt(n);
      await lines[n]?.dial();
    },
    async go(line: PayerPhone, choose: number): Promise<Typed> {
      return typeOn(line, inputFor(line, choose));
    },
  };
  return phones;
}

/** An answer to the screen: one of its options, or what it asks for. */
function inputFor(line: PayerPhone, choose: number): string {
  const text = line.text();
  if (text.includes('Amount:')) return choose % 2 === 0 ? '20' : '30';
  if (text.includes('Number that pays:')) return choose % 2 === 0 ? payer : other;
  if (text.includes('Bill:')) return 'INV-1234';
  const keys = Array.from(text.matchAll(/^(\d+)\. /gm), ([, key]) => key ?? '');
  return keys[choose % Math.max(1, keys.length)] ?? '1';
}

async function typeOn(line: PayerPhone, input: string): Promise<Typed> {
  const yesMinor = worthOf(line, input);
  return { yesMinor, text: await line.type(input) };
}

/** What the screen would take for this key; 0 where it is no yes. */
function worthOf(line: PayerPhone, input: string): number {
  const text = line.text();
  const isYes =
    line.kind() === 'continue' && new RegExp(`^${input}\\. (Yes|Send prompt again)$`, 'm').test(text);
  const goodsMinor = Math.round(Number(/GHS ([\d.]+)/.exec(text)?.[1] ?? 0) * 100);
  return isYes ? goodsMinor + feeFor(goodsMinor, defaultFee) : 0;
}

/** As far as it goes: at most as many screens as there are on the longest way. */
async function walkOn(line: PayerPhone, by: keyof typeof walks): Promise<Typed[]> {
  const all: Typed[] = [];
  for (let n = 0; n < 8 && line.kind() === 'continue'; n++) {
    const text = line.text();
    const word = walks[by].find((one) => new RegExp(`^\\d+\\. ${one}$`, 'm').test(text));
    if (word === undefined && / Yes$/m.test(text)) break;
    all.push(await typeOn(line, word === undefined ? inputFor(line, 0) : line.keyOf(word)));
  }
  return all;
}

type Phones = Awaited<ReturnType<typeof createPhones>>;

/** Does it, and tells what was typed. */
async function act(phones: Phones, one: Action): Promise<Typed[]> {
  const { till } = phones;
  switch (one.kind) {
    case 'dial':
      await phones.dial(one.at);
      return [];
    case 'go':
    case 'key':
    case 'late': {
      const line = one.kind === 'late' ? phones.before(one.at) : phones.line(one.at);
      if (line?.kind() !== 'continue') return [];
      return [
        one.kind === 'key' ? await typeOn(line, String(one.choice)) : await phones.go(line, one.choice),
      ];
    }
    case 'walk': {
      if (one.dials || phones.line(one.at).kind() === 'end') await phones.dial(one.at);
      return walkOn(phones.line(one.at), one.by);
    }
    case 'both': {
      const both = [one.at, one.and].map(phones.line).filter((line) => line.kind() === 'continue');
      if (new Set(both).size < 2) return [];
      await till.clock.advance(2_500);
      return Promise.all(
        both.map(async (line) => {
          const input = inputFor(line, one.choice);
          return { yesMinor: worthOf(line, input), text: await line.send(input) };
        }),
      );
    }
    case 'repeat': {
      const line = phones.line(one.at);
      const isAskedFor = line.text().startsWith('Please type it again.');
      if (line.text() !== '' && !isAskedFor) await line.repeat();
      return [];
    }
    case 'approve':
    case 'decline': {
      const [prompt] = await till.service.phone.pending(msisdnOf(one.number));
      if (prompt && one.kind === 'approve') await till.service.phone.approve(prompt.id, '1234');
      if (prompt && one.kind === 'decline') await till.service.phone.decline(prompt.id);
      await till.clock.advance(500);
      return [];
    }
    case 'wait':
      await till.clock.advance(one.seconds * 1_000);
      return [];
    case 'restart':
      await till.restart();
      return [];
    default:
      throw new Error(`no action ${JSON.stringify(one satisfies never)}`);
  }
}

const isWaiting = ({ status, lapsed }: StoredCollection) =>
  lapsed === 0 && ['accepted', 'created', 'initiating', 'initiated'].includes(status);

async function expectOnePromptAtMost(till: Till): Promise<void> {
  const collections = storedCollections(till);
  const open = collections.filter(isWaiting).map((one) => `${one.merchant} ${one.payer}`);
  expect(new Set(open).size).toBe(open.length);
  for (const of of [payer, other]) {
    const prompts = await till.service.phone.pending(msisdnOf(of));
    const { sessions } = await till.service.statement();
    const merchants = prompts.map(
      ({ sessionId }) => sessions.find((one) => one.sessionId === sessionId)?.merchantId,
    );
    expect(new Set(merchants).size).toBe(merchants.length);
  }
  const agains = collections.flatMap(({ retryOf }) => retryOf ?? []);
  expect(new Set(agains).size).toBe(agains.length);
}

test('whatever payers, their phones, the network and time do: one yes, one prompt at most, and its money once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40, size: 'max' }), async (actions) => {
      const phones = await createPhones();
      const { till } = phones;
      let shownTotalMinor = 0;
      for (const one of actions) {
        const before = storedCollections(till).length;
        const typed = await act(phones, one);
        const yeses = typed.filter(({ yesMinor }) => yesMinor > 0);
        const opened = yeses.filter(({ text }) => text.startsWith('Approve GHS'));
        // Whoever reads that a prompt comes has one, and nobody else.
        expect(storedCollections(till).length - before, JSON.stringify([one, typed])).toBe(opened.length);
        shownTotalMinor += opened.reduce((sum, { yesMinor }) => sum + yesMinor, 0);
        await expectOnePromptAtMost(till);
        const { chargedMinor, pushes } = await checkStatement(till);
        expect(chargedMinor).toBeLessThanOrEqual(shownTotalMinor);
        expect(pushes).toBeLessThanOrEqual(storedCollections(till).length);
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 15_000, markInterruptAsFailure: false },
  );
}, 60_000);
