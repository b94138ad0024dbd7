import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CollectionFilter } from '../../../gateway/support/collection-filter.ts';
import { exportPages } from '../../../gateway/support/export/export-query.ts';
import type { ExportTime } from '../../../gateway/support/export/export-times.ts';
import { exportHead, exportLine } from '../../../gateway/support/export/lines.ts';
import { codeOf } from '../../../shared/errors.ts';
import type { Snapshots } from '../../../sqlite/store.ts';
import { readFilter } from './filter-options.ts';
import { readLedgerInParts } from './read-ledger.ts';
import type { ExportOptions, LedgerDeps } from './types.ts';

/**
 * Writes collections as CSV, in constant memory.
 *
 * @throws UserError when a time is invalid, or a span contains nothing.
 */
export function exportCommand(deps: LedgerDeps, options: ExportOptions): Promise<void> {
  const filter = readFilter(options);
  return readLedgerInParts(deps.database(options), async (snapshots) => {
    try {
      await pipeline(Readable.from(lines(snapshots, filter, options.by)), deps.stdout.data, { end: false });
    } catch (fault) {
      // The reader of a pipe has closed it, as in `… | head`.
      if (codeOf(fault) !== 'EPIPE') throw fault;
    }
  });
}

async function* lines(
  snapshots: Snapshots,
  filter: CollectionFilter,
  by: ExportTime,
): AsyncGenerator<string> {
  yield exportHead();
  for await (const page of exportPages(snapshots, filter, by)) yield page.map(exportLine).join('');
}
