import { type Clock, type EpochMs, monotonicMs } from '../../shared/clock.ts';
import { messageOf, UserError } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/periodic.ts';
import type { RecoveryStore } from './recovery-store.ts';
import { readWatermark, type Watermark, writeWatermark } from './watermark.ts';

export type RecoveryDeps = {
  store: RecoveryStore;
  /** The database file, beside which its watermark lies. */
  database: string;
  livemode: 0 | 1;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** How long a prompt keeps its payer from another one: so long may one wait of which the copy does not know. */
  retryAllowedAfterMs: number;
  /** Pause between two looks at how far things have come. */
  everyMs: number;
};

/** What was found out of a file before anything is written to it. */
type Origin = {
  id: string | null;
  /** It has come less far than this place has seen, and does not say itself that it is a copy. */
  isOld: boolean;
  /** What was open in it is still to be marked. */
  isNew: boolean;
  isRunning: boolean;
  takenAt: EpochMs | null;
  /** How long nobody new is asked to pay, from now on. */
  quietMs: number;
};

/**
 * The recovery after a restore. What was open in the copy is marked, polled by the worker and never prompted; and for as
 * long as a prompt may wait of which the copy does not know, nobody new is asked to pay (decision 0012).
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
  /** By the steady clock: a machine's that is put right meanwhile makes the wait neither shorter nor longer. */
  let quietUntil: number | undefined;
  let hasBegun = false;
  let isRunning = false;
  let noted = -1;
  let hasFailed = false;

  async function look(): Promise<Origin> {
    const { id, facts } = await store.identity();
    const restores = await store.unfinished();
    const seen = readWatermark(database);
    // A file without a name is new, of an older program, or was made before this place had any ledger with a fact.
    const isKnownHere = id === null ? (seen?.facts ?? 0) === 0 : seen?.ledger === id && seen.facts <= facts;
    const isNew = restores.some((one) => one.begunAt === null);
    const isOld = !isNew && !isKnownHere;
    // From the first start on the file, by this gateway's clock: the command may have had another, and so may that start.
    const now = clock.now();
    const times = restores.map(({ begunAt }) => Math.min(begunAt ?? now, now));
    if (isOld) times.push(now);
    const quietMs = Math.max(0, ...times.map((at) => at + retryAllowedAfterMs - now));
    quietUntil = monotonicMs(clock) + quietMs;
    const latest = restores.findLast((one) => one.begunAt === null) ?? restores.at(-1);
    const takenAt = latest?.takenAt ?? null;
    return { id, isOld, isNew, isRunning: times.length > 0, takenAt, quietMs };
  }

  function lookOnce(): Promise<Origin> {
    origin ??= look();
    return origin;
  }

  /** A watermark that cannot be written costs a recovery too many at worst: nothing else may fail by it. */
  function write(seen: Watermark): void {
    try {
      writeWatermark(database, seen);
      noted = seen.facts;
      hasFailed = false;
    } catch (cause) {
      if (hasFailed) return;
      hasFailed = true;
      log.error(
        { alarm: 'watermark', fault: messageOf(cause) },
        'cannot note beside the database how far it has come: the next start may take it for an older copy',
      );
    }
  }

  /** Notes how far the ledger has come, so that an older copy of it is known as one. */
  async function note(): Promise<void> {
    const { id, facts } = await store.identity();
    if (id !== null && facts !== noted) write({ ledger: id, facts });
  }

  async function endWhenDone(): Promise<void> {
    const now = clock.now();
    if (!isRunning || monotonicMs(clock) < (quietUntil ?? 0)) return;
    const { unanswered, waiting } = await store.counts(livemode);
    if (waiting > 0) return;
    await store.end(now);
    isRunning = false;
    log.warn({ unanswered }, 'the recovery is over: new payments are asked for');
  }

  return {
    /** True while nobody new may be asked to pay. */
    async isPaused(): Promise<boolean> {
      if (quietUntil === undefined) await lookOnce();
      return quietUntil !== undefined && monotonicMs(clock) < quietUntil;
    },
    isRunning: () => isRunning,
    /**
     * Marks what was open in a copy. Before the worker starts: after that, nothing of it can be prompted.
     *
     * @throws UserError when it could not be marked: nothing may go on then.
     */
    async begin(): Promise<void> {
      const found = await lookOnce();
      const now = clock.now();
      if ((found.isNew || found.isOld) && !(await store.begin(found.takenAt, found.isOld, now)))
        throw new UserError(
          `${database} is a restored copy, and what is open in it could not be marked: its facts do not fit. Nobody is charged. What to do: docs/operations.md, "A damaged file".`,
        );
      hasBegun = true;
      // Its name comes last: with one, what stands beside it would say that it is the ledger of this place.
      if (found.id === null) {
        const id = ids.next('led');
        write({ ledger: id, facts: 0 });
        await store.nameFile(id);
      }
      isRunning = found.isRunning;
      if (isRunning) {
        const { open, unanswered } = await store.counts(livemode);
        const until = new Date(now + found.quietMs).toISOString();
        log.warn(
          { takenAt: found.takenAt, open, unanswered, until },
          'the ledger is a restored copy: what was open is asked for, and nobody new is asked to pay until then',
        );
      }
      await note();
    },
    job: {
      name: 'recovery',
      everyMs,
      async run() {
        await note();
        await endWhenDone();
        return 'done';
      },
    } satisfies PeriodicJob,
    /** The last note, on the way out: of a ledger, and not of what was put in its place and has not begun. */
    async close(): Promise<void> {
      if (hasBegun) await note();
    },
  };
}
