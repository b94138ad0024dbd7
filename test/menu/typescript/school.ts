import { ask, choose, confirm, defineMenu, each, end, lookup, option, when } from 'dialtill/menu';

export default defineMenu({
  languages: ['en', 'tw'],
  start: 'number',
  screens: {
    number: ask.reference({ text: 'Student number:', pattern: '\\d{6}', example: '123456', to: 'student' }),
    student: lookup({
      take: {
        student: { text: 20, from: 'full_name' },
        due: { amount: '5000.00' },
        terms: { list: 3, of: { name: { text: 8 }, fee: { amount: '2000.00' }, n: { number: 3 } } },
      },
      find: async ({ reference }, { signal }) => {
        signal.throwIfAborted();
        if (reference !== '123456') return undefined;
        return { full_name: 'Ama', due: 12_000, terms: [{ name: 'First', fee: 12_000, n: 1 }] };
      },
      found: [when({ value: 'due', above: '0.00' }, 'terms'), 'paid'],
      notFound: 'number',
      fallback: 'later',
    }),
    terms: choose({
      text: '{student} owes {due}',
      options: [
        each('terms', '{item.name} {item.fee}', 'confirm', { set: { amount: '{item.fee}' } }),
        option({ en: 'Something else', tw: 'Ade foforo' }, 'amount'),
      ],
    }),
    amount: ask.amount({ text: 'Amount:', min: '1.00', max: '500', to: 'confirm' }),
    confirm: confirm({ text: 'Pay {amount} for {student}?', to: 'done' }),
    paid: end({ text: 'Nothing is due.' }),
    later: { kind: 'end', text: 'Please try later.' },
    done: end({ text: 'Approve {amount}.' }),
  },
});
