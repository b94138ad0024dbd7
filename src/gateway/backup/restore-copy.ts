import { realpathSync } from 'node:fs';
import type { EpochMs } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { putInPlace } from '../../sqlite/put-in-place.ts';
import { type CopyReport, verifyCopy } from './verify-copy.ts';

export type RestoreReport = CopyReport & {
  database: string;
  /** Where the files are that were there before. */
  movedTo: string[];
};

/**
 * Puts a copy in the place of the ledger, once it is verified. The gateway that starts on it next begins the recovery.
 * What was there is moved aside; the copy itself stays as it is.
 *
 * @throws UserError when a gateway runs on the ledger, or the copy does not verify, or it is of a newer program: then
 *   everything is as it was.
 */
export async function restoreCopy(copy: string, database: string, now: EpochMs): Promise<RestoreReport> {
  const report = await verifyCopy(copy);
  if (isSame(copy, database)) throw new UserError(`${copy} is the ledger itself`);
  if (report.schema.isNewer)
    throw new UserError(`${copy} was written by a newer version of dialtill. Install that version first.`);
  if (!report.ok)
    throw new UserError(
      `${copy} does not verify, so nothing was changed: ${report.faults.slice(0, 5).join('; ')}`,
    );
  const { movedTo } = putInPlace(copy, database, { takenAt: report.takenAt, now });
  const placed = await verifyCopy(database);
  if (!placed.ok) {
    throw new UserError(
      `${database} does not verify after the restore: ${placed.faults.slice(0, 5).join('; ')}. ` +
        `What was there before is in ${movedTo[0] ?? 'no file: there was none'}.`,
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
