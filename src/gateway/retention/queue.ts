import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Queue } from '../worker/queue.ts';
import type { RetentionStore } from './retention-store.ts';

export type RetentionSettings = {
  /** How long turns are kept; null for ever. */
  dialoguesMs: number | null;
  /** How long the bodies of handled events are kept; null for ever. */
  eventBodiesMs: number | null;
};

/** Dialogues, or bodies, in one transaction; while there are more, the next come after a short pause. */
const batch = 100;
const pauseMs = 1_000;
const everyMs = 3_600_000;

/** Letting old rows go, as a queue with one job that is always due again. */
export function retentionQueue(
  retention: RetentionStore,
  { dialoguesMs, eventBodiesMs }: RetentionSettings,
  { clock, log }: { clock: Clock; log: Log },
): Queue {
  // Not in the first moment, which belongs to payments that wait.
  let nextAt = clock.now() + pauseMs;
  return {
    name: 'retention',
    async claim(now, limit) {
      if (now < nextAt || limit < 1) return [];
      nextAt = now + everyMs;
      return [
        async () => {
          const dialogues =
            dialoguesMs === null ? 0 : await retention.deleteDialogues(now - dialoguesMs, batch);
          const bodies = eventBodiesMs === null ? 0 : await retention.emptyBodies(now - eventBodiesMs, batch);
          if (dialogues + bodies > 0) log.info({ dialogues, bodies }, 'old rows were let go');
          if (dialogues === batch || bodies === batch) nextAt = clock.now() + pauseMs;
        },
      ];
    },
    nextDueAt: async () => nextAt,
  };
}
