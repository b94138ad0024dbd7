import { msisdnOf } from '../../kit/msisdn.ts';
import { lose, poll } from '../network.ts';
import { type Course, settleMs } from './course.ts';

/** The payer approves the prompt. */
export const approved: Course = async (scene, order) => {
  await scene.confirm(order);
  await (await scene.prompt(order)).approve();
  await scene.clock.advance(settleMs);
};

/** The event is lost, and a poll finds the payment. */
export const foundByPoll: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose } });
  await (await scene.prompt(order)).approve();
  await scene.until(order.payer, ({ status }) => status === 'paid', 120_000);
};

/** The payment becomes known only after the payer may have started another one. */
export const foundLate: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: lose } });
  await (await scene.prompt(order)).approve();
  await scene.until(order.payer, ({ lapsedAt }) => lapsedAt !== null, 600_000);
  scene.network.setFaults(msisdnOf(order.payer), { webhook: lose });
  await scene.until(order.payer, ({ status }) => status === 'paid', 600_000);
};

/** The rail of a magic number ends the payment without a person. */
export const byMagicNumber: Course = async (scene, order) => {
  await scene.confirm(order);
  await scene.clock.advance(20_000);
};

/** The service reports a review, and its staff accept or reject the money. */
export const decidedByService =
  (resolution: 'accepted' | 'rejected'): Course =>
  async (scene, order) => {
    await byMagicNumber(scene, order);
    await scene.until(order.payer, ({ status }) => status === 'review', 60_000);
    await scene.clock.advance(60_000);
    await scene.resolveAtService(order, resolution);
    await scene.clock.advance(settleMs);
  };

/** The service has no result for the whole week. */
export const withoutResult: Course = async (scene, order) => {
  await scene.confirm(order, { after: { webhook: lose, status: poll('initiated', { terminal: false }) } });
  await scene.clock.advance(20_000);
};
