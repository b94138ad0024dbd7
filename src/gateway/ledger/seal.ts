import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import { type BlockHeader, type BlockRows, countRows, genesis, hashBlock, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { SealKey } from './seal-key.ts';

/** Upper bound of the rows of each kind in one block, because a block is read at once. A backlog takes several blocks. */
export const maxBlockRows = 500;

/**
 * Seals the rows after the last block. Safe to call concurrently: the block's number is its key, so the second of two
 * sealers writes nothing.
 *
 * @param key signs the block; without it, the block is not signed.
 * @returns the new block, or `undefined` when there was nothing to seal, another sealer was faster, or a write with earlier
 *   numbers lasts too long.
 */
export async function sealBlock(
  ledger: LedgerStore,
  clock: Pick<Clock, 'now'>,
  key?: SealKey,
): Promise<Seal | undefined> {
  const last = (await ledger.lastSeal()) ?? genesis;
  const upTo = await ledger.sealableEnd();
  if (upTo === undefined) return undefined;
  const rows = await ledger.blockRows({ after: last, upTo, limit: maxBlockRows });
  if (countRows(rows) === 0) return undefined;
  const header = headerAfter(last, rows, clock.now());
  const hash = hashBlock(header, rows);
  const block: Seal = {
    ...header,
    hash,
    keyId: key?.id ?? null,
    signature: key?.sign(hash) ?? null,
  };
  return (await ledger.appendSeal(block, rows.postings)) ? block : undefined;
}

function headerAfter(last: Seal, rows: BlockRows, now: number): BlockHeader {
  const { facts, postings, turns, settings, actions } = rows;
  return {
    number: last.number + 1,
    factSeq: facts.at(-1)?.seq ?? last.factSeq,
    postingSeq: postings.at(-1)?.seq ?? last.postingSeq,
    turnSeq: turns.at(-1)?.seq ?? last.turnSeq,
    settingSeq: settings.at(-1)?.seq ?? last.settingSeq,
    actionSeq: actions.at(-1)?.seq ?? last.actionSeq,
    rows: countRows(rows),
    at: Math.max(now, last.at),
    previousHash: last.hash,
  };
}

/** Blocks of one run. The event loop serves payers between two blocks. */
const maxBlocks = 8;

const dayMs = 24 * 60 * 60_000;

type SealJobDeps = {
  ledger: LedgerStore;
  clock: Clock;
  key: SealKey | undefined;
  /** Returns the number of gateways that use the ledger now. */
  countMembers(): number;
};

/**
 * Returns the job that seals new rows. Each row is sealed within `everyMs` of its write, unless there is a backlog. Of several gateways,
 * the others leave a block out while that of the first one is young, so that a row can wait for half as long again.
 */
export function sealJob({ ledger, clock, key, countMembers }: SealJobDeps, everyMs: number): PeriodicJob {
  /** Returns whether another gateway has just sealed, and left no backlog. */
  async function isSealed(): Promise<boolean> {
    if (countMembers() < 2) return false;
    const last = await ledger.lastSeal();
    return last !== undefined && last.rows < maxBlockRows && clock.now() - last.at < everyMs / 2;
  }

  return {
    name: 'seals',
    everyMs,
    async run() {
      if (await isSealed()) return 'done';
      for (let blocks = 0; blocks < maxBlocks; blocks++) {
        const block = await sealBlock(ledger, clock, key);
        if (block === undefined || block.rows < maxBlockRows) return 'done';
      }
      return 'more';
    },
  };
}

type SealLagDeps = { ledger: Pick<LedgerStore, 'oldestUnsealedAt'>; clock: Pick<Clock, 'now'>; log: Log };

/** Sealing is late when a row has had no block for this time after the next seal was due. */
const maxSealLagMs = 60_000;

/** Time between two looks at the lag. */
const lagEveryMs = 10_000;

/** Measures the lag of sealing, on both engines. @param everyMs the interval between seals. */
export function createSealLag({ ledger, clock, log }: SealLagDeps, everyMs: number) {
  let isAlarmed = false;
  let wasLate = false;

  /** Returns for how long the oldest row without a block has waited for it, in milliseconds. */
  async function measure(): Promise<number> {
    const at = await ledger.oldestUnsealedAt();
    return at === null ? 0 : Math.max(0, clock.now() - at);
  }

  async function measureIfLate(): Promise<number | undefined> {
    const lagMs = await measure();
    return lagMs > everyMs + maxSealLagMs ? lagMs : undefined;
  }

  return {
    measure,
    /** Returns the lag when sealing is late. */
    measureIfLate,
    /** The job that raises an alarm while sealing is late. */
    job: {
      name: 'seal lag',
      everyMs: Math.max(lagEveryMs, everyMs),
      firstAfterMs: everyMs,
      async run() {
        const lagMs = await measureIfLate();
        // A process that was suspended seals within moments.
        if (lagMs !== undefined && wasLate && !isAlarmed) {
          isAlarmed = true;
          log.error(
            {
              alarm: 'sealing_late',
              lagSeconds: Math.floor(lagMs / 1_000),
              see: 'docs/operations/alarms.md',
            },
            'rows of the ledger are not sealed: a change of them could not be detected',
          );
        }
        if (lagMs === undefined && isAlarmed) {
          isAlarmed = false;
          log.warn('the ledger is sealed again');
        }
        wasLate = lagMs !== undefined;
        return 'done';
      },
    } satisfies PeriodicJob,
  };
}

/** Returns the job that logs the head of the chain each day, so that an archive of the log can anchor it. */
export function headJob(ledger: LedgerStore, log: Log): PeriodicJob {
  return {
    name: 'head',
    everyMs: dayMs,
    async run() {
      const last = await ledger.lastSeal();
      if (last) logHead(log, last);
      return 'done';
    },
  };
}

/** Logs the head of the chain: `dialtill ledger verify --head` finds it in the ledger as long as no row before it changed. */
export function logHead(log: Log, { number, hash, ...ends }: Seal): void {
  const { factSeq, postingSeq, turnSeq, settingSeq, actionSeq } = ends;
  const rows = factSeq + postingSeq + turnSeq + settingSeq + actionSeq;
  log.info({ block: number, head: hash, rows }, 'head of the ledger');
}
