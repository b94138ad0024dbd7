import {
  type DatabaseLocation,
  getName,
  openForReading,
  openInParts,
} from '../gateway/database/database-location.ts';
import { type JsonOptions, ledgerJson } from '../gateway/support/masked.ts';
import type { UnknownCursor } from '../gateway/support/page.ts';
import type { RefusedRead, SupportInput, SupportReadName, SupportResult } from '../gateway/support/reads.ts';
import type { EpochMs } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { commonZone } from '../shared/time-text.ts';
import { toFileError } from '../sqlite/driver.ts';
import type { Snapshots, Store } from '../sqlite/store.ts';
import type { PageOptions } from './command-options.ts';
import { NoGatewayError } from './gateway-url.ts';
import type { StaffClient, StaffFlags } from './staff/staff-client.ts';
import { type Output, printJson } from './terminal/output.ts';

export type DatabaseOptions = { config?: string; db?: string };
/** `full` prints what only the database has. */
export type ReadOptions = DatabaseOptions & StaffFlags & { full?: boolean };

export type ReadDeps = {
  stdout: Output;
  /** Returns the database that the options name, or else the one of the configuration. */
  database(options: DatabaseOptions): DatabaseLocation;
  /** Returns the client of the person who has signed in at the gateway of the options; undefined without a sign-in. */
  signedIn?(options: StaffFlags): Promise<StaffClient | undefined>;
  /** Returns the time zones of merchants that are not in Ghana's, by merchant; none without a configuration. */
  timeZones?(options: DatabaseOptions): Promise<Readonly<Record<string, string>>>;
  /** Returns the current time, from which overdue steps are recognised; the time of the last fact by default. */
  now?(): EpochMs;
};

/**
 * Reads by name: through the API of the gateway, with the numbers masked, when it runs and the person has signed in; otherwise from the
 * database. `db` names the database, and `url` the gateway.
 *
 * @throws UserError when the database cannot be read, and when the gateway of `url` cannot be reached or refuses.
 */
export async function readByName<Name extends SupportReadName>(
  deps: ReadDeps,
  options: ReadOptions,
  name: Name,
  input: SupportInput<Name>,
): Promise<SupportResult<Name>> {
  const through = await readThroughGateway(deps, options, name, input);
  if (through) return through.value;
  const { supportReads } = await import('../gateway/support/reads.ts');
  const read: (store: Store, reading: object, input: never) => Promise<unknown> = supportReads[name];
  return readLedger(deps.database(options), (store) => {
    return read(store, { now: deps.now?.() }, input as never) as Promise<SupportResult<Name>>;
  });
}

/** Reads through the API of the gateway; undefined when a command reads the database. */
async function readThroughGateway<Name extends SupportReadName>(
  deps: ReadDeps,
  options: ReadOptions,
  name: Name,
  input: SupportInput<Name>,
): Promise<{ value: SupportResult<Name> } | undefined> {
  if (options.full) fromDatabase(options, '--full');
  const client = options.db === undefined && !options.full ? await deps.signedIn?.(options) : undefined;
  try {
    return client && { value: await client.read(name, input) };
  } catch (fault) {
    if (options.url !== undefined || !(fault instanceof NoGatewayError)) throw fault;
    return undefined;
  }
}

/** Returns the time zone that merchants have in common, from the gateway or else from the configuration; undefined for Ghana's. */
export async function readTimeZone(
  deps: ReadDeps,
  options: ReadOptions,
  merchantIds: Iterable<string>,
): Promise<string | undefined> {
  const ids = [...merchantIds];
  if (ids.length === 0) return undefined;
  const through = await readThroughGateway(deps, options, 'timeZones', {});
  return commonZone(ids, through ? through.value : await deps.timeZones?.(options));
}

/** Returns the options with which a command reads the database, for what the API does not return. @throws UserError with `url`. */
export function fromDatabase(options: ReadOptions, what: string): DatabaseOptions {
  if (options.url !== undefined)
    throw new UserError(`${what} reads the database, not a gateway: leave out --url`);
  return options;
}

/**
 * Opens the database for reading, runs the work, and closes the database. All reads see it as it was at the opening.
 *
 * @throws UserError when the database is missing, damaged, cannot be reached, or is of another version.
 */
export async function readLedger<Result>(
  location: DatabaseLocation,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return runAndClose(location, await openForReading(location), work);
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

async function runAndClose<Opened extends { close(): Promise<void> }, Result>(
  location: DatabaseLocation,
  opened: Opened,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(opened);
  } catch (fault) {
    throw toFileError(getName(location), fault) ?? fault;
  } finally {
    await opened.close();
  }
}

/** Reads a page by name. @throws UserError as `readByName` does, and when the ledger has no row with the cursor. */
export async function readPage<Name extends SupportReadName>(
  deps: ReadDeps,
  options: ReadOptions & PageOptions,
  [name, input]: readonly [Name, SupportInput<Name>],
  noun: 'collection' | 'event' | 'action' | 'unplaced payment',
): Promise<Exclude<SupportResult<Name>, UnknownCursor | RefusedRead>> {
  const page = await readByName(deps, options, name, input);
  if (typeof page === 'object' && page && 'refused' in page) throw new UserError(page.refused);
  if (page !== 'unknown_cursor') return page as Exclude<SupportResult<Name>, UnknownCursor | RefusedRead>;
  throw new UserError(
    `--after: the ledger has no ${noun} ${options.after}. Use the cursor that the previous page printed`,
  );
}

/** Prints rows of the ledger as JSON: times are RFC 3339, and keys and bodies are printed only with `--full`. */
export function printLedgerJson(stdout: Output, value: unknown, options: JsonOptions = {}): void {
  printJson(stdout, ledgerJson(value, options));
}
