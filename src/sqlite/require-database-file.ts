import { type Stats, statSync } from 'node:fs';
import { errorMessage, UserError } from '../shared/errors.ts';

/**
 * Rejects a path that cannot be an existing database, before SQLite reports "unable to open database file" for each of them.
 *
 * @throws UserError when there is no such file, or it is a folder or a device.
 */
export function requireDatabaseFile(file: string): void {
  const found = readStats(file);
  if (found === undefined)
    throw new UserError(
      `there is no database ${file}. Check the path; a gateway creates its ledger at the first start.`,
    );
  if (found.isFile()) return;
  throw new UserError(
    `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}. Name the file of a database.`,
  );
}

function readStats(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    throw new UserError(`cannot open the database ${file}: ${errorMessage(cause)}`, { cause });
  }
}
