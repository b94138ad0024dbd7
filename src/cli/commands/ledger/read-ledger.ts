import { type DatabaseLocation, nameOf } from '../../../gateway/database/database-location.ts';
import { openForReading, openInParts } from '../../../gateway/database/open-for-reading.ts';
import { type JsonOptions, ledgerJson } from '../../../gateway/support/json.ts';
import { toFileError } from '../../../sqlite/fault.ts';
import type { Snapshots, Store } from '../../../sqlite/store.ts';
import { printJson } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';

/**
 * Opens the database for reading, runs the work, and closes the database. All reads see it as it was at the opening.
 *
 * @throws UserError when the database is missing, damaged, cannot be reached, or is of another version.
 */
export async function readLedger(
  location: DatabaseLocation,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  await runAndClose(location, await openForReading(location), work);
}

/**
 * Runs work that reads the whole ledger in parts, so that a gateway on the same file does not wait (`openInParts`).
 *
 * @throws UserError as `readLedger` does.
 */
export async function readLedgerInParts(
  location: DatabaseLocation,
  work: (snapshots: Snapshots) => Promise<void>,
): Promise<void> {
  await runAndClose(location, await openInParts(location), work);
}

async function runAndClose<Opened extends { close(): Promise<void> }>(
  location: DatabaseLocation,
  opened: Opened,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  try {
    await work(opened);
  } catch (fault) {
    throw toFileError(nameOf(location), fault) ?? fault;
  } finally {
    await opened.close();
  }
}

/** Prints rows of the ledger as JSON: times are RFC 3339, and keys and bodies are printed only with `--full`. */
export function printLedgerJson(stdout: Output, value: unknown, options: JsonOptions = {}): void {
  printJson(stdout, ledgerJson(value, options));
}
