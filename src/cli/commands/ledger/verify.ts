import type { ConfiguredSealKeys } from '../../../gateway/config/find.ts';
import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { ChainThread } from '../../../gateway/ledger/chain-thread/start-thread.ts';
import type { LedgerStore } from '../../../gateway/ledger/ledger-store.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { plural } from '../../../shared/plural.ts';
import {
  addChainOptions,
  type ChainFlags,
  describeLateBlocks,
  describeNotedHead,
  describeSignatures,
  parseHead,
  type ReadExpectation,
} from '../../chain.ts';
import { addDatabaseOptions, type CommandGroup } from '../../command-options.ts';
import { type DatabaseOptions, printLedgerJson, type ReadDeps, readLedger } from '../../open-reads.ts';
import { type Output, printJson } from '../../terminal/output.ts';

export type VerifyDeps = ReadDeps & {
  /** Returns what is known about the hash chain from outside of the file; nothing by default. */
  readExpectation?: ReadExpectation;
  exit(code: number): void;
};

type VerifyFlags = DatabaseOptions & ChainFlags & { json?: boolean; from?: string };

const exitCodes = `

Exit codes:
  0  the ledger is consistent
  1  the audit found a fault
  2  wrong usage`;

export function registerVerify({ add }: CommandGroup, deps: VerifyDeps): void {
  addChainOptions(
    addDatabaseOptions(
      add({
        usage: 'verify',
        description: 'audit the schema, the hash chain, its signatures, the sums and every collection',
        examples: ['verify', 'verify --head 9771f8e4…', 'verify --from 9771f8e4…'],
        more: exitCodes,
      }),
    ),
    'it must still be on the chain',
  )
    .option(
      '--from <hash>',
      'a head that was noted elsewhere after an audit: verify only its block and what follows',
      parseHead,
    )
    .action((options: VerifyFlags) => verify(deps, options));
}

/** Rows that are audited in about a second. */
const minThreadRows = 100_000;

/** Audits the whole ledger and prints every fault. Exits with 1 when there is one. */
async function verify(deps: VerifyDeps, options: VerifyFlags): Promise<void> {
  const { stdout } = deps;
  const { paint } = stdout;
  const location = deps.database(options);
  const [{ ledgerStore }, { verifyLedger }, { ledgerAudits }, { findWrongTotals }] = await Promise.all([
    import('../../../gateway/ledger/ledger-store.ts'),
    import('../../../gateway/ledger/verify.ts'),
    import('../../../gateway/upkeep/ledger-audits.ts'),
    import('../../../gateway/insights/wrong-totals-query.ts'),
  ]);
  return readLedger(location, async (store) => {
    const expectation = deps.readExpectation?.(options) ?? { notedHead: options.head };
    const ledger = ledgerStore(store);
    const progress = options.json ? undefined : await createProgress(deps, ledger, options.from);
    const thread = await createThread(location, ledger, options.from);
    const report = await verifyLedger(ledger, ledgerAudits, {
      ...expectation,
      from: options.from,
      auditChainApart: thread?.audit,
      findWrongTotals: () => findWrongTotals(store),
      ...(progress && { onRows: progress.add }),
    }).finally(thread?.stop);
    progress?.end();
    if (!report.ok) deps.exit(1);
    if (options.json) return printLedgerJson(stdout, report);
    for (const { row, fault } of report.faults) stdout.write(`${paint('red', row)}: ${fault}\n`);
    for (const late of describeLateBlocks(report.lateBlocks))
      stdout.write(`${paint('yellow', 'warning')}: ${late}\n`);
    const { collections, facts, postings, turns, blocks, unsealed, head, notedHead, signatures } = report;
    const verdict = report.ok ? paint('green', 'ok') : paint('red', plural(report.faults.length, 'fault'));
    stdout.write(
      `${plural(collections, 'collection')}, ${plural(facts, 'fact')}, ${plural(postings, 'posting')}, ${plural(turns, 'turn')}, ` +
        `${plural(blocks, 'sealed block')}, ${plural(unsealed, 'unsealed row')}\n` +
        (options.from === undefined ? '' : `verified from the block ${options.from}\n`) +
        `signatures: ${describeSignatures(signatures)}\n` +
        `head of the chain: ${head}\n` +
        (notedHead === null ? '' : `noted head: ${describeNotedHead(notedHead)}\n`) +
        `ledger: ${verdict}\n`,
    );
  });
}

