import type { PromptFailure } from '../../../src/contract/service/end-reason.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { change, type Faults, lose, poll, reject } from '../network.ts';
import { type Course, settleMs } from './course.ts';

/** The payer declines the prompt. */
export const declined: Course = async (scene, order) => {
  await scene.confirm(order);
  await (await scene.prompt(order)).decline();
  await scene.clock.advance(settleMs);
};

/** The payer's network fails the prompt. */
export const failedPrompt =
  (failure: PromptFailure): Course =>
  async (scene, order) => {
    await scene.confirm(order);
    await (await scene.prompt(order)).fail(failure);
    await scene.clock.advance(settleMs);
  };

/** The payer does not react, and the prompt expires. */
export const unanswered: Course = async (scene, order) => {
  await scene.confirm(order);
  await scene.prompt(order);
};

/** A poll reports the end, and no event does. */
export const endedByPoll =
  (status: 'failed' | 'expired', reason?: string): Course =>
  async (scene, order) => {
    const ended = poll(status, { terminal: true, ...(reason === undefined ? {} : { reason }) });
    await scene.confirm(order, { after: { webhook: lose, status: ended } });
    await scene.until(order.payer, (row) => row.status === status, 60_000);
  };

const untilAbandonedMs = 420_000;

/** A message of the service is lost or changed, so that no prompt is sent. */
export const abandonedBy =
  (after: Faults, before: Faults = {}): Course =>
  async (scene, order) => {
    await scene.confirm(order, { before, after });
    await scene.until(order.payer, ({ status }) => status === 'abandoned', untilAbandonedMs);
    scene.network.setFaults(msisdnOf(order.payer), {});
  };

/** The service answers the create call with changed fields. */
export const wrongQuote = (fields: Parameters<typeof change>[0]): Course =>
  abandonedBy({ create: change(fields) });

export const rejectedCreate = (status: number, code: string): Course =>
  abandonedBy({ create: reject(status, code) });

/** The service answers with the payment session of another payment. */
export const takenSession: Course = (scene, order) =>
  abandonedBy({ create: change(() => ({ id: scene.network.firstSession() })) })(scene, order);
