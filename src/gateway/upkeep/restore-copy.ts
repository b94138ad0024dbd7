import { realpathSync } from 'node:fs';
import type { EpochMs } from '../../shared/clock.ts';
import { attempt, UserError } from '../../shared/errors.ts';
import { replaceDatabase } from '../../sqlite/replace-database.ts';
import type { VerifyOptions } from '../ledger/verify.ts';
import { type CopyReport, verifyCopy } from './verify-copy.ts';

export type RestoreReport = CopyReport & {
  database: string;
  /** New paths of the previous files. */
  movedTo: string[];
};

/**
 * Verifies a copy and replaces the ledger by it. The new file is verified, too, before it takes its place: the copy can change
 * after its own verification. The previous files are moved aside; the copy does not change. The next
 * start of the gateway on the ledger begins a recovery.
 *
 * @throws UserError when a gateway uses the ledger, the copy fails its verification, or a newer version wrote it. Nothing
 *   was changed then.
 */
export async function restoreCopy(
  copy: string,
  database: string,
  now: EpochMs,
  expectation: VerifyOptions = {},
): Promise<RestoreReport> {
  const report = await verifyCopy(copy, expectation);
  if (attempt(() => realpathSync(copy) === realpathSync(database)))
    throw new UserError(`${copy} is the ledger itself. Pass a copy of it`);
  if (report.schema.isNewer)
    throw new UserError(`${copy} was written by a newer version of dialtill. Install that version first.`);
  if (!report.ok)
    throw new UserError(
      `${copy} failed its verification, so nothing was changed: ${report.faults.slice(0, 5).join('; ')}`,
    );
  let restored = report;
  const times = { takenAt: report.takenAt, now };
  const { movedTo } = await replaceDatabase(copy, database, times, async (draft) => {
    restored = await verifyCopy(draft, expectation);
    if (restored.ok) return;
    throw new UserError(
      `${copy} changed during the restore, so the ledger was not replaced: ${restored.faults.slice(0, 5).join('; ')}`,
    );
  });
  return { ...restored, file: database, takenAt: report.takenAt, database, movedTo };
}
