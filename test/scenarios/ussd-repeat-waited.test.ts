import { expect, test } from 'vitest';
import { createShop, payer } from '../kit/payers.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

test.each([0, 300, 1_900])(
  'a copy that arrives %i ms after the screen of a turn with two slow lookups is a repeat and not the next answer',
  async (later) => {
    const menu = shopMenu({
      screens: {
        welcome: { kind: 'ask', answer: 'text', name: 'number', text: 'Number:', to: 'one' },
        one: { kind: 'lookup', take: {}, found: 'two', fallback: 'two' },
        two: { kind: 'lookup', take: {}, found: 'nick', fallback: 'nick' },
        nick: { kind: 'ask', answer: 'text', name: 'nick', text: 'Nick name:', to: 'amount' },
      },
    });
    const opened: { till?: Till } = {};
    const slow = async () => {
      await opened.till?.clock.sleep(1_400);
      return {};
    };
    const till = await createShop({ menu, handlers: { one: slow, two: slow } });
    opened.till = till;
    const phone = till.phone(payer, 'nalo');
    await phone.dial();
    await till.clock.advance(2_500);
    const askedAt = till.clock.now();
    const sent = phone.send('7');
    await till.clock.advance(1_400);
    await till.clock.advance(1_400);
    expect(await sent).toContain('Nick name:');
    // Longer than the repeat window, counted from the request.
    expect(till.clock.now() - askedAt).toBe(2_800);
    await till.clock.advance(later);
    expect(await phone.repeat()).toBe(await sent);
    await till.clock.advance(2_500);
    expect(await phone.type('Kofi')).toContain('Amount:');
    expect(await till.checkStatement()).toMatchObject({ pushes: 0 });
  },
);
