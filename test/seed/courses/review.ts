import { msisdnOf } from '../../kit/msisdn.ts';
import { change, lose, loseAnswer, poll } from '../network.ts';
import { type Course, failedEvent, paidEvent, settleMs } from './course.ts';
import { approved } from './paid.ts';
import { abandonedBy, declined, endedByPoll } from './unpaid.ts';

const staleMs = 600_000;
const waitingPoll = poll('initiated', { terminal: false });

/** Money is reported for a payment that has ended in another way. */
const paidAfter =
  (end: Course): Course =>
  async (scene, order) => {
    await end(scene, order);
    const row = scene.newest(order.payer);
    await scene.deliver(order.shop, paidEvent(row, scene.clock.now()));
    await scene.until(order.payer, ({ review }) => review !== null, 60_000);
  };

export const paidAfterFailed = paidAfter(declined);
export const paidAfterExpired = paidAfter(endedByPoll('expired', 'prompt_expired'));
export const paidAfterAbandoned = paidAfter(abandonedBy({ initiate: lose }));

/** Money is reported before the gateway has requested a prompt. */
export const paidBeforePrompt: Course = async (scene, order) => {
  await scene.confirm(order, { after: { initiate: lose } });
  const row = await scene.until(order.payer, ({ status }) => status === 'created', 10_000);
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now()));
};

/** An old event reports a payment that a poll has proven unpaid. */
export const staleEvent: Course = async (scene, order) => {
  await declined(scene, order);
  const row = scene.newest(order.payer);
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now() - staleMs), staleMs);
};

/** An event reports a payment without readable amounts, and the payer declines. */
export const unreadableEvent: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose } });
  const prompt = await scene.prompt(order);
  const row = scene.newest(order.payer);
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now(), { amount_minor: '20.20' }));
  await prompt.decline();
  await scene.until(order.payer, ({ status }) => status === 'review', 120_000);
};

/** The payment event states another currency. */
export const otherCurrency: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: waitingPoll } });
  const row = await scene.until(order.payer, ({ status }) => status === 'initiated', 30_000);
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now(), { currency: 'USD' }));
  await scene.until(order.payer, ({ status }) => status === 'review', 30_000);
};

/** The payment event states another amount than the quote. People here decide, because the service has no review. */
export const wrongAmount: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: waitingPoll } });
  const row = await scene.until(order.payer, ({ status }) => status === 'initiated', 30_000);
  const half = Math.floor(row.goodsMinor / 2);
  const changed = { amount_minor: half + (row.feeMinor ?? 0), expected_net_minor: half };
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now(), changed));
  await scene.until(order.payer, ({ status }) => status === 'review', 30_000);
};

/** A poll reports a final status that the interface does not name. */
export const unknownStatus: Course = async (scene, order) => {
  const after = { webhook: lose, status: poll('settled_elsewhere', { terminal: true }) };
  await scene.confirm(order, { after });
  await scene.until(order.payer, ({ status }) => status === 'review', 60_000);
};

/** The payment session was used before the gateway has requested a prompt. */
export const drivenSession: Course = async (scene, order) => {
  await scene.confirm(order, { after: { create: change(() => ({ status: 'initiated' })) } });
  await scene.until(order.payer, ({ status }) => status === 'review', 60_000);
};

/** An event reports a payment that the service does not confirm. */
export const unconfirmed: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: waitingPoll } });
  const row = await scene.until(order.payer, ({ status }) => status === 'initiated', 30_000);
  await scene.deliver(order.shop, paidEvent(row, scene.clock.now()));
};

/** An event reports a payment, and the poll reports another final status. */
export const contradicted =
  (status: 'created' | 'initiated' | 'failed' | 'expired'): Course =>
  async (scene, order) => {
    await unconfirmed(scene, order);
    const contradiction = poll(status, { terminal: true });
    scene.network.setFaults(msisdnOf(order.payer), { webhook: lose, status: contradiction });
    await scene.until(order.payer, (row) => row.status === 'review', 120_000);
  };

/** An event reports a failure after the payment was confirmed. */
export const failedAfterPaid: Course = async (scene, order) => {
  await approved(scene, order);
  const row = await scene.until(order.payer, ({ confirmedAt }) => confirmedAt !== null, 60_000);
  await scene.deliver(order.shop, failedEvent(row, scene.clock.now()));
  await scene.until(order.payer, ({ review }) => review !== null, 60_000);
};

/** A poll is not answered while the money is at the service's review. Staff of the service reject it, and the poll has its reason. */
export const rejectedUnseen: Course = endedByPoll('failed', 'amount_mismatch');

/** An event reports a failure that no poll confirms. */
export const reportedFailure: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: waitingPoll } });
  const row = await scene.until(order.payer, ({ status }) => status === 'initiated', 30_000);
  await scene.deliver(order.shop, failedEvent(row, scene.clock.now()));
};

/** The answer to initiate is lost, and no poll is answered. */
export const unknownPrompt: Course = async (scene, order) => {
  await scene.confirm(order, { after: { initiate: loseAnswer, status: lose } });
  await scene.until(order.payer, ({ status }) => status === 'initiating', 30_000);
};

/** The payment session is created, and the prompt not yet requested. */
export const beforePrompt: Course = async (scene, order) => {
  await scene.confirm(order);
  const end = scene.clock.now() + 10_000;
  while (scene.newest(order.payer).status !== 'created' && scene.clock.now() < end)
    await scene.clock.advance(100);
};

/** The service does not answer. */
export const unansweredCreate: Course = async (scene, order) => {
  await scene.confirm(order, { after: { create: lose } });
};

/** The prompt is on the handset. */
export const waitingForPin: Course = async (scene, order) => {
  await scene.confirm(order);
  await scene.prompt(order);
  await scene.clock.advance(settleMs);
};
