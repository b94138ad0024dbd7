import { type LedgerStore, ledgerStore } from '../../../gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../gateway/ledger/verify.ts';
import { ledgerAudits } from '../../../gateway/ledger-audits.ts';
import { describeLateBlocks, describeNotedHead, describeSignatures } from '../../describe-chain.ts';
import { plural } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson } from './print-json.ts';
import { readLedger } from './read-ledger.ts';
import type { LedgerDeps, VerifyFlags } from './types.ts';
import { createVerifyProgress, type VerifyProgress } from './verify-progress.ts';

/** Audits the whole ledger and prints every fault. Exits with 1 when there is one. */
export function verifyCommand(deps: LedgerDeps, options: VerifyFlags): Promise<void> {
  const { stdout, noColor } = deps;
  const paint = paintFor(stdout, noColor);
  return readLedger(deps.database(options), async (store) => {
    const expectation = deps.readExpectation?.(options) ?? { notedHead: options.head };
    const ledger = ledgerStore(store);
    const progress = options.json ? undefined : await createProgress(deps, ledger, options.from);
    const report = await verifyLedger(ledger, ledgerAudits, {
      ...expectation,
      from: options.from,
      ...(progress && { onRows: progress.add }),
    });
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

/** Creates the progress of an audit; none without a clock. Facts and postings are read twice, each collection once. */
async function createProgress(
  { stdout, now }: LedgerDeps,
  ledger: LedgerStore,
  from: string | undefined,
): Promise<VerifyProgress | undefined> {
  if (now === undefined) return undefined;
  const { facts, postings, turns, deletedTurns, settings, actions } = await ledger.counts();
  const all = 2 * (facts + postings) + turns + deletedTurns + settings + actions;
  return createVerifyProgress(stdout, now, from === undefined ? all : undefined);
}
