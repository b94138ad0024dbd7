import { eventTypes } from '../../../src/contract/service/event.ts';
import { type AccountRole, accountRoles } from '../../../src/contract/staff/account.ts';
import {
  type AccountHolder,
  type Browser,
  createAccount,
  createBrowser,
  heldByService,
  payHeld,
  payShort,
  serveConsoleTill,
  short,
} from '../../kit/console.ts';
import { createMerchantKey } from '../../kit/merchant-api.ts';
import { callStaff } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';
import { deliver, paidOf } from '../../kit/unplaced.ts';

/** The phone numbers of the scene. */
export const numbers = {
  paid: '0244123456',
  declined: '0201234567',
  waiting: '0261234567',
  /** Half of the amount arrives, so that people must decide. */
  short,
  /** Half of the amount arrives, and the service must decide. */
  heldByService,
  /** Requests a payment from `asked`. */
  dialler: '0277654321',
  asked: '0559876543',
  /** Dials, and leaves before the payment. */
  leaves: '0500111222',
  blocked: '0264999757',
} as const;

/** A console in which every list has an entry, with a person of every role. */
export type Scene = {
  till: Till;
  url: string;
  /** The browser of a person of each role, signed in. */
  people: Record<AccountRole, Browser>;
  /** A browser in the first use of an account. */
  newcomer: Browser;
  /** A browser that is not signed in. */
  stranger: Browser;
  /** Requests a path of the console over HTTP. */
  ask(browser: Browser, path: string): Promise<Response>;
  /** Lets time pass, so that the limit of requests per person is not reached. */
  pause(): Promise<void>;
  holders: Record<AccountRole, AccountHolder>;
};

/** Creates the scene. */
export async function createScene(): Promise<Scene> {
  const { till, url } = await serveConsoleTill({
    configure(config) {
      config.notify = { secretsKey: Buffer.alloc(32, 7).toString('base64'), allowPrivate: [] };
    },
    overrides: () => ({
      notifyFetch: async () => ({ status: 500, body: new Response('out of order').body }),
    }),
  });
  const holders = {} as Scene['holders'];
  const people = {} as Scene['people'];
  for (const role of accountRoles)
    holders[role] = await createAccount(till, `the-${role}`, role, role === 'merchant' ? 'demo-shop' : null);
  await playPayments(till);
  for (const role of accountRoles) people[role] = await holders[role].signIn();
  await propose(till, people.agent);
  await people.agent.post('/views', { name: 'To check', query: '?status=paid' });
  const newcomer = createBrowser(till);
  const { body } = await callStaff(till, 'adwoa', '/accounts', { name: 'newcomer', role: 'agent' });
  await newcomer.post('/first-use', { name: 'newcomer', code: String(body.code) });
  const pause = () => till.clock.advance(250);
  async function ask(browser: Browser, path: string): Promise<Response> {
    await pause();
    const cookie = browser.cookie();
    const headers = cookie === undefined ? {} : { cookie };
    return globalThis.fetch(`${url}/console${path === '/' ? '' : path}`, { headers, redirect: 'manual' });
  }
  return { till, url, people, newcomer, stranger: createBrowser(till), ask, pause, holders };
}

/** Payments in every state, money that no payment explains, a block, an endpoint that fails, and a key. */
async function playPayments(till: Till): Promise<void> {
  await callStaff(till, 'adwoa', '/endpoints', {
    merchantId: 'demo-shop',
    url: 'https://shop.example/hooks',
  });
  await createMerchantKey(till);
  await till.paidPayment(numbers.paid);
  // The day of the first payment can be closed.
  await till.clock.advance(24 * 3_600_000);
  await till.pay(numbers.paid, ['3', 'INV-1234', '35', '1']);
  await till.prompted(numbers.declined);
  await till.declined(numbers.declined);
  await payShort(till);
  await payHeld(till);
  await till.pay(numbers.dialler, ['2', numbers.asked, '1', '20', '1']);
  await till.untilStatus(numbers.asked, 'initiated');
  await till.declined(numbers.asked);
  await till.pay(numbers.leaves, ['1']);
  await deliver(till, paidOf('pay_elsewhere_1'));
  await deliver(till, {
    ...{ id: 'evt_dead', type: eventTypes.refundSettled, created_at: '2026-03-06T09:00:00Z' },
    // It names no payment session.
    data: { payer: numbers.waiting },
  });
  const block = {
    msisdn: numbers.blocked,
    role: 'dialler',
    merchantId: null,
    reason: 'false requests',
    until: null,
  };
  await callStaff(till, 'ama', '/blocks', block);
  await till.prompted(numbers.waiting);
}

/** Proposes a decision about the payment of half an amount. */
async function propose(till: Till, browser: Browser): Promise<void> {
  const { id, version } = await till.only(numbers.short);
  const form = {
    outcome: 'accept',
    evidence: 'line 7 of the statement',
    reference: '',
    version: String(version),
  };
  await browser.post(`/payments/${id}/proposals`, form);
}
