import type { DecisionOutcome } from '../../../src/gateway/collection/collection.ts';
import type { Order, Scene } from '../scene.ts';
import type { Course } from './course.ts';

type Grounds = { outcome: DecisionOutcome; evidence: string; reference?: string };

/** One person proposes a decision about the newest payment of the order. @returns the id of the proposal. */
async function propose(scene: Scene, order: Order, grounds: Grounds): Promise<string> {
  const { id, version } = scene.newest(order.payer);
  const { id: proposal } = await scene.staff('ama', `/reviews/${id}/proposals`, { ...grounds, version });
  return String(proposal);
}

/** A review that two people decide. */
export const decided =
  (review: Course, grounds: Grounds): Course =>
  async (scene, order) => {
    await review(scene, order);
    await scene.until(order.payer, (row) => row.review !== null && row.nextAt === null, 60_000);
    const proposal = await propose(scene, order, grounds);
    await scene.clock.advance(120_000);
    await scene.staff('kofi', `/proposals/${proposal}/approve`, {});
  };

/** A review with a proposal that waits for its approval. */
export const proposed =
  (review: Course, grounds: Grounds): Course =>
  async (scene, order) => {
    await review(scene, order);
    await propose(scene, order, grounds);
  };
