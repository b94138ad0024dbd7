import { type BlockEnd, type BlockRows, countRows, hashBlock, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { ReportFault } from './report.ts';

/** Upper bound of the rows that one group of blocks states, unless a single block states more. */
const maxGroupRows = 1_000;

/** A block with its predecessor and the rows that were found for it. */
export type VerifiedBlock = { block: Seal; rows: BlockRows };

/**
 * Verifies the links and the hashes of consecutive blocks, and returns each with its rows. A gateway with little load seals
 * a few rows each second, so the rows of many blocks are read at once. A group with any fault is read again block by block,
 * so that its faults have the right names.
 */
export async function* verifyBlocks(
  ledger: LedgerStore,
  previous: Seal,
  blocks: readonly Seal[],
  report: ReportFault,
): AsyncGenerator<VerifiedBlock> {
  let last = previous;
  for (const group of groupBlocks(blocks)) {
    const verified = await verifyGroup(ledger, last, group);
    for (const [index, block] of group.entries()) {
      const rows = verified?.[index] ?? (await verifyBlock(ledger, last, block, report));
      yield { block, rows };
      last = block;
    }
  }
}

function groupBlocks(blocks: readonly Seal[]): Seal[][] {
  const groups: Seal[][] = [];
  let rows = maxGroupRows;
  for (const block of blocks) {
    rows += block.rows;
    const group = groups.at(-1);
    if (group && rows <= maxGroupRows) group.push(block);
    else {
      groups.push([block]);
      rows = block.rows;
    }
  }
  return groups;
}

/** Returns the rows of each block; undefined when any block has a fault. */
async function verifyGroup(
  ledger: LedgerStore,
  previous: Seal,
  group: readonly Seal[],
): Promise<BlockRows[] | undefined> {
  const upTo = group.at(-1) ?? previous;
  const limit = group.reduce((sum, { rows }) => sum + rows, 1);
  const takeRows = splitRows(await ledger.blockRows({ after: previous, upTo, limit }));
  const found: BlockRows[] = [];
  let last = previous;
  for (const block of group) {
    const rows = takeRows(block);
    const isLinked = block.number === last.number + 1 && block.previousHash === last.hash;
    if (!isLinked || countRows(rows) !== block.rows || hashBlock(block, rows) !== block.hash)
      return undefined;
    found.push(rows);
    last = block;
  }
  return found;
}

/** Returns a function that takes the rows of the next block from those of a group. */
function splitRows(all: BlockRows): (upTo: BlockEnd) => BlockRows {
  const facts = taker(all.facts);
  const postings = taker(all.postings);
  const turns = taker(all.turns);
  const settings = taker(all.settings);
  const actions = taker(all.actions);
  return (upTo) => ({
    facts: facts(upTo.factSeq),
    postings: postings(upTo.postingSeq),
    turns: turns(upTo.turnSeq),
    settings: settings(upTo.settingSeq),
    actions: actions(upTo.actionSeq),
  });
}

function taker<Row extends { seq: number }>(rows: readonly Row[]): (upTo: number) => readonly Row[] {
  let start = 0;
  return (upTo) => {
    let end = start;
    while ((rows[end]?.seq ?? Number.POSITIVE_INFINITY) <= upTo) end += 1;
    const taken = rows.slice(start, end);
    start = end;
    return taken;
  };
}

/** Reports the faults of a block, and returns the rows found for it. */
async function verifyBlock(
  ledger: LedgerStore,
  last: Seal,
  block: Seal,
  report: ReportFault,
): Promise<BlockRows> {
  const rows = await ledger.blockRows({ after: last, upTo: block, limit: block.rows + 1 });
  const found = countRows(rows);
  const name = `seal ${block.number}`;
  if (block.number !== last.number + 1)
    report(name, `follows seal ${last.number}: the blocks between them are missing`);
  if (block.previousHash !== last.hash) report(name, 'does not continue the chain');
  if (found !== block.rows) report(name, `covers ${block.rows} rows, found ${found}`);
  else if (hashBlock(block, rows) !== block.hash) {
    const { factSeq, postingSeq, turnSeq, settingSeq, actionSeq } = block;
    report(
      name,
      `its hash does not match: the block was changed, or a row up to fact ${factSeq}, posting ${postingSeq}, turn ${turnSeq}, setting ${settingSeq} or action ${actionSeq}`,
    );
  }
  return rows;
}
