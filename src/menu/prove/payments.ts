import type { EpochMs } from '../../shared/clock.ts';
import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { AmountOrName, Menu } from '../schema.ts';
import type { Intent, MenuContext, PaymentSummary } from '../state/state.ts';
import { someShortReference } from './inputs.ts';

const states = ['waiting', 'paid', 'failed', 'unknown'] as const;

/** More than any service takes: as much as what is paid for, and where that is little, the most of four figures. */
export function longestFee(goodsMinor: number): number {
  return Math.max(goodsMinor, 99_99);
}

/** With that fee, but no more than can be collected. */
export function longestTotal(goodsMinor: number): number {
  return Math.min(maxAmountMinor, goodsMinor + longestFee(goodsMinor));
}

/** Collections in every state, from the dialler's wallet and from others: each as long as a screen may say it. */
export function paymentsOf(menu: Menu, payers: readonly Msisdn[], context: MenuContext): PaymentSummary[] {
  const { dialler, now } = context;
  return states.flatMap((state) =>
    [dialler, ...payers].map((payer) => standing(menu, { payer, dialler, state, now })),
  );
}

function standing(
  menu: Menu,
  { payer, dialler, state, now }: Pick<PaymentSummary, 'payer' | 'dialler' | 'state'> & { now: EpochMs },
): PaymentSummary {
  const goods = largestAmount(menu);
  const chargeMinor = longestTotal(goods);
  return {
    id: 'col_0',
    payer,
    dialler,
    amountMinor: goods,
    shownTotalMinor: chargeMinor,
    chargeMinor,
    shortReference: someShortReference,
    // Yesterday: with its day the time takes the most room.
    at: now - 12 * 60 * 60 * 1000,
    state,
  };
}

/** The same, as asked for by another phone. */
export function paymentsAskedBy(other: Msisdn, standings: readonly PaymentSummary[]): PaymentSummary[] {
  return standings.map((one) => ({ ...one, dialler: other }));
}

/** The payment that was agreed to a short while ago, for every payer and amount. */
export function duplicatesIn(menu: Menu, { dialler, now }: MenuContext): (intent: Intent) => PaymentSummary {
  const one = standing(menu, { payer: dialler, dialler, state: 'waiting', now });
  return ({ payer, amountMinor: goods }) => ({
    ...one,
    payer,
    amountMinor: goods,
    shownTotalMinor: longestTotal(goods),
  });
}

/** The largest amount that a payer of this menu can have agreed to. */
export function largestAmount({ screens }: Menu) {
  const lists = new Map<string, number>();
  const note = (name: string, amount: number | undefined) =>
    lists.set(name, Math.max(lists.get(name) ?? 0, amount ?? 0));
  for (const screen of Object.values(screens)) {
    if (screen.kind !== 'lookup') continue;
    for (const [name, { amount, of = {} }] of Object.entries(screen.take)) {
      note(name, amount);
      for (const [field, one] of Object.entries(of)) note(`item.${field}`, one.amount);
    }
  }
  const most = (amount: AmountOrName) =>
    typeof amount === 'number' ? amount : (lists.get(amount.from) ?? maxAmountMinor);
  const amounts = Object.values(screens).flatMap((screen): number[] => {
    if (screen.kind === 'choose')
      return screen.options.flatMap(({ set }) => (set?.amount ? most(set.amount) : []));
    if (screen.kind !== 'ask') return [];
    if (screen.answer === 'amount') return [screen.max];
    return screen.answer === 'number' && screen.each !== undefined ? [most(screen.each) * screen.max] : [];
  });
  const largest = Math.min(maxAmountMinor, Math.max(0, ...amounts));
  return amountMinor(largest);
}
