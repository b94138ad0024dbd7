import { ask, cedis, choose, confirm, defineMenu, end, option, pesewas } from 'dialtill/menu';
import { prices } from './prices.ts';

// The same menu as fixtures/menus/tickets.yaml.
export default defineMenu({
  languages: ['en'],
  start: 'ticket',
  messages: { yes: 'Pay', feeAndTotal: 'Total with fee {total}', cancelled: 'No ticket was sold.' },
  screens: {
    ticket: choose({
      text: 'Tickets of {merchant}',
      options: [
        option('Child GHS 10', 'visitor', { set: { amount: pesewas(prices.child), reference: 'CHILD' } }),
        option('Adult GHS 25', 'visitor', { set: { amount: cedis(prices.adult), reference: 'ADULT' } }),
        option('Opening hours', 'hours'),
      ],
    }),
    hours: end({ text: 'Open daily 9:00 to 17:00.' }),
    visitor: ask.text({ text: 'Name of the visitor:', name: 'visitor', maxLength: 20, to: 'wallet' }),
    wallet: choose({
      text: 'Who pays?',
      options: [
        option('This number', 'confirm', { set: { payer: 'own' } }),
        option('Another MTN number', 'number', { set: { operator: 'mtn' } }),
        option('Another Telecel number', 'number', { set: { operator: 'telecel' } }),
        option('Another AT number', 'number', { set: { operator: 'at' } }),
      ],
    }),
    number: ask.msisdn({ text: 'Number that pays:', to: 'confirm' }),
    confirm: confirm({ text: '{amount} ({amount_words}) from {payer}\nfor {visitor}?', to: 'done' }),
    done: {
      kind: 'end',
      text: 'Approve {charge} with your PIN.\nLater: {approvals}',
      operators: { telecel: 'Approve {charge}, or dial *110#.' },
    },
  },
});
