/** Reasons whose code does not read as their short name. */
const words: Readonly<Record<string, string>> = {
  pin_limit: 'Too many wrong PINs',
  insufficient_funds: 'Too little money',
  limit_exceeded: 'Over a limit',
  wallet_not_registered: 'No wallet',
  rail_refused: 'Rejected by the network',
  not_prompted: 'Prompt not delivered',
  never_initiated: 'Prompt never requested',
  amount_mismatch: 'Amount differs',
  second_charge: 'Charged twice',
  service_failed: 'Failed without a reason',
  service_expired: 'Expired without a reason',
  prompt_deadline: 'No prompt in time',
  never_prompted: 'Prompt request lost',
  clock_ahead: 'System clock was ahead',
  restored: 'Ledger was restored',
  restored_unknown: 'Restored, result unknown',
  session_taken: 'Session of another payment',
  session_already_driven: 'Session used before',
  unconfirmed_paid: 'Paid, not confirmed',
  unplaced_decided: 'Money given away before',
  unknown_final_status: 'Unknown final status',
  offline_mode_not_enabled: 'Merchant not approved for USSD',
  offline_scope_required: 'Key without USSD payments',
  invalid_msisdn: 'Number rejected',
  decided_accept: 'Decided: accepted',
  decided_paid: 'Decided: paid',
  decided_returned: 'Decided: returned',
  decided_not_paid: 'Decided: not paid',
  service_accepted: 'Accepted by the service',
  service_rejected: 'Rejected by the service',
  matched: 'Matched with unplaced money',
};