/** Creates the thread that audits the chain; none for a ledger whose audit takes about as long as the start of a thread. */
async function createThread(
  { file }: DatabaseLocation,
  ledger: LedgerStore,
  from: string | undefined,
): Promise<ChainThread | undefined> {
  const end = await ledger.lastSeal();
  const rows = end === undefined ? 0 : end.factSeq + end.postingSeq + end.turnSeq;
  if (file === undefined || from !== undefined || rows < minThreadRows) return undefined;
  const { createChainThread } = await import('../../../gateway/ledger/chain-thread/start-thread.ts');
  return createChainThread(file);
}

/** Creates the progress of an audit; none without a clock. Facts and postings are read twice, each collection once. */
async function createProgress(
  { stdout, now }: VerifyDeps,
  ledger: LedgerStore,
  from: string | undefined,
): Promise<VerifyProgress | undefined> {
  if (now === undefined) return undefined;
  const { facts, postings, turns, deletedTurns, settings, actions } = await ledger.counts();
  const all = 2 * (facts + postings) + turns + deletedTurns + settings + actions;
  return createVerifyProgress(stdout, now, from === undefined ? all : undefined);
}

/** Interval of the lines: on a terminal, each replaces the one before. */
const terminalIntervalMs = 500;
const pipeIntervalMs = 10_000;

const clearLine = '\r\u001b[K';

type VerifyProgress = {
  add(rows: number): void;
  /** Removes the line from a terminal. */
  end(): void;
};

/**
 * Creates the progress of an audit: the rows that were read, their rate, and the time left. An audit of less than one
 * interval prints nothing.
 *
 * @param total the number of rows to read; undefined when it is not known.
 */
export function createVerifyProgress(
  output: Output,
  now: () => EpochMs,
  total: number | undefined,
): VerifyProgress {
  const startedAt = now();
  const intervalMs = output.isTTY ? terminalIntervalMs : pipeIntervalMs;
  let printedAt = startedAt;
  let rows = 0;
  let isShown = false;
  return {
    add(read) {
      rows += read;
      const time = now();
      if (time - printedAt < intervalMs) return;
      printedAt = time;
      const line = describeProgress(rows, time - startedAt, total);
      if (output.isTTY) output.raw.write(`${clearLine}${line}`);
      else output.write(`${line}\n`);
      isShown = true;
    },
    end() {
      if (isShown && output.isTTY) output.raw.write(clearLine);
    },
  };
}

function describeProgress(rows: number, elapsedMs: number, total: number | undefined): string {
  const perSecond = Math.round((1_000 * rows) / Math.max(1, elapsedMs));
  const rate = `${perSecond.toLocaleString('en')} rows/s`;
  if (total === undefined) return `verified ${rows.toLocaleString('en')} rows, ${rate}`;
  const secondsLeft = Math.ceil(Math.max(0, total - rows) / Math.max(1, perSecond));
  return `verified ${rows.toLocaleString('en')} of about ${total.toLocaleString('en')} rows, ${rate}, ${secondsLeft} s left`;
}

export type SealKeyDeps = {
  stdout: Output;
  sealKeys?(options: DatabaseOptions): ConfiguredSealKeys;
};

type SealKeyOptions = DatabaseOptions & { json?: boolean; new?: boolean };

export function registerSealKey({ add }: CommandGroup, deps: SealKeyDeps): void {
  addDatabaseOptions(
    add({
      usage: 'seal-key',
      description: 'print the id and the public key of ledger.sealKey',
      examples: ['seal-key', 'seal-key --new'],
    }),
  )
    .option('--new', 'generate a key, and print its secret too')
    .action((options: SealKeyOptions) => sealKey(deps, options));
}

/**
 * Prints the id and the public key of `ledger.sealKey`, or of a new key together with its secret.
 *
 * @throws UserError when the configuration has no key.
 */
async function sealKey({ stdout, sealKeys }: SealKeyDeps, options: SealKeyOptions): Promise<void> {
  const [{ createSealKey, generateSealSecret }, { systemClock }, { systemIds }] = await Promise.all([
    import('../../../gateway/ledger/seal-key.ts'),
    import('../../../shared/clock.ts'),
    import('../../../shared/ids.ts'),
  ]);
  const secret = options.new ? generateSealSecret(systemIds(systemClock())) : undefined;
  const key = secret === undefined ? sealKeys?.(options).sealKey : createSealKey(secret);
  if (!key) {
    throw new UserError(
      'ledger.sealKey is not configured, or its environment variable is not set. To generate a key, run: dialtill ledger seal-key --new',
    );
  }
  const { id, publicKey } = key;
  if (options.json) return printJson(stdout, { id, publicKey, ...(secret !== undefined && { secret }) });
  stdout.write(`key id      ${id}\npublic key  ${publicKey}\n`);
  if (secret !== undefined)
    stdout.write(`secret      ${secret}   (ledger.sealKey: keep it outside of the database)\n`);
}
