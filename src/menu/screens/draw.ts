import { unreachable } from '../../shared/errors.ts';
import { type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { mentionsFee, quoteFor } from '../effects/quote.ts';
import type { ConfirmScreen, Menu, MessageName, Text } from '../schema.ts';
import type { MenuContext, MenuState, PaymentSummary, RejectionMessage } from '../state/state.ts';
import { languageName, message, paymentTemplateValues } from '../text/messages.ts';
import {
  createTemplateValues,
  fill,
  knownOperator,
  likelyOperator,
  listPlaceholders,
  pick,
  questionTemplateValues,
  type TemplateValues,
} from '../text/render.ts';
import { listOptions, optionNumbers } from './options.ts';
import { type MenuScreen, offerKeys } from './screen.ts';

/** An option of the payment screen. */
type Offer = 'howToApprove' | 'sendPromptAgain' | 'newPayment' | 'blockRequests';

/** The options for a payment, in the order of the screen. */
export function listOffers(payment: PaymentSummary, context: MenuContext): Offer[] {
  const { dialler, blocksRequests } = context;
  const { state, payer } = payment;
  const isRequester = payment.dialler === dialler;
  const offers: Offer[] = [];
  if (state === 'waiting' || state === 'unknown') offers.push('howToApprove');
  if (canRepeat(payment, context) && findRetryRejection(payment, context) === undefined)
    offers.push('sendPromptAgain');
  offers.push('newPayment');
  if (payer === dialler && !isRequester && !blocksRequests) offers.push('blockRequests');
  return offers;
}

/**
 * True when a prompt may be sent again: the payment is final and unpaid, the dialler requested it, and it can end otherwise. After a changed fee, the payer must read the new one first.
 */
export function canRepeat(
  { state, dialler, isRetryExcluded }: PaymentSummary,
  context: MenuContext,
): boolean {
  return state === 'failed' && dialler === context.dialler && !isRetryExcluded;
}

/** Returns why a payment that may be repeated cannot be repeated now; `undefined` when it can, or for any other payment. */
function findRetryRejection(payment: PaymentSummary, context: MenuContext): RejectionMessage | undefined {
  if (!canRepeat(payment, context)) return undefined;
  const operator = retryOperator(payment, context) ?? operatorByPrefix(payment.payer);
  return context.networks[operator] === null ? 'networkNotOffered' : payment.retryRejection;
}

/** The payer's operator as the aggregator names it now: the earlier collection may have had a guess, or another phone's choice. */
export function retryOperator(
  { payer, operator }: PaymentSummary,
  context: MenuContext,
): Operator | undefined {
  return knownOperator({ payer }, context) ?? operator;
}

/** The message of the payment screen for each state. */
export const paymentMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'paymentWaiting',
  confirming: 'paymentConfirming',
  paid: 'paymentPaid',
  failed: 'paymentFailed',
  unknown: 'paymentUnknown',
};

/** The message that answers an attendant's status request for each state. */
export const statusMessages: Readonly<Record<PaymentSummary['state'], MessageName>> = {
  waiting: 'statusWaiting',
  confirming: 'statusConfirming',
  paid: 'statusPaid',
  failed: 'statusFailed',
  unknown: 'statusUnknown',
};

/** The content of a screen: each line of its text, and each option. */
export function draw(menu: Menu, screen: MenuScreen, state: MenuState, context: MenuContext): string[] {
  const { language, answers } = state;
  const values = createTemplateValues(answers, context, quoteFor(state, context));
  const lines = (one: Text, own?: TemplateValues) => fill(pick(one, language), values, own).split('\n');
  const text = (name: MessageName) => message(menu, language, name, values);
  const numbered = (labels: readonly string[]) => {
    const numbers = optionNumbers(labels.length, menu.keys);
    return labels.map((label, i) => `${numbers[i]}. ${label}`);
  };
  const offered = (labels: readonly string[]) => {
    const keys = offerKeys(labels.length, state, context);
    return labels.map((label, i) => `${keys[i]}. ${label}`);
  };
  switch (screen.kind) {
    case 'choose': {
      const labels = listOptions(screen, state, context).map(({ option, item }) =>
        fill(pick(option.label, language), values, item),
      );
      return [...lines(screen.text), ...numbered(labels)];
    }
    case 'ask':
      return lines(screen.text, questionTemplateValues(screen, answers));
    case 'confirm':
      return [...confirmLines(menu, screen, state, context), ...yesOrNo(menu, state)];
    case 'end':
      return lines(screen.operators[likelyOperator(answers, context)] ?? screen.text);
    case 'status':
      return lines(screen.text);
    case 'requests':
      return [
        ...lines(screen.text),
        ...text(context.blocksRequests ? 'requestsOff' : 'requestsOn').split('\n'),
        ...numbered([
          text(context.blocksRequests ? 'allowRequests' : 'blockRequests'),
          text('leaveUnchanged'),
        ]),
      ];
    case 'language':
      return [context.merchant, ...offered(menu.languages.map((one) => languageName(menu, one)))];
    case 'resume':
      return [...text('resume').split('\n'), ...offered([text('continue'), text('startOver')])];
    case 'payment': {
      const payment = state.callerHistory?.payment;
      return payment === undefined
        ? []
        : [...paymentLines(menu, state, context), ...offered(listOffers(payment, context).map(text))];
    }
    case 'duplicate':
      return [...duplicateLines(menu, state, context), ...yesOrNo(menu, state)];
    case 'proxy':
      return state.proxied?.text.split('\n') ?? [];
    case 'lookup':
      return [];
    default:
      return unreachable(screen);
  }
}

