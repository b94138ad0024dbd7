import { type Menu, menuSchema } from '../../src/menu/schema.ts';

/** Returns a menu with every kind of payment: with the own or another phone, a bill, requests, and a payment status. */
export function shopMenu(changed: { languages?: string[]; screens?: object } = {}): Menu {
  const { languages = ['en'], screens = {} } = changed;
  return menuSchema.parse({
    languages,
    start: 'welcome',
    screens: {
      welcome: {
        kind: 'choose',
        text: '{merchant}',
        options: [
          { label: 'My number', set: { payer: 'own' }, to: 'amount' },
          { label: 'Other number', to: 'number' },
          { label: 'Bill', set: { payer: 'own' }, to: 'bill' },
          { label: 'Requests', to: 'requests' },
          { label: 'Change language', language: 'next', to: 'welcome' },
          { label: 'Paid?', when: { dialler: 'attendant' }, to: 'status' },
        ],
      },
      number: { kind: 'ask', answer: 'msisdn', text: 'Number that pays:', to: 'amount' },
      bill: {
        kind: 'ask',
        answer: 'reference',
        pattern: 'INV-\\d{4}',
        example: 'INV-1234',
        text: 'Bill:',
        to: 'amount',
      },
      amount: { kind: 'ask', answer: 'amount', min: '1.00', max: '5000.00', text: 'Amount:', to: 'confirm' },
      confirm: {
        kind: 'confirm',
        text: 'Pay {amount} to {merchant} from {payer}?\nFee {fee}, total {total}',
        to: 'done',
      },
      done: { kind: 'end', text: 'Approve {amount} with your PIN.\nRef {short_reference}' },
      requests: { kind: 'requests', text: 'Requests from other phones:' },
      status: { kind: 'status', text: 'Short reference:' },
      ...screens,
    },
  });
}

/** A school's menu: a student number, the amount due, and a typed amount when the school does not answer. */
export const schoolMenu = shopMenu({
  screens: {
    welcome: {
      kind: 'choose',
      text: '{merchant}',
      options: [
        { label: 'Student', to: 'student' },
        { label: 'Pay in', to: 'amount' },
      ],
    },
    student: {
      kind: 'ask',
      answer: 'text',
      name: 'number',
      pattern: '\\d{4}',
      text: 'Student number:',
      to: 'find',
    },
    find: {
      kind: 'lookup',
      take: { student: { text: 20 }, due: { amount: '500.00' } },
      found: 'owed',
      fallback: 'amount',
    },
    owed: {
      kind: 'choose',
      text: '{student} owes {due}',
      options: [
        { label: 'Pay it', set: { amount: '{due}', reference: '{number}' }, to: 'confirm' },
        { label: 'Another', to: 'student' },
      ],
    },
  },
});
