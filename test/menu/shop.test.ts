import { expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import type { MenuContext, Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { alreadyWaitingText } from '../../src/menu/text/messages.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { context, menuIn, msisdn, start } from './support.ts';

/** Nalo's limit, the tightest of the aggregators. */
const limit = 120;
const shop = menuIn('fixtures/menus/shop.yaml');
const approvals = 'Dial *170#, Wallet, My Approvals';
const worst: MenuContext = {
  ...context,
  limit,
  merchant: 'M'.repeat(20),
  sequenced: false,
  approvals: () => approvals,
};

/** One per cent of the largest amount. */
const quote = { id: 'quo_1', reference: 'INV-9999', feeMinor: 5_000, totalMinor: 504_999 };

/** Length in the GSM 7-bit alphabet: ASCII, of which nine characters need an escape and the backtick is absent. */
function septets(text: string): number {
  expect(text).toMatch(/^[\n\x20-\x5f\x61-\x7e]*$/);
  return text.length + (text.match(/[\^{}\\[\]~|]/g)?.length ?? 0);
}

/** Every screen that these inputs lead to, each confirm screen with the service's quote and without. */
function screensOf(): Step[] {
  const inputs = ['1', '2', '3', '4', '7', '8', 'x', '0', '#', '9999', '4999.99', '0244123456', 'INV-9999'];
  const seen = new Set<string>();
  const screens: Step[] = [];
  const open = [start(shop, worst)];
  for (let at = open.pop(); at; at = open.pop()) {
    const { state, reply, effect: want } = at;
    const key = JSON.stringify([state, reply]);
    if (seen.has(key)) continue;
    seen.add(key);
    screens.push(at);
    if (want) open.push(applyEffectResult(shop, want, { kind: 'quote', quote }, worst));
    if (reply.kind === 'continue') open.push(...inputs.map((input) => step(shop, state, input, worst)));
  }
  return screens;
}

test('every screen of the shop fits 120 septets in the worst case, with a notice', () => {
  const screens = screensOf();
  for (const { reply } of screens) {
    expect(septets(reply.text), reply.text).toBeLessThanOrEqual(limit);
  }
  const texts = new Set(screens.map(({ reply }) => reply.text));
  expect(texts.size).toBeGreaterThan(60);
  expect([...texts].filter((text) => text.includes('Fee GHS 50.00, total GHS 5049.99'))).not.toEqual([]);
  // Only what a bill comes to, with its fee or with a reason on top, goes on on a second page.
  const divided = screens.filter(({ reply }) => reply.text.includes('\n#. '));
  expect(new Set(divided.map(({ state }) => [state.screen, state.answers.reference].join()))).toEqual(
    new Set(['confirm,INV-9999']),
  );
  for (const language of shop.languages) {
    const amounts = { amountMinor: amountMinor(499_999), chargeMinor: 999_998 };
    const longest = { ...amounts, merchant: worst.merchant, approvals };
    expect(septets(alreadyWaitingText(shop, language, longest))).toBeLessThanOrEqual(limit);
  }
});

test('1, 20, 1 pays twenty cedis from the number that dialled', () => {
  let at = start(shop, context);
  for (const input of ['1', '20', '1']) at = step(shop, at.state, input, context);
  expect(at.intent).toMatchObject({ payer: msisdn('0244123456'), amountMinor: 2000 });
});
