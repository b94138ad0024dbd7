import { expect, test } from 'vitest';
import { waitingText } from '../../src/menu/messages.ts';
import type { MenuContext, MenuState } from '../../src/menu/state.ts';
import { start, step } from '../../src/menu/step.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { context, menuIn, msisdn } from './support.ts';

/** Nalo's limit, the tightest of the aggregators. */
const limit = 120;
const shop = menuIn('fixtures/menus/shop.yaml');
const approvals = 'Dial *170#, Wallet, My Approvals';
const worst: MenuContext = {
  ...context,
  merchant: 'M'.repeat(20),
  sequenced: false,
  approvals: () => approvals,
};

/** Length in the GSM 7-bit alphabet: ASCII, of which nine characters need an escape and the backtick is absent. */
function septets(text: string): number {
  expect(text).toMatch(/^[\n\x20-\x5f\x61-\x7e]*$/);
  return text.length + (text.match(/[\^{}\\[\]~|]/g)?.length ?? 0);
}

test('every screen of the shop fits 120 septets in the worst case, reasons on top included', () => {
  const inputs = ['1', '2', '3', '4', '7', '8', 'x', '0', '9999', '4999.99', '0244123456', 'INV-9999'];
  const seen = new Map<string, MenuState>();
  const screens = new Set<string>();
  const open = [start(shop, worst)];
  for (let at = open.pop(); at; at = open.pop()) {
    const { state, reply } = at;
    screens.add(reply.text);
    expect(septets(reply.text), reply.text).toBeLessThanOrEqual(limit);
    const key = JSON.stringify(state);
    if (seen.has(key) || reply.kind === 'end') continue;
    seen.set(key, state);
    open.push(...inputs.map((input) => step(shop, state, input, worst)));
  }
  expect(screens.size).toBeGreaterThan(60);
  for (const language of shop.languages) {
    const longest = { amountMinor: amountMinor(499_999), merchant: worst.merchant, approvals };
    expect(septets(waitingText(shop, language, longest))).toBeLessThanOrEqual(limit);
  }
});

test('1, 20, 1 pays twenty cedis from the number that dialled', () => {
  let at = start(shop, context);
  for (const input of ['1', '20', '1']) at = step(shop, at.state, input, context);
  expect(at.intent).toMatchObject({ payer: msisdn('0244123456'), amountMinor: 2000 });
});
