import { type Clock, type EpochMs, monotonicMs } from '../../shared/clock.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { LedgerOrigin, Watermark } from './ledger-origin.ts';
import type { RecoveryStore } from './recovery-store.ts';

export type RecoveryDeps = {
  store: RecoveryStore;
  origin: LedgerOrigin;
  livemode: 0 | 1;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Time after which a payer may retry. A prompt that the copy does not contain can be open for as long. */
  retryAllowedAfterMs: number;
  /** Interval of the watermark, in milliseconds. */
  everyMs: number;
};

/** The state of the ledger before the gateway writes to it. */
type Found = {
  ledgerId: string | null;
  /** The ledger records a restore that no gateway has started to recover from. */
  isNewRestore: boolean;
  /** The ledger was written elsewhere or is older, and does not record that it is a copy. */
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
  origin,
  livemode,
  clock,
  ids,
  log,
  retryAllowedAfterMs,
  everyMs,
}: RecoveryDeps) {
  let found: Promise<Found> | undefined;
  /** Monotonic time, so that a correction of the system clock does not change the pause. */
  let pausedUntilMs: number | undefined;
  let hasStarted = false;
  let isRunning = false;
  let recordedFacts = -1;
  let hasFailed = false;

  async function readLedger(): Promise<Found> {
    const ledger = await store.identity();
    const restores = await store.unfinished();
    const isNewRestore = restores.some(({ begunAt }) => begunAt === null);
    const isUndeclaredCopy = !isNewRestore && !(await origin.matches(ledger));
    // The pause counts from the first start on the file, by this gateway's clock: other clocks may have differed.
    const now = clock.now();
    const startTimes = restores.map(({ begunAt }) => Math.min(begunAt ?? now, now));
    if (isUndeclaredCopy) startTimes.push(now);
    const pauseMs = Math.max(0, ...startTimes.map((at) => at + retryAllowedAfterMs - now));
    pausedUntilMs = monotonicMs(clock) + pauseMs;
    const latest = restores.findLast(({ begunAt }) => begunAt === null) ?? restores.at(-1);
    return {
      ledgerId: ledger.id,
      isNewRestore,
      isUndeclaredCopy,
      isRunning: startTimes.length > 0,
      takenAt: latest?.takenAt ?? null,
      pauseMs,
    };
  }

  function readOnce(): Promise<Found> {
    found ??= readLedger();
    return found;
  }

  /** Records where the ledger is written. A failure is only logged: at worst it causes an unnecessary recovery. */
  async function record(mark: Watermark): Promise<void> {
    try {
      await origin.record(mark);
      recordedFacts = mark.facts;
      hasFailed = false;
    } catch (cause) {
      if (hasFailed) return;
      hasFailed = true;
      log.error(
        { alarm: 'watermark', fault: errorMessage(cause) },
        'the watermark of the ledger cannot be written: the next start will begin a recovery',
      );
    }
  }

  async function recordProgress(): Promise<void> {
    const { id, facts } = await store.identity();
    if (id !== null && facts !== recordedFacts) await record({ ledger: id, facts });
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
      if (pausedUntilMs === undefined) await readOnce();
      return pausedUntilMs !== undefined && monotonicMs(clock) < pausedUntilMs;
    },
    isRunning: () => isRunning,
    /**
     * Marks the open collections of a copy. Call it before the worker starts: no marked collection is prompted.
     *
     * @throws UserError when they cannot be marked. The gateway must not start then.
     */
    async start(): Promise<void> {
      // Another gateway may have started on the same copy since the first request of this one.
      found = undefined;
      const ledger = await readOnce();
      const now = clock.now();
      const isCopy = ledger.isNewRestore || ledger.isUndeclaredCopy;
      if (isCopy && !(await store.start(ledger.takenAt, ledger.isUndeclaredCopy, now)))
        throw new UserError(
          `${origin.name} is a restored copy, and its open collections cannot be marked because its facts contradict them. No payer is charged. What to do: docs/operations/damaged-file.md.`,
        );
      hasStarted = true;
      // The watermark comes first: an id without a watermark would make the next start treat the file as a copy.
      if (ledger.ledgerId === null) {
        const id = ids.next('led');
        await record({ ledger: id, facts: 0 });
        await store.setLedgerId(id, origin.cluster);
      }
      isRunning = ledger.isRunning;
      if (isRunning) {
        const { open, unanswered } = await store.counts(livemode);
        const until = new Date(now + ledger.pauseMs).toISOString();
        log.warn(
          { takenAt: ledger.takenAt, open, unanswered, until },
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
