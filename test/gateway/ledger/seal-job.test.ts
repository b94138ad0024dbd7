import { describe, expect, test } from 'vitest';
import {
  type BlockEnd,
  type BlockRows,
  genesis,
  hashBlock,
  type Seal,
} from '../../../src/gateway/ledger/chain.ts';
import type { LedgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import {
  createSealLag,
  headJob,
  logHead,
  maxBlockRows,
  sealBlock,
  sealJob,
} from '../../../src/gateway/ledger/seal.ts';
import { createSealKey } from '../../../src/gateway/ledger/seal-key.ts';
import { testClock } from '../../kit/clock.ts';
import { createKeptLog } from '../../kit/log.ts';

const clock = testClock();
const none: BlockRows = { facts: [], postings: [], turns: [], settings: [], actions: [] };
const end: BlockEnd = { factSeq: 99, postingSeq: 99, turnSeq: 99, settingSeq: 99, actionSeq: 99 };
const ends = { factSeq: 10, postingSeq: 20, turnSeq: 30, settingSeq: 40, actionSeq: 50 };
const last: Seal = { ...genesis, ...ends, number: 7, rows: 3, at: clock.now() - 1_000, hash: 'a'.repeat(64) };

/** Rows of a turn, up to a sequence number. */
function turns(count: number, upTo = count): BlockRows['turns'] {
  return Array.from({ length: count }, (_, at) => ({ seq: upTo - count + 1 + at, at: 1, hash: 'b' }));
}

type Kept = { seal?: Seal | undefined; rows?: BlockRows[]; end?: BlockEnd | undefined; isTaken?: true };

/** A ledger that has a last block, and gives these rows to the next ones. */
function keptLedger({ seal, rows = [], isTaken, ...more }: Kept) {
  const sealed: Seal[] = [];
  const ranges: unknown[] = [];
  const upTo = 'end' in more ? more.end : end;
  const ledger = {
    lastSeal: async () => sealed.at(-1) ?? seal,
    sealableEnd: async () => upTo,
    async blockRows(range: unknown) {
      ranges.push(range);
      return rows[sealed.length] ?? none;
    },
    async appendSeal(block: Seal) {
      if (!isTaken) sealed.push(block);
      return !isTaken;
    },
  };
  return { ledger: ledger as unknown as LedgerStore, sealed, ranges };
}

describe('a block', () => {
  const three = [{ seq: 59 }, { seq: 60 }, { seq: 61 }] as never;
  test.each<[keyof BlockRows, Partial<BlockEnd>]>([
    ['facts', { factSeq: 61 }],
    ['postings', { postingSeq: 61 }],
    ['turns', { turnSeq: 61 }],
    ['settings', { settingSeq: 61 }],
    ['actions', { actionSeq: 61 }],
  ])(
    'with %s only ends with the last of them, and for the others where the block before ended',
    async (kind, changed) => {
      const rows = { ...none, [kind]: three };
      const { ledger, sealed, ranges } = keptLedger({ seal: last, rows: [rows] });
      const block = await sealBlock(ledger, clock);
      const header = { ...ends, ...changed, number: 8, rows: 3, at: clock.now(), previousHash: last.hash };
      expect(block).toEqual({ ...header, hash: hashBlock(header, rows), keyId: null, signature: null });
      expect(sealed).toEqual([block]);
      expect(ranges).toEqual([{ after: last, upTo: end, limit: maxBlockRows }]);
    },
  );

  test('is signed with the key of the ledger, if it has one', async () => {
    const key = createSealKey(Buffer.alloc(32, 7).toString('base64'));
    const block = await sealBlock(keptLedger({ rows: [{ ...none, turns: turns(1) }] }).ledger, clock, key);
    expect(block).toMatchObject({ number: 1, keyId: key.id, signature: key.sign(block?.hash ?? '') });
  });

  test('is not written while a write with earlier numbers lasts', async () => {
    const { ledger, sealed } = keptLedger({ rows: [{ ...none, turns: turns(1) }], end: undefined });
    expect([await sealBlock(ledger, clock), sealed]).toEqual([undefined, []]);
  });

  test('is not written without a row', async () => {
    const { ledger, sealed } = keptLedger({ seal: last });
    expect([await sealBlock(ledger, clock), sealed]).toEqual([undefined, []]);
  });

  test('of another sealer that was faster is not reported as the own one', async () => {
    const { ledger } = keptLedger({ rows: [{ ...none, turns: turns(1) }], isTaken: true });
    expect(await sealBlock(ledger, clock)).toBeUndefined();
  });
});

describe('the job that seals', () => {
  const full: BlockRows = { ...none, turns: turns(maxBlockRows) };
  const young = { ...last, at: clock.now() };
  test.each<[string, Kept, { members?: number }, { blocks: number; result: string }]>([
    [
      'has nothing more to do after a block that is not full',
      { rows: [{ ...none, turns: turns(1) }, full] },
      {},
      { blocks: 1, result: 'done' },
    ],
    [
      'seals a backlog in several blocks',
      { rows: [full, full, { ...none, turns: turns(1) }] },
      {},
      { blocks: 3, result: 'done' },
    ],
    [
      'has nothing more to do when the last block is full and no row is left',
      { rows: [full] },
      {},
      { blocks: 1, result: 'done' },
    ],
    [
      'lets payers go first after eight full blocks',
      { rows: Array(20).fill(full) },
      {},
      { blocks: 8, result: 'more' },
    ],
    [
      'seals directly after another block of the only gateway',
      { seal: young, rows: [full] },
      {},
      { blocks: 1, result: 'done' },
    ],
    [
      'leaves a block out directly after that of another gateway',
      { seal: young, rows: [full] },
      { members: 2 },
      { blocks: 0, result: 'done' },
    ],
    [
      'seals the first block, with several gateways',
      { rows: [full] },
      { members: 2 },
      { blocks: 1, result: 'done' },
    ],
    [
      'seals the backlog of another gateway',
      { seal: { ...young, rows: maxBlockRows }, rows: [full] },
      { members: 2 },
      { blocks: 1, result: 'done' },
    ],
  ])('%s', async (_, kept, { members = 1 }, { blocks, result }) => {
    const { ledger, sealed } = keptLedger(kept);
    const job = sealJob({ ledger, clock, key: undefined, countMembers: () => members }, 1_000);
    expect(job).toMatchObject({ name: 'seals', everyMs: 1_000 });
    expect([await job.run(clock.now()), sealed.length]).toEqual([result, blocks]);
  });

  test.each([
    [499, 0],
    [500, 1],
  ])(
    'of several gateways, %i ms after a block of another one, seals %i blocks where one is due each second',
    async (agoMs, blocks) => {
      const seal = { ...last, at: clock.now() - agoMs };
      const { ledger, sealed } = keptLedger({ seal, rows: [{ ...none, turns: turns(1) }] });
      await sealJob({ ledger, clock, key: undefined, countMembers: () => 2 }, 1_000).run(clock.now());
      expect(sealed).toHaveLength(blocks);
    },
  );

  test('signs with the key of the ledger', async () => {
    const key = createSealKey(Buffer.alloc(32, 7).toString('base64'));
    const { ledger, sealed } = keptLedger({ rows: [{ ...none, turns: turns(1) }] });
    await sealJob({ ledger, clock, key, countMembers: () => 1 }, 1_000).run(clock.now());
    expect(sealed).toMatchObject([{ keyId: key.id }]);
  });
});

describe('the lag of sealing', () => {
  /** Looks once at each lag, and returns the lines of the log. */
  async function look(lags: readonly (number | null)[], everyMs = 1_000) {
    const { log, lines } = createKeptLog();
    const left = [...lags];
    const oldestUnsealedAt = async () => {
      const lag = left.shift() ?? null;
      return lag === null ? null : clock.now() - lag;
    };
    const { job } = createSealLag({ ledger: { oldestUnsealedAt }, clock, log }, everyMs);
    for (const _ of lags) expect(await job.run()).toBe('done');
    return lines.map((line) => JSON.parse(line));
  }
  const alarm = {
    alarm: 'sealing_late',
    lagSeconds: 61,
    see: 'docs/operations/alarms.md',
    msg: 'rows of the ledger are not sealed: a change of them could not be detected',
  };
  const over = { msg: 'the ledger is sealed again' };

  test.each<[string, (number | null)[], object[]]>([
    ['raises no alarm while each row has a block', [null, null, null], []],
    ['raises no alarm a minute after a block was due', [61_000, 61_000, 61_000], []],
    ['raises no alarm at the first look', [61_001], []],
    ['raises one alarm at the second look', [61_001, 61_999, 70_000], [alarm]],
    ['raises no alarm for two late looks that do not follow each other', [61_001, null, 61_001, null], []],
    ['says once that the ledger is sealed again', [61_001, 61_001, null, null], [alarm, over]],
    ['raises an alarm again', [61_001, 61_001, 0, 61_001, 61_001], [alarm, over, alarm]],
  ])('%s', async (_, lags, lines) => {
    const logged = await look(lags);
    expect(logged).toMatchObject(lines);
    expect(logged).toHaveLength(lines.length);
  });

  test.each([
    [null, 0],
    [5, 5],
    [-5, 0],
  ])('with the oldest row of %s ms ago is %i ms', async (agoMs, lagMs) => {
    const oldestUnsealedAt = async () => (agoMs === null ? null : clock.now() - agoMs);
    const lag = createSealLag({ ledger: { oldestUnsealedAt }, clock, log: createKeptLog().log }, 1_000);
    expect(await lag.measure()).toBe(lagMs);
  });

  test.each([
    [1_000, 10_000],
    [30_000, 30_000],
  ])(
    'is measured for blocks each %i ms at every %i ms, first when a block is due',
    (everyMs, lookEveryMs) => {
      const oldestUnsealedAt = async () => null;
      const { job } = createSealLag(
        { ledger: { oldestUnsealedAt }, clock, log: createKeptLog().log },
        everyMs,
      );
      expect(job).toMatchObject({ name: 'seal lag', everyMs: lookEveryMs, firstAfterMs: everyMs });
    },
  );
});

test('the head has the number of all rows of the ledger', () => {
  const { log, lines } = createKeptLog();
  logHead(log, { ...last, factSeq: 1, postingSeq: 20, turnSeq: 300, settingSeq: 4_000, actionSeq: 50_000 });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { block: 7, head: last.hash, rows: 54_321, msg: 'head of the ledger' },
  ]);
});

test.each<[string, Seal | undefined, number]>([
  ['without a block logs no head', undefined, 0],
  ['logs the head', last, 1],
])('the job of each day %s', async (_, seal, heads) => {
  const { log, lines } = createKeptLog();
  const job = headJob(keptLedger({ seal }).ledger, log);
  expect(job).toMatchObject({ name: 'head', everyMs: 24 * 60 * 60_000 });
  expect([await job.run(clock.now()), lines.length]).toEqual(['done', heads]);
});
