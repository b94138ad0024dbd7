import type { EpochMs } from '../../../shared/clock.ts';
import { type AmountMinor, amountMinor, maxAmountMinor } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import { type AmountOrName, isMerchantScreen, type Menu } from '../../schema.ts';
import type { Intent, MenuContext, PaymentSummary, UnpaidCause } from '../../state/state.ts';
import { causeMessages, message } from '../../text/messages.ts';
import { sampleShortReference } from '../channel.ts';

const causes = Object.keys(causeMessages) as UnpaidCause[];
const states = ['waiting', 'confirming', 'paid', 'failed', 'unknown'] as const;

/** Returns a fee that no service exceeds: 100 % of the price, and at least GHS 99.99. */
export function longestFee(goodsMinor: number): number {
  return Math.max(goodsMinor, 99_99);
}

/** Returns the price with the longest fee, up to the largest collection. */
export function longestTotal(goodsMinor: number): number {
  return Math.min(maxAmountMinor, goodsMinor + longestFee(goodsMinor));
}

/** Returns payments in every state, of the dialler and of each payer, with the longest values that a screen can show. */
export function paymentsOf(menu: Menu, payers: readonly Msisdn[], context: MenuContext): PaymentSummary[] {
  const { dialler, now } = context;
  return states.flatMap((state) =>
    [dialler, ...payers].map((payer) => longestPayment(menu, { payer, dialler, state, now })),
  );
}

type PaymentInput = Pick<PaymentSummary, 'payer' | 'dialler' | 'state'> & { now: EpochMs };

function longestPayment(menu: Menu, { payer, dialler, state, now }: PaymentInput): PaymentSummary {
  const goods = largestAmount(menu);
  const chargeMinor = longestTotal(goods);
  return {
    id: 'col_0',
    payer,
    dialler,
    amountMinor: goods,
    shownTotalMinor: chargeMinor,
    chargeMinor,
    shortReference: sampleShortReference,
    // A time of yesterday is shown with its day, which makes it longest.
    at: now - 12 * 60 * 60 * 1000,
    state,
    ...(state === 'failed' && { cause: longestCause(menu) }),
  };
}

/** Returns the cause of a failure with the longest words in one of the menu's languages. */
function longestCause(menu: Menu): UnpaidCause {
  const lengthOf = (cause: UnpaidCause) =>
    Math.max(...menu.languages.map((one) => gsmSeptetsOf(message(menu, one, causeMessages[cause]))));
  return causes.reduce((longest, cause) => (lengthOf(cause) > lengthOf(longest) ? cause : longest));
}

/** Returns the same payments as opened by another phone. */
export function paymentsOpenedBy(other: Msisdn, payments: readonly PaymentSummary[]): PaymentSummary[] {
  return payments.map((payment) => ({ ...payment, dialler: other }));
}

/** Creates the function that returns an earlier payment which an intent duplicates. */
export function createDuplicateOf(
  menu: Menu,
  { dialler, now }: MenuContext,
): (intent: Intent) => PaymentSummary {
  const earlier = longestPayment(menu, { payer: dialler, dialler, state: 'waiting', now });
  return ({ payer, amountMinor: goods }) => ({
    ...earlier,
    payer,
    amountMinor: goods,
    shownTotalMinor: longestTotal(goods),
  });
}

/** Returns the largest amount that a payer of this menu can confirm. */
export function largestAmount({ screens }: Menu): AmountMinor {
  const byName = new Map<string, number>();
  const record = (name: string, amount: number | undefined) =>
    byName.set(name, Math.max(byName.get(name) ?? 0, amount ?? 0));
  for (const screen of Object.values(screens)) {
    if (!isMerchantScreen(screen)) continue;
    for (const [name, { amount, of = {} }] of Object.entries(screen.take)) {
      record(name, amount);
      for (const [field, item] of Object.entries(of)) record(`item.${field}`, item.amount);
    }
  }
  const largestOf = (amount: AmountOrName) =>
    typeof amount === 'number' ? amount : (byName.get(amount.from) ?? maxAmountMinor);
  const amounts = Object.values(screens).flatMap((screen): number[] => {
    if (screen.kind === 'choose')
      return screen.options.flatMap(({ set }) => (set?.amount ? largestOf(set.amount) : []));
    if (screen.kind !== 'ask') return [];
    if (screen.answer === 'amount') return [largestOf(screen.max)];
    if (screen.answer !== 'number' || screen.each === undefined) return [];
    return [largestOf(screen.each) * screen.max];
  });
  return amountMinor(Math.min(maxAmountMinor, Math.max(0, ...amounts)));
}
