import type { EpochMs } from '../../../shared/clock.ts';
import { type AmountMinor, amountMinor, maxAmountMinor } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import { type AmountOrName, isMerchantScreen, type Menu, type MessageName } from '../../schema.ts';
import {
  type Intent,
  type MenuContext,
  type PaymentSummary,
  rejectionMessages,
  type UnpaidCause,
} from '../../state/state.ts';
import { causeMessages, message } from '../../text/messages.ts';
import type { TemplateValues } from '../../text/render.ts';
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

/**
 * Returns payments in every state, of the dialler and of each payer, with the longest values that a screen can show. A failed one
 * can be repeated; one of the dialler, which stands for the others, cannot.
 */
export function paymentsOf(menu: Menu, payers: readonly Msisdn[], context: MenuContext): PaymentSummary[] {
  const { dialler, now, merchant } = context;
  const values = { merchant, payer: localForm(dialler) };
  const retryRejection = longestOf(menu, rejectionMessages, (name) => name, values);
  const rejected = longestPayment(menu, { payer: dialler, dialler, state: 'failed', now });
  const payments = states.flatMap((state) =>
    [dialler, ...payers].map((payer) => longestPayment(menu, { payer, dialler, state, now })),
  );
  return [...payments, { ...rejected, retryRejection }];
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
    ...(state === 'failed' && { cause: longestOf(menu, causes, (cause) => causeMessages[cause]) }),
  };
}

/** Returns the value whose message has the longest words in one of the menu's languages. */
function longestOf<T>(
  menu: Menu,
  all: readonly T[],
  messageOf: (one: T) => MessageName,
  values?: TemplateValues,
): T {
  const textOf = (one: T, language: string) => message(menu, language, messageOf(one), values);
  const lengthOf = (one: T) =>
    Math.max(...menu.languages.map((language) => gsmSeptetsOf(textOf(one, language))));
  return all.reduce((longest, one) => (lengthOf(one) > lengthOf(longest) ? one : longest));
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