/** Returns the short name of a reason of a payment or of a review: `Too little money`. A newer code is named by its own words. */
export function nameReason(code: string): string {
  const [known] = Object.hasOwn(words, code) ? [words[code]] : [];
  const plain = code.replaceAll('_', ' ');
  return known ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** A text that support staff send or read out to a payer: at most 160 characters, one SMS. */
type PayerText = { en: string; tw: string };

/** The texts for payers. Plain GSM letters; no text names an amount, because amounts differ per payment. */
export const payerTexts = {
  coming: {
    en: 'The prompt is on its way to your phone. Please wait for it, and approve it with your PIN.',
    tw: 'Prompt no reba wo phone so. Twen kakra, na fa wo PIN pene so.',
  },
  waiting: {
    en: "Your payment waits for your PIN. Approve the prompt, or open your operator's approvals menu. Please do not pay again.",
    tw: 'Wo sikatua retwen wo PIN. Pene prompt no so, anaa bue wo network approvals menu. Ntua bio.',
  },
  checking: {
    en: 'We do not know yet whether this was paid, and we keep checking. Please do not pay again before you hear from us.',
    tw: 'Yennim se woatua. Yeda so rehwe. Mesre wo, ntua bio kosi se wobete yen nka.',
  },
  paid: {
    en: 'Your payment was received. Thank you.',
    tw: 'Yen nsa aka wo sika. Yeda wo ase.',
  },
  confirming: {
    en: 'Your payment is being confirmed. Please wait a few minutes and ask again. Please do not pay again.',
    tw: 'Yeresi wo sikatua no so dua. Twen kakra na bisa bio. Ntua bio.',
  },
  notPaid: {
    en: 'This was not paid, and no money was taken. To pay, dial again.',
    tw: 'Woantua. Yennyee sika biara mfii wo wallet mu. Wobetumi afre bio atua.',
  },
  declined: {
    en: 'The prompt was declined, so nothing was paid. To pay, dial again and approve the prompt.',
    tw: 'Woampene prompt no so, enti woantua hwee. Se wope se wotua a, fre bio na pene so.',
  },
  pinLimit: {
    en: 'The PIN was wrong too often, so nothing was paid. Ask your operator to reset your PIN, then dial again.',
    tw: 'PIN no nye, enti woantua hwee. Ma wo network nsesa wo PIN, na fre bio.',
  },
  noFunds: {
    en: 'There was not enough money in your wallet, so nothing was paid. Add money, then dial again.',
    tw: 'Sika a ewo wo wallet mu sua, enti woantua hwee. Fa sika gu mu, na fre bio.',
  },
  notApproved: {
    en: 'The prompt was not approved in time, so nothing was paid. To pay, dial again.',
    tw: 'Woampene prompt no so ntem, enti woantua hwee. Se wope se wotua a, fre bio.',
  },
  notPossible: {
    en: 'This payment could not be started. Nothing was paid. Please ask the merchant for another way to pay.',
    tw: 'Yeantumi amfi sikatua yi ase. Woantua hwee. Bisa merchant no kwan foforo a wobetua.',
  },
  totalChanged: {
    en: 'The total changed after you confirmed it, so no prompt was sent and nothing was paid. Dial again to see the new total.',
    tw: 'Sika dodow no asesa, enti woantua hwee. Fre bio na hwe dodow foforo no.',
  },
  moneyChecked: {
    en: 'Money arrived for this payment, and a person is checking it. Please do not pay again.',
    tw: 'Yen nsa aka sika, na obi rehwe mu. Mesre wo, ntua bio.',
  },
  amountChecked: {
    en: 'The amount that arrived is not the one that was asked for. A person is checking it. Please do not pay again.',
    tw: 'Sika a aba no nye dodow a yebisae. Obi rehwe mu. Mesre wo, ntua bio.',
  },
  secondCharge: {
    en: 'You may have been charged twice. A person is checking it. Please do not pay again.',
    tw: 'Ebia wotuaa mprenu. Obi rehwe mu. Mesre wo, ntua bio.',
  },
  personChecks: {
    en: 'A person is checking your payment. Please do not pay again before you hear from us.',
    tw: 'Obi rehwe wo sikatua no mu. Mesre wo, ntua bio kosi se wobete yen nka.',
  },
  serviceChecks: {
    en: 'The payment service is checking your payment. Please do not pay again before you hear from us.',
    tw: 'Payment service no rehwe wo sikatua no mu. Mesre wo, ntua bio kosi se wobete yen nka.',
  },
  returned: {
    en: 'This was not accepted as paid. Your money is being returned to you.',
    tw: 'Yeannye sika no. Yede wo sika resan ama wo.',
  },
  nothingConfirmed: {
    en: 'Your last call ended before you confirmed a payment, so nothing was paid. To pay, dial again.',
    tw: 'Wo fre no baa awiei ansa na woapene so, enti woantua hwee. Se wope se wotua a, fre bio.',
  },
  unplacedMoney: {
    en: 'Money of yours arrived, and we do not know for which payment. A person is checking it. Please do not pay again.',
    tw: 'Wo sika aba, nanso yennim sikatua ko a ewo ho. Obi rehwe mu. Mesre wo, ntua bio.',
  },
  requestedWaiting: {
    en: 'Another phone asked you to pay. Approve the prompt only if you agreed to it. If not, decline it: nothing is taken.',
    tw: 'Fon foforo na ebisaa wo sika. Se wope se wotua a, pene prompt no so. Se woampe a, mpene so: yennye hwee.',
  },
  requestedNotPaid: {
    en: 'Another phone asked you to pay. Nothing was paid, and no money was taken. You need to do nothing.',
    tw: 'Fon foforo na ebisaa wo sika. Woantua hwee, na yennyee sika biara. Enhia se woye hwee.',
  },
  requestedDeclined: {
    en: 'Another phone asked you to pay, and the prompt was declined. No money was taken. You need to do nothing.',
    tw: 'Fon foforo na ebisaa wo sika, na woampene so. Yennyee sika biara. Enhia se woye hwee.',
  },
  requestedPinLimit: {
    en: 'Another phone asked you to pay, and the PIN was wrong too often. No money was taken. Ask your operator to reset your PIN.',
    tw: 'Fon foforo na ebisaa wo sika, na PIN no nye. Yennyee sika biara. Ma wo network nsesa wo PIN.',
  },
} as const satisfies Record<string, PayerText>;

/**
 * Where the payer's money is: `not_taken` is proven; `unknown` is not; `reported` by an event that no poll has confirmed;
 * `received` by the merchant; `suspended` until a person decides; `returned` to the payer by a decision.
 */
export type MoneyState = 'not_taken' | 'unknown' | 'reported' | 'received' | 'suspended' | 'returned';

/** The advice to support staff about one outcome. */
export type PlaybookRow = {
  /** The event in one sentence. */
  happened: string;
  /** Where the money of such a payment is. `null` when it depends on the payment. */
  money: MoneyState | null;
  tellPayer: PayerText;
  /** The next action of support staff. */
  action: string;
  /** The action that support staff must avoid. */
  never: string;
};
