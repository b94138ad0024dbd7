import { expect, test } from 'vitest';
import type { LookupHandler } from '../../src/menu/effects/handler.ts';
import type { LookupRequest, ProxyTurn } from '../../src/menu/state/state.ts';
import { checkStatement, createPayerPhone, createShop, payer, untilNewest } from '../kit/payers.ts';
import { approve } from '../kit/scenes.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

/** A kitchen, whose own system answers the screens of an order. */
const kitchen = shopMenu({
  screens: {
    welcome: {
      kind: 'choose',
      text: '{merchant}',
      options: [
        { label: 'Order', to: 'order' },
        { label: 'Pay in', to: 'amount' },
      ],
    },
    order: {
      kind: 'proxy',
      take: { due: { amount: '500.00' } },
      done: 'basket',
      fallback: 'amount',
    },
    basket: {
      kind: 'choose',
      text: 'Order for {due}',
      options: [{ label: 'Pay it', set: { amount: '{due}', reference: 'ORDER' }, to: 'confirm' }],
    },
  },
});

/** Counts dishes in `state`, and is done after an input of 9. */
const counting: LookupHandler = async ({ input, state = '0' }) => {
  if (input === undefined) return { text: 'Dish 1 to 8, 9 ends:', state };
  if (input === '9') return { done: true, due: Number(state) * 10_00 };
  const count = Number(state) + 1;
  return { text: `${count} dishes, last ${input}. Next:`, state: String(count) };
};

/** Creates a till for a kitchen that answers with `handler`, and records the requests. */
async function createKitchen(handler: LookupHandler = counting) {
  const requests: (LookupRequest & Partial<ProxyTurn>)[] = [];
  const order: LookupHandler = (request, options) => {
    requests.push(request);
    return handler(request, options);
  };
  return { till: await createShop({ menu: kitchen, handlers: { order } }), requests };
}

test('an order over several screens is paid once, after a confirmation of the menu', async () => {
  const { till, requests } = await createKitchen();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  expect(await phone.type('1')).toContain('Dish 1 to 8, 9 ends:');
  expect(await phone.type('3', '5')).toContain('2 dishes, last 5. Next:');
  expect(await phone.type('9')).toContain('Order for GHS 20.00');
  expect(requests.map(({ turn, input, state }) => [turn, input, state])).toEqual([
    [1, undefined, undefined],
    [2, '3', '0'],
    [3, '5', '1'],
    [4, '9', '2'],
  ]);
  await phone.press('Pay it');
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
  await phone.press('Yes');
  await untilNewest(till, 'initiated');
  expect((await till.only(payer)).reference).toBe('ORDER');
  await approve(till);
  await untilNewest(till, 'paid');
  expect(await checkStatement(till)).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});

test.each(['africastalking', 'nalo'] as const)(
  'on %s, a repeat of an input gets the same screen and is no second input',
  async (channel) => {
    const { till, requests } = await createKitchen();
    const phone = createPayerPhone(till, payer, channel);
    await phone.dial();
    const first = await phone.type('1', '4');
    expect(await phone.repeat()).toBe(first);
    await till.clock.advance(2_500);
    // Later than the repeat window, only a numbered request is known to be a repeat.
    const late = await phone.repeat();
    expect(late).toContain('1 dishes, last 4. Next:');
    expect(requests.map(({ input }) => input)).toEqual([undefined, '4']);
    expect(await phone.type('9')).toContain('Order for GHS 10.00');
    expect(requests.at(-1)).toMatchObject({ turn: 3, input: '9', state: '1' });
  },
);

test('an interrupted order continues with its last screen, without a request', async () => {
  const { till, requests } = await createKitchen();
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  const last = await phone.type('1', '3', '5');
  await phone.leave();
  await till.clock.advance(10_000);
  await phone.dial();
  expect(await phone.press('Continue')).toBe(last);
  expect(requests).toHaveLength(3);
  expect(await phone.type('9')).toContain('Order for GHS 20.00');
  expect(requests.at(-1)).toMatchObject({ turn: 4, state: '2' });
});

test('a screen that does not arrive in time is replaced by the fallback, and its late answer changes nothing', async () => {
  const opened: { till?: Till } = {};
  const { till } = await createKitchen(async (request, options) => {
    if (request.input === '5') await opened.till?.clock.sleep(5_000);
    return counting(request, options);
  });
  opened.till = till;
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  await phone.type('1', '3');
  const sent = phone.send('5');
  await till.clock.advance(1_600);
  expect(await sent).toContain('Amount:');
  await till.clock.advance(10_000);
  expect(await phone.type('7')).toContain('Pay GHS 7.00');
});
