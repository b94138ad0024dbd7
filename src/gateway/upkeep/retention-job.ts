import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { RetentionStore } from './retention-store.ts';

export type RetentionSettings = {
  /** Age at which dialogues are deleted, in milliseconds; null keeps them. */
  dialoguesMs: number | null;
  /** Age at which the bodies of handled events are deleted, in milliseconds; null keeps them. */
  eventBodiesMs: number | null;
};

/** Dialogues, or event bodies, deleted in one transaction. */
const batchSize = 100;

/** Returns the job that deletes old dialogues and event bodies. */
export function retentionJob(
  retention: RetentionStore,
  { dialoguesMs, eventBodiesMs }: RetentionSettings,
  log: Log,
): PeriodicJob {
  return {
    name: 'retention',
    everyMs: 3_600_000,
    // Payments that wait for the start of the gateway come first.
    firstAfterMs: 1_000,
    async run(now) {
      const dialogues =
        dialoguesMs === null ? 0 : await retention.deleteDialogues(now - dialoguesMs, batchSize);
      const bodies = eventBodiesMs === null ? 0 : await retention.emptyBodies(now - eventBodiesMs, batchSize);
      if (dialogues + bodies > 0) log.info({ dialogues, bodies }, 'old rows were deleted');
      return dialogues === batchSize || bodies === batchSize ? 'more' : 'done';
    },
  };
}
