import { type Clock, type EpochMs, monotonicMs } from '../../shared/clock.ts';
import { messageOf, UserError } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/periodic.ts';
import type { RecoveryStore } from './recovery-store.ts';
import { readWatermark, type Watermark, writeWatermark } from './watermark.ts';

export type RecoveryDeps = {
  store: RecoveryStore;
  /** Path of the database. Its watermark is beside it. */
  database: string;
  livemode: 0 | 1;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Time after which a payer may retry. A prompt that the copy does not contain can be open for as long. */
  retryAllowedAfterMs: number;
  /** Interval of the watermark, in milliseconds. */
  everyMs: number;
};

/** What is known about the database file before the gateway writes to it. */
type Origin = {
  ledgerId: string | null;
  /** The file records a restore that no gateway has started to recover from. */
  isNewRestore: boolean;
  /** The watermark shows an older or foreign file, and the file does not record that it is a copy. */
  isUndeclaredCopy: boolean;
  isRunning: boolean;
  takenAt: EpochMs | null;
  /** How long no payer is prompted for a new collection, from now. */
  pauseMs: number;
};

/**
 * Creates the recovery after a restore. Collections that were open in the copy are marked; the worker polls them and
 * never prompts them. No new collection is opened for as long as a prompt may exist that the copy does not contain
 * (decision 0012).
 */
export function createRecovery({
  store,
  database,
  livemode,
  clock,
  ids,
  log,
  retryAllowedAfterMs,
  everyMs,
}: RecoveryDeps) {
  let origin: Promise<Origin> | undefined;
  /** Monotonic time, so that a correction of the system clock does not change the pause. */
  let pausedUntilMs: number | undefined;
  let hasStarted = false;
  let isRunning = false;
  let recordedFacts = -1;
  let hasFailed = false;

  async function readOrigin(): Promise<Origin> {
    const { id, facts } = await store.identity();
    const restores = await store.unfinished();
    const watermark = readWatermark(database);
    // A file without an id is new, or it was copied before its ledger had an id.
    const matchesWatermark =
      id === null ? (watermark?.facts ?? 0) === 0 : watermark?.ledger === id && watermark.facts <= facts;
    const isNewRestore = restores.some(({ begunAt }) => begunAt === null);
    const isUndeclaredCopy = !isNewRestore && !matchesWatermark;
    // The pause counts from the first start on the file, by this gateway's clock: other clocks may have differed.
    const now = clock.now();
    const startTimes = restores.map(({ begunAt }) => Math.min(begunAt ?? now, now));
    if (isUndeclaredCopy) startTimes.push(now);
    const pauseMs = Math.max(0, ...startTimes.map((at) => at + retryAllowedAfterMs - now));
    pausedUntilMs = monotonicMs(clock) + pauseMs;
    const latest = restores.findLast(({ begunAt }) => begunAt === null) ?? restores.at(-1);
    return {
      ledgerId: id,
      isNewRestore,
      isUndeclaredCopy,
      isRunning: startTimes.length > 0,
      takenAt: latest?.takenAt ?? null,
      pauseMs,
    };
  }

  function originOnce(): Promise<Origin> {
    origin ??= readOrigin();
    return origin;
  }

  /** Writes the watermark. A failure is only logged: at worst it causes an unnecessary recovery. */
  function record(mark: Watermark): void {
    try {
      writeWatermark(database, mark);
      recordedFacts = mark.facts;
      hasFailed = false;
    } catch (cause) {
      if (hasFailed) return;
      hasFailed = true;
      log.error(
        { alarm: 'watermark', fault: messageOf(cause) },
        'the watermark beside the database cannot be written: the next start will begin a recovery',
      );
    }
  }

  async function recordProgress(): Promise<void> {
    const { id, facts } = await store.identity();
    if (id !== null && facts !== recordedFacts) record({ ledger: id, facts });
  }

  async function completeWhenDone(): Promise<void> {
    const now = clock.now();
    if (!isRunning || monotonicMs(clock) < (pausedUntilMs ?? 0)) return;
    const { unanswered, waiting } = await store.counts(livemode);
    if (waiting > 0) return;
    await store.complete(now);
    isRunning = false;
    log.warn({ unanswered }, 'the recovery is complete: payers can start new payments');
  }

  return {
    /** Returns true while no new collection may be opened. */
    async isPaused(): Promise<boolean> {
      if (pausedUntilMs === undefined) await originOnce();
      return pausedUntilMs !== undefined && monotonicMs(clock) < pausedUntilMs;
    },
    isRunning: () => isRunning,
    /**
     * Marks the open collections of a copy. Call it before the worker starts: no marked collection is prompted.
     *
     * @throws UserError when they cannot be marked. The gateway must not start then.
     */
    async start(): Promise<void> {
      const found = await originOnce();
      const now = clock.now();
      const isCopy = found.isNewRestore || found.isUndeclaredCopy;
      if (isCopy && !(await store.start(found.takenAt, found.isUndeclaredCopy, now)))
        throw new UserError(
          `${database} is a restored copy, and its open collections cannot be marked because its facts contradict them. No payer is charged. What to do: docs/operations.md, "A damaged file".`,
        );
      hasStarted = true;
      // The watermark comes first: an id without a watermark would make the next start treat the file as a copy.
      if (found.ledgerId === null) {
        const id = ids.next('led');
        record({ ledger: id, facts: 0 });
        await store.setLedgerId(id);
      }
      isRunning = found.isRunning;
      if (isRunning) {
        const { open, unanswered } = await store.counts(livemode);
        const until = new Date(now + found.pauseMs).toISOString();
        log.warn(
          { takenAt: found.takenAt, open, unanswered, until },
          'the ledger is a restored copy: its open collections are polled, and payers cannot start new payments until the time in "until"',
        );
      }
      await recordProgress();
    },
    job: {
      name: 'recovery',
      everyMs,
      async run() {
        await recordProgress();
        await completeWhenDone();
        return 'done';
      },
    } satisfies PeriodicJob,
    /** Writes the last watermark. Does nothing before `start`: the file may have been replaced by a copy. */
    async close(): Promise<void> {
      if (hasStarted) await recordProgress();
    },
  };
}