/**
 * Returns the state of the payment, and why it failed, also where the menu's own message does not say it. A line above it states
 * when another phone requested it, and a line below it why its prompt cannot be sent again now.
 */
function paymentLines(menu: Menu, { language, callerHistory }: MenuState, context: MenuContext): string[] {
  const payment = callerHistory?.payment;
  if (payment === undefined) return [];
  const { payer, dialler, state } = payment;
  const values = paymentTemplateValues(menu, language, payment, context);
  const isRequested = payer === context.dialler && dialler !== context.dialler;
  const requester = isRequested ? [message(menu, language, 'anotherPhone')] : [];
  const text = message(menu, language, paymentMessages[state], values);
  const reason = typeof values.reason === 'string' && !text.includes(values.reason) ? [values.reason] : [];
  const rejection = findRetryRejection(payment, context);
  // The message was written for a screen of its own: each sentence is a line, so that it fits on a small page.
  const rejected = rejection ? message(menu, language, rejection, values).split(/\n|(?<=[.!?]) /) : [];
  return [...requester, ...text.split('\n'), ...reason, ...rejected];
}

/** The question of the duplicate screen. */
function duplicateLines(menu: Menu, { language, duplicate }: MenuState, context: MenuContext): string[] {
  if (duplicate === undefined) return [];
  return message(
    menu,
    language,
    'duplicate',
    paymentTemplateValues(menu, language, duplicate, context),
  ).split('\n');
}

/**
 * The lines of a confirm screen: its text, the fee, and for another payer's number its network, if one was chosen, and the consent
 * line. When no line of the menu's text shows the fee, a message of the gateway does, so that no payer confirms a total without it.
 */
function confirmLines(menu: Menu, { text }: ConfirmScreen, state: MenuState, context: MenuContext): string[] {
  const { language, answers } = state;
  const quote = quoteFor(state, context);
  const values = createTemplateValues(answers, context, quote);
  const template = pick(text, language).split('\n');
  const firstFeeLine = template.findIndex(mentionsFee);
  const filled = template.flatMap((line, i) => {
    if (quote !== undefined || !mentionsFee(line)) return fill(line, values);
    return i === firstFeeLine ? message(menu, language, 'feeMayApply') : [];
  });
  // A fee line with another placeholder that has no value is left out, even when the fee is known.
  const showsFee = template.some(
    (line) => mentionsFee(line) && (quote === undefined || fill(line, values) !== ''),
  );
  const fee = message(menu, language, quote === undefined ? 'feeMayApply' : 'feeAndTotal', values);
  const warning = context.isServiceUnavailable ? [message(menu, language, 'paymentMayFail', values)] : [];
  const lines = [...(showsFee ? filled : [...filled, fee]), ...warning];
  const isOtherPayer = answers.payer !== undefined && answers.payer !== context.dialler;
  if (!isOtherPayer) return lines;
  const showsNetwork = template.some((line) => listPlaceholders(line).includes('network'));
  const network =
    showsNetwork || values.network === undefined ? [] : [message(menu, language, 'chosenNetwork', values)];
  return [...lines, ...network, message(menu, language, 'consent', values)];
}

function yesOrNo(menu: Menu, state: MenuState): string[] {
  const keys = confirmKeys(state);
  const { language } = state;
  return [`${keys.yes}. ${message(menu, language, 'yes')}`, `${keys.no}. ${message(menu, language, 'no')}`];
}

/** Candidates in order of preference. The first one that is not among the last two inputs is used. */
const confirmKeyCandidates = { yes: ['1', '7', '9'], no: ['2', '8', '6'] } as const;

/**
 * The keys for yes and no. They are never the input that led to the screen, so that a repeat of it confirms and cancels
 * nothing (scenario S02). Invalid inputs on the screen do not change them.
 */
export function confirmKeys({ lastInput, previousInput }: Pick<MenuState, 'lastInput' | 'previousInput'>): {
  yes: string;
  no: string;
} {
  const unused = (keys: readonly string[]) =>
    keys.find((key) => key !== lastInput && key !== previousInput) ?? '';
  return { yes: unused(confirmKeyCandidates.yes), no: unused(confirmKeyCandidates.no) };
}
