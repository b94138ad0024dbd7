import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import { isMerchantScreen, type Menu, type MessageName, messageNames } from '../schema.ts';
import { draw, paymentMessages } from '../screens/draw.ts';
import { type BuiltInScreenName, findScreen } from '../screens/screen.ts';
import { noticeText } from '../screens/show.ts';
import { type MenuState, type PaymentSummary, rejectionMessages, type UnpaidCause } from '../state/state.ts';
import { causeMessages, message, paymentTemplateValues } from '../text/messages.ts';
import { samplePayer, sampleShortReference } from './channel.ts';
import { maxForm } from './domain.ts';
import { type Drawn, type Measuring, maxContext, maxTotal, noticesOn } from './draw-screen.ts';
import { joinTexts } from './sizes.ts';

/** These stand on built-in screens, which can have pages. */
const paged: ReadonlySet<string> = new Set([...Object.values(paymentMessages), 'duplicate', 'resume']);

/** True for a message that can end a dialogue of this menu, or is a line of its screens. */
function isShown({ screens }: Menu, name: MessageName): boolean {
  const all = Object.values(screens);
  if (name.startsWith('status')) return all.some(({ kind }) => kind === 'status');
  if (name === 'lookupFailed') return all.some((one) => isMerchantScreen(one) && !one.fallback);
  return !paged.has(name);
}

const causes = Object.keys(causeMessages) as UnpaidCause[];

/** Draws the built-in screens, and each message alone. */
export function drawMessages({ menu, channel, approvals, screens }: Measuring, language: string): Drawn[] {
  const context = maxContext(channel, approvals);
  const all = [...screens.values()].map(({ values }) => values);
  const amount = Math.min(maxAmountMinor, Math.max(0, ...all.flatMap((one) => one.amount?.max ?? [])));
  const references = all.flatMap(({ reference }) => (reference ? maxForm(reference) : []));
  const { dialler, now, operator } = context;
  const other = samplePayer(operator);
  // They stand for those of another payer, whose number is as long, and whose reason is hidden.
  const payment = (state: PaymentSummary['state'], more: Partial<PaymentSummary> = {}): PaymentSummary => ({
    id: 'col_0',
    payer: dialler,
    dialler,
    amountMinor: amountMinor(amount),
    ...(references.length > 0 && { reference: references.reduce(joinTexts) }),
    chargeMinor: maxTotal(amount),
    shortReference: sampleShortReference,
    // A time of yesterday is shown with its day, which makes it longest.
    at: now - 12 * 60 * 60 * 1000,
    state,
    operator,
    ...more,
  });
  const requesters: readonly Msisdn[] = [dialler, other];
  const payments = requesters.flatMap((from) => [
    ...Object.keys(paymentMessages).map((state) =>
      payment(state as PaymentSummary['state'], { dialler: from }),
    ),
    ...causes.map((cause) => payment('failed', { dialler: from, cause })),
    ...rejectionMessages.map((retryRejection) => payment('failed', { dialler: from, retryRejection })),
  ]);
  const builtIn = (screenName: BuiltInScreenName, name: string, more: Partial<MenuState> = {}): Drawn[] => {
    const screen = findScreen(menu, screenName);
    if (!screen) return [];
    const state: MenuState = { screen: screenName, language, answers: {}, invalidInputs: 0, ...more };
    // A payment stands before every input, except after a prompt that could not be sent again.
    const isRepeatable = !channel.sequenced && ['language', 'resume', 'paymentFailed'].includes(name);
    const notices = noticesOn(menu, screen, isRepeatable).map((notice) =>
      noticeText(menu, screen, { ...state, notice }),
    );
    const path = name === 'language' ? ['languages'] : ['messages', name, language];
    return [{ name: `(${name})`, path, units: draw(menu, screen, state, context), notices }];
  };
  const values = causes.map((cause) => ({
    ...paymentTemplateValues(menu, language, payment('failed', { cause }), context),
    payer: '0240000000',
  }));
  return [
    ...(menu.languages.length > 1 ? builtIn('(language)', 'language') : []),
    ...payments.flatMap((one) =>
      builtIn('(payment)', paymentMessages[one.state], { callerHistory: { payment: one } }),
    ),
    ...builtIn('(duplicate)', 'duplicate', { duplicate: payment('paid') }),
    ...builtIn('(resume)', 'resume'),
    ...messageNames
      .filter((name) => isShown(menu, name))
      .flatMap((name) =>
        values.map((one) => ({
          name: `(${name})`,
          path: ['messages', name, language],
          units: [message(menu, language, name, one)],
        })),
      ),
  ];
}
