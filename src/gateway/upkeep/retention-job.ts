import type { Log } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
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

/**
 * Batches of one run, and so of about one second. Payers share the only writer of a file; a server has a connection for each batch, and
 * must keep up with several gateways.
 */
const maxBatches = { sqlite: 1, postgres: 20 } as const;

/** Returns the job that deletes old dialogues and event bodies. */
export function retentionJob(
  retention: Pick<RetentionStore, 'deleteDialogues' | 'emptyBodies'>,
  { dialoguesMs, eventBodiesMs }: RetentionSettings,
  { log, engine }: { log: Log; engine: Store['engine'] },
): PeriodicJob {
  /** Deletes batches until one is not full. */
  async function deleteOld(deleteBatch: () => Promise<number>): Promise<{ rows: number; isMore: boolean }> {
    let rows = 0;
    for (let batches = 0; batches < maxBatches[engine]; batches++) {
      const deleted = await deleteBatch();
      rows += deleted;
      if (deleted < batchSize) return { rows, isMore: false };
    }
    return { rows, isMore: true };
  }

  const none = { rows: 0, isMore: false };

  return {
    name: 'retention',
    everyMs: 3_600_000,
    // Payments that wait for the start of the gateway come first.
    firstAfterMs: 1_000,
    async run(now) {
      const dialogues =
        dialoguesMs === null
          ? none
          : await deleteOld(() => retention.deleteDialogues(now - dialoguesMs, batchSize));
      const bodies =
        eventBodiesMs === null
          ? none
          : await deleteOld(() => retention.emptyBodies(now - eventBodiesMs, batchSize));
      if (dialogues.rows + bodies.rows > 0)
        log.info({ dialogues: dialogues.rows, bodies: bodies.rows }, 'old rows were deleted');
      return dialogues.isMore || bodies.isMore ? 'more' : 'done';
    },
  };
}
