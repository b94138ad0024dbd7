import { type MessageName, messageNames } from '../../src/menu/schema.ts';
import { words } from '../../src/menu/text/default-messages.ts';
import { messagePlaceholders } from '../../src/menu/text/messages.ts';

export const menusFile = 'docs/menus.md';

/** When each message is read. */
const occasions: Readonly<Record<MessageName, string>> = {
  badChoice: 'no such option',
  badAmount: 'not to be read as an amount',
  amountTooSmall: 'an amount below `min`',
  amountTooLarge: 'an amount above `max`',
  badNumber: 'not to be read as a mobile number',
  badReference: 'a reference that the pattern does not match',
  badText: 'a text that is too long, not plain, or not as its pattern',
  badCount: 'not to be read as a number',
  countTooSmall: 'a number below `min`',
  countTooLarge: 'a number above `max`, or more than any amount',
  badShortReference: 'eight digits that are no short reference',
  notFound: 'a look-up that found nothing, without `notFound`',
  typedAgain: 'a key that may be a copy of the one before',
  tooManyMistakes: 'the third answer in a row that cannot be used; the last screen',
  tooManyTries: 'the third in a row where the screen is about what was before; the last screen',
  cancelled: 'no on a confirm screen; the last screen',
  waiting: 'yes, while another payment of this payer waits; the last screen',
  sessionLost: 'a session that is not known, or over; the last screen',
  fault: 'the gateway failed; the last screen',
  slow: "the aggregator's time is up; the last screen",
  lookupFailed: 'a look-up without an answer and without `fallback`; the last screen',
  yes: 'a line of confirm screens',
  no: 'a line of confirm screens',
  back: 'the line that offers to go back',
  more: 'the line that offers the next page',
  feeMayApply: 'on a confirm screen, where the fee is not known in time',
  feeAndTotal: 'on a confirm screen whose own text names neither, where the fee is known',
  consent: "on a confirm screen, for another number than the dialler's",
  resume: 'a dialogue was cut off',
  goOn: 'its first option',
  startOver: 'its second option',
  anotherPhone: 'on top of the next four, where another phone asked for it',
  paymentWaiting: 'dialled again: it waits for the PIN',
  paymentPaid: 'dialled again: it is paid',
  paymentFailed: 'dialled again: it is final, and not paid',
  paymentUnknown: 'dialled again: nobody can tell yet',
  howToApprove: 'an option there',
  sendAgain: 'an option there',
  newPayment: 'an option there',
  stopRequests: 'an option there, and of `requests` while they are allowed',
  allowRequests: 'an option of `requests`, while they are blocked',
  leaveRequests: 'the other option of `requests`',
  requestsOn: '`requests`, above its options',
  requestsOff: 'the same, while they are blocked',
  approve: 'after `howToApprove`; the last screen',
  sentAgain: 'after `sendAgain`; the last screen',
  again: 'yes to what was agreed to a short while ago',
  againOther: 'the same, to who had no part in it',
  statusPaid: 'to attendants; the last screen',
  statusWaiting: 'to attendants; the last screen',
  statusFailed: 'to attendants; the last screen',
  statusUnknown: 'to attendants; the last screen',
  statusMissing: 'to attendants: no payment has this reference; the last screen',
  statusLater: 'to attendants, where it cannot be looked up now; the last screen',
  attendantsOnly: '`status`, to everybody else; the last screen',
  requestsStopped: 'after `stopRequests`; the last screen',
  requestsAllowed: 'after `allowRequests`; the last screen',
  unchanged: '`requests`, left as it was; the last screen',
  refusedClosed: 'yes, for a payer who takes no requests; the last screen',
  refusedTooMany: 'yes, beyond a limit; the last screen',
  refusedCoolDown: 'yes, after requests that were declined; the last screen',
};

/** The document with its table of messages written anew. */
export function writtenMenus(document: string): string {
  const part = /(<!-- generated:messages -->\n).*?(<!-- \/generated -->)/s;
  return document.replace(part, (_, open: string, close: string) => `${open}${table()}${close}`);
}

function table(): string {
  const rows = messageNames.map((name) => [
    `\`${name}\``,
    occasions[name],
    (words.en?.[name] ?? '').replaceAll('\n', '<br>'),
    (messagePlaceholders[name] ?? []).map((one) => `\`{${one}}\``).join(' '),
  ]);
  const columns = ['message', 'when', 'in English', 'may hold'];
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
