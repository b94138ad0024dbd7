import { realpathSync } from 'node:fs';
import type { EpochMs } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { replaceDatabase } from '../../sqlite/replace-database.ts';
import type { VerifyOptions } from '../ledger/verify.ts';
import { type CopyReport, verifyCopy } from './verify-copy.ts';

export type RestoreReport = CopyReport & {
  database: string;
  /** New paths of the previous files. */
  movedTo: string[];
};

/**
 * Verifies a copy and replaces the ledger by it. The previous files are moved aside; the copy does not change. The next
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
  if (isSame(copy, database)) throw new UserError(`${copy} is the ledger itself. Pass a copy of it`);
  if (report.schema.isNewer)
    throw new UserError(`${copy} was written by a newer version of dialtill. Install that version first.`);
  if (!report.ok)
    throw new UserError(
      `${copy} failed its verification, so nothing was changed: ${report.faults.slice(0, 5).join('; ')}`,
    );
  const { movedTo } = replaceDatabase(copy, database, { takenAt: report.takenAt, now });
  const placed = await verifyCopy(database, expectation);
  if (!placed.ok) {
    throw new UserError(
      `${database} failed its verification after the restore: ${placed.faults.slice(0, 5).join('; ')}. ` +
        `The previous ledger is ${movedTo[0] ?? 'absent: there was none'}.`,
    );
  }
  return { ...placed, takenAt: report.takenAt, database, movedTo };
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
