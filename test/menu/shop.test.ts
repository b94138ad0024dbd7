import { expect, test } from 'vitest';
import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import type { MenuContext, Step } from '../../src/menu/state/state.ts';
import { step } from '../../src/menu/state/step.ts';
import { alreadyWaitingText } from '../../src/menu/text/messages.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { perOperator } from '../../src/shared/msisdn.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { context, menuIn, start } from './support.ts';

/** The limit of Nalo, the smallest of the aggregators. */
const limit = 120;
const shop = menuIn('fixtures/menus/shop.yaml');
const approvals = 'Dial *170#, Wallet, My Approvals';
const worstCase: MenuContext = {
  ...context,
  limit,
  merchant: 'M'.repeat(20),
  sequenced: false,
  approvals: perOperator(() => approvals),
};

/** One per cent of the largest amount. */
const quote = { id: 'quo_1', reference: 'INV-9999', feeMinor: 5_000, totalMinor: 504_999 };

/** Length in the GSM 7-bit alphabet: ASCII, of which nine characters need an escape and the backtick is absent. */
function septets(text: string): number {
  expect(text).toMatch(/^[\n\x20-\x5f\x61-\x7e]*$/);
  return text.length + (text.match(/[\^{}\\[\]~|]/g)?.length ?? 0);
}

/** Returns every screen of the shop, each confirm screen with and without a quote. */
function screensOf(): Step[] {
  const inputs = ['1', '2', '3', '4', '7', '8', 'x', '0', '#', '9999', '4999.99', '0244123456', 'INV-9999'];
  const seen = new Set<string>();
  const screens: Step[] = [];
  const open = [start(shop, worstCase)];
  for (let at = open.pop(); at; at = open.pop()) {
    const { state, reply, effect } = at;
    const key = JSON.stringify([state, reply]);
    if (seen.has(key)) continue;
    seen.add(key);
    screens.push(at);
    if (effect) open.push(applyEffectResult(shop, effect, { kind: 'quote', quote }, worstCase));
    if (reply.kind === 'continue') open.push(...inputs.map((input) => step(shop, state, input, worstCase)));
  }
  return screens;
}

test('every screen of the shop fits 120 septets in the worstCase case, with a notice', () => {
  const screens = screensOf();
  for (const { reply } of screens) {
    expect(septets(reply.text), reply.text).toBeLessThanOrEqual(limit);
  }
  const texts = new Set(screens.map(({ reply }) => reply.text));
  expect(texts.size).toBeGreaterThan(60);
  expect([...texts].filter((text) => text.includes('Fee GHS 50.00, total GHS 5049.99'))).not.toEqual([]);
  // Only the confirm screen of a bill with a fee or a notice needs a second page.
  const divided = screens.filter(({ reply }) => reply.text.includes('\n#. '));
  expect(new Set(divided.map(({ state }) => [state.screen, state.answers.reference].join()))).toEqual(
    new Set(['confirm,INV-9999']),
  );
  for (const language of shop.languages) {
    const amounts = { amountMinor: amountMinor(499_999), chargeMinor: 999_998 };
    const longest = { ...amounts, merchant: worstCase.merchant, approvals };
    expect(septets(alreadyWaitingText(shop, language, longest))).toBeLessThanOrEqual(limit);
  }
});

test('1, 20, 1 pays twenty cedis from the number that dialled', () => {
  let at = start(shop, context);
  for (const input of ['1', '20', '1']) at = step(shop, at.state, input, context);
  expect(at.intent).toMatchObject({ payer: msisdnOf('0244123456'), amountMinor: 2000 });
});
