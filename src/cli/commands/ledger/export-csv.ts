import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportHead, exportLine } from '../../../gateway/support/export-csv.ts';
import { type ExportFilter, exportPages } from '../../../gateway/support/export-query.ts';
import { codeOf, UserError } from '../../../shared/errors.ts';
import type { Store } from '../../../sqlite/store.ts';
import { readLedger } from './read-ledger.ts';
import type { ExportOptions, LedgerDeps } from './types.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Writes collections as CSV, in constant memory.
 *
 * @throws UserError when a day is invalid, or the last day is before the first.
 */
export function exportCommand(deps: LedgerDeps, options: ExportOptions): Promise<void> {
  const filter = readFilter(options);
  return readLedger(deps.databaseFile(options), async (store) => {
    try {
      await pipeline(Readable.from(lines(store, filter)), deps.stdout.data, { end: false });
    } catch (fault) {
      // The reader of a pipe has closed it, as in `… | head`.
      if (codeOf(fault) !== 'EPIPE') throw fault;
    }
  });
}

async function* lines(store: Store, filter: ExportFilter): AsyncGenerator<string> {
  yield exportHead();
  for await (const page of exportPages(store, filter)) yield page.map(exportLine).join('');
}

function readFilter({ from, to, status }: ExportOptions): ExportFilter {
  const firstDay = from === undefined ? undefined : startOfDay(from, '--from');
  const lastDay = to === undefined ? undefined : startOfDay(to, '--to');
  if (firstDay !== undefined && lastDay !== undefined && lastDay < firstDay)
    throw new UserError(`--to ${to} is before --from ${from}`);
  return { from: firstDay, before: lastDay === undefined ? undefined : lastDay + dayMs, status };
}

/** Returns the first millisecond of a day in Ghana, where the time is UTC all year. */
function startOfDay(day: string, option: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw new UserError(`${option}: expected a day such as 2026-03-01, found ${day}`);
  return at;
}
