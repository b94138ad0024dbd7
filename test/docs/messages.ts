import { type MessageName, messageNames } from '../../src/menu/schema.ts';
import { defaultMessages } from '../../src/menu/text/default-messages.ts';
import { messagePlaceholders } from '../../src/menu/text/messages.ts';

export const menusFile = 'docs/menus.md';

/** When each message is shown. */
const occasions: Readonly<Record<MessageName, string>> = {
  invalidOption: 'the input is not one of the options',
  invalidAmount: 'the input is not an amount',
  amountTooSmall: 'the amount is below `min`',
  amountTooLarge: 'the amount is above `max`',
  invalidMsisdn: 'the input is not a mobile number',
  invalidReference: 'the reference does not match the pattern',
  invalidReferenceCharacters: 'the reference has a character that references cannot have',
  invalidText: 'the text is too long, is not plain, or does not match the pattern',
  invalidNumber: 'the input is not a whole number',
  numberTooSmall: 'the number is below `min`',
  numberTooLarge: 'the number is above `max`, or its price is above the largest amount',
  invalidShortReference: 'the input is not a short reference',
  notFound: 'the lookup found nothing and has no `notFound`',
  typeAgain: 'the input may be a repeat of the input before',
  tooManyInvalidInputsNotPaid: 'the third invalid input in a row; last screen',
  tooManyInvalidInputs: 'the same on a screen about an earlier payment or a setting; last screen',
  cancelled: 'no on a confirm screen; last screen',
  alreadyWaiting: 'a confirmation while another payment of this payer waits; last screen',
  sessionLost: 'the session is unknown or has ended; last screen',
  fault: 'the gateway failed; last screen',
  slow: "the aggregator's time limit was reached; last screen",
  lookupFailed: 'the lookup had no usable answer and has no `fallback`; last screen',
  yes: 'option of confirm screens',
  no: 'option of confirm screens',
  back: 'line for the back key',
  more: 'line for the next page',
  feeMayApply: 'line of a confirm screen whose fee is not known in time',
  paymentMayFail: 'line of a confirm screen while the service does not answer and `duringOutage` is `warn`',
  feeAndTotal: 'line of a confirm screen whose text names no fee, when the fee is known',
  chosenNetwork:
    'line of the confirm screen for another payer whose network was chosen, unless its text contains `{network}`',
  consent: "line of a confirm screen for a number that is not the dialler's",
  resume: 'a redial after an interrupted dialogue',
  continue: 'first option of `resume`',
  startOver: 'second option of `resume`',
  anotherPhone: 'line above the next five when another phone requested the payment',
  paymentWaiting: 'a redial while the payment waits for the PIN',
  paymentConfirming: 'a redial while an event reports the payment and no poll has confirmed it',
  paymentPaid: 'a redial after the payment was paid',
  paymentFailed: 'a redial after the payment ended unpaid',
  failedNoWallet: '`{reason}`: the number has no wallet on the network of the payment',
  failedNoMoney: '`{reason}`: the wallet had too little money; for the payer alone, as the next four',
  failedLimit: '`{reason}`: the amount exceeds a limit of the wallet',
  failedPin: '`{reason}`: the PIN was wrong too often',
  failedDeclined: '`{reason}`: the payer declined the prompt',
  failedTimedOut: '`{reason}`: the payer did not approve in time',
  paymentUnknown: 'a redial while the result of the payment is not known',
  howToApprove: 'option of the payment screen',
  sendPromptAgain: 'option of the payment screen',
  newPayment: 'option of the payment screen',
  blockRequests: 'option of the payment screen, and of `requests` while requests are allowed',
  allowRequests: 'option of `requests` while requests are blocked',
  leaveUnchanged: 'second option of `requests`',
  requestsOn: 'line of `requests` while requests are allowed',
  requestsOff: 'line of `requests` while requests are blocked',
  approve: 'after `howToApprove`; last screen',
  promptSentAgain: 'after `sendPromptAgain`; last screen',
  duplicate: 'a confirmation of a payment that the dialler made or received a short time ago',
  statusConfirming: 'status for attendants: wait before you hand over the goods; last screen',
  statusPaid: 'status for attendants; last screen',
  statusWaiting: 'status for attendants; last screen',
  statusFailed: 'status for attendants; last screen',
  statusUnknown: 'status for attendants; last screen',
  statusNotFound: 'status for attendants: no payment has this reference; last screen',
  statusUnavailable: 'status for attendants: the lookup was not possible; last screen',
  attendantsOnly: '`status`, for a dialler who is not an attendant; last screen',
  requestsBlocked: 'after `blockRequests`; last screen',
  requestsAllowed: 'after `allowRequests`; last screen',
  unchanged: 'after `leaveUnchanged`; last screen',
  rejectedPayer:
    'a request to another number that is not possible now, for any reason of that number; last screen, or instead of `sendPromptAgain`',
  rejectedTooMany: 'a confirmation beyond a limit; last screen, or instead of `sendPromptAgain`',
  rejectedCoolDown: 'a confirmation after declined requests; last screen, or instead of `sendPromptAgain`',
  paymentNotPossible:
    'the service refused the payment before the confirm screen was shown, or does not answer; last screen, or instead of `sendPromptAgain`',
  networkNotOffered:
    'the service does not offer the network of the payer (`service.networks`); last screen, or instead of `sendPromptAgain`',
  numberNotSupported: 'the number of the caller is a landline or of another country; last screen',
};

/** Returns the document with a new table of messages. */
export function writtenMenus(document: string): string {
  const part = /(<!-- generated:messages -->\n).*?(<!-- \/generated -->)/s;
  return document.replace(part, (_, open: string, close: string) => `${open}${table()}${close}`);
}

function table(): string {
  const rows = messageNames.map((name) => [
    `\`${name}\``,
    occasions[name],
    (defaultMessages.en?.[name] ?? '').replaceAll('\n', '<br>'),
    (messagePlaceholders[name] ?? []).map((one) => `\`{${one}}\``).join(' '),
  ]);
  const columns = ['message', 'when', 'in English', 'may hold'];
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
