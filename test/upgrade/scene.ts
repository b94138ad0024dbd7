import { addEndpoint, type createNotified } from '../kit/receiver.ts';
import { callStaff } from '../kit/staff.ts';
import { minute, paidEvent, type Till } from '../kit/till.ts';
import { deliver, evidence, paidOf } from '../kit/unplaced.ts';

type Notified = Awaited<ReturnType<typeof createNotified>>;

/** The payers of a ledger that is upgraded, each named by what the upgrade finds. */
export const payers = {
  paid: '0244123401',
  failed: '0244123402',
  /** The rail charges half of the amount; people at the service decide. */
  atService: '0244123906',
  /** An event reports another amount; people here decide. */
  review: '0244123404',
  unconfirmed: '0244123405',
  /** The prompt is on the handset. */
  initiated: '0244123406',
  /** The answer to initiate is lost. */
  initiating: '0244123407',
  /** The payer has dialled again, and the prompt waits for the end of that dialogue. */
  created: '0244123408',
  /** The create call was lost. */
  accepted: '0244123409',
  /** A worker has the lease, and its create call is not answered. */
  claimed: '0244123410',
} as const;

/** Sessions at the service that no collection has. */
export const unknownSessions = { unplaced: 'pay_unplaced', unhandled: 'pay_unhandled' } as const;

const lost = async (): Promise<Response> => {
  throw new Error('the message was lost');
};

/**
 * Plays payments that stop at each place where an upgrade can find them: final, under review, open, claimed.
 *
 * @returns a function that ends the call which is in flight.
 */
export async function stopEverywhere({ till, receiver }: Notified): Promise<() => void> {
  await addEndpoint(till, receiver);
  await till.paidPayment(payers.paid);
  await till.clock.advance(10_000);
  await till.prompted(payers.failed);
  await till.declined(payers.failed);
  await till.pay(payers.atService);
  await till.untilStatus(payers.atService, 'review', 30_000);
  // The idle time of a till's worker, after which it seals the ledger.
  await till.clock.advance(10 * minute);
  await review(till);
  await deliver(till, paidOf(unknownSessions.unplaced));
  // From now on, notifications wait.
  receiver.answer = () => ({ status: 500, body: 'later' });
  return open(till);
}

/** Leaves a review with a note and an open proposal. */
async function review(till: Till): Promise<void> {
  const row = await till.prompted(payers.review);
  const endPolls = till.answerPolls((id) => ({ id, status: 'initiated', terminal: false }));
  await till.deliver(paidEvent(row, 'evt_half', { amount_minor: 1_010, expected_net_minor: 990 }));
  const { id } = await till.untilStatus(payers.review, 'review', 30_000);
  endPolls();
  await callStaff(till, 'kofi', `/collections/${id}/notes`, { text: 'the payer called' });
  const path = `/reviews/${id}/proposals`;
  const { version } = await till.only(payers.review);
  const terms = { outcome: 'returned', reference: 'TRF-1', evidence, version };
  const made = await callStaff(till, 'ama', path, terms);
  if (made.status !== 200) throw new Error(`the proposal was refused: ${JSON.stringify(made.body)}`);
}

/** Opens the payments that are in flight. */
async function open(till: Till): Promise<() => void> {
  const inFlight = Promise.withResolvers<Response>();
  let losesInitiate = false;
  till.faults.webhook = lost;
  till.faults.call = async ({ name, body }, pass) => {
    const isOf = (msisdn: string) => body.includes(msisdn.slice(1));
    if (name === 'status' || (name === 'create' && isOf(payers.accepted))) return lost();
    if (name === 'create' && isOf(payers.claimed)) return inFlight.promise;
    const answer = await pass();
    return name === 'initiate' && losesInitiate ? lost() : answer;
  };
  const unconfirmed = await till.prompted(payers.unconfirmed);
  await till.approve(payers.unconfirmed);
  await till.deliver(paidEvent(unconfirmed, 'evt_unconfirmed'));
  await till.prompted(payers.initiated);
  losesInitiate = true;
  await till.pay(payers.initiating);
  await till.untilStatus(payers.initiating, 'initiating');
  await till.pay(payers.created);
  await till.phone(payers.created).dial();
  await till.untilStatus(payers.created, 'created');
  await till.pay(payers.accepted);
  await till.pay(payers.claimed);
  await till.until(() => till.calls.some(({ body }) => body.includes(payers.claimed.slice(1))));
  await till.deliver(paidOf(unknownSessions.unhandled, 'evt_unhandled'));
  return () => inFlight.reject(new Error('the process ended'));
}
