import { UserError } from '../../shared/errors.ts';
import type { Snapshots, Store } from '../../sqlite/store.ts';

/** Where the ledger is: one SQLite file, or a PostgreSQL database. */
export type DatabaseLocation = FileLocation | ServerLocation;

/** A SQLite file on a local disk. */
export type FileLocation = { readonly file: string; readonly url?: undefined };

/** A PostgreSQL database. */
export type ServerLocation = {
  readonly file?: undefined;
  /** `postgres://user:password@host:port/database`. It can contain a password: print `getName` instead. */
  readonly url: string;
  /** Connections that the gateway opens at most. */
  readonly maxConnections: number;
};

/** Returns the name of a database in messages: the file, or the URL without its user, password and parameters. */
export function getName({ file, url }: DatabaseLocation): string {
  if (file !== undefined) return file;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Returns the path of a file.
 *
 * @throws UserError for a server, to which a backup is moved.
 */
export function requireFile(location: DatabaseLocation): string {
  if (location.file !== undefined) return location.file;
  throw new UserError(
    `${getName(location)}: this command restores files. To restore to a server, move the backup to an empty database: dialtill database move --from <backup> --to <url>`,
  );
}

/**
 * Opens the gateway's database for reading, also while gateways write it. All reads see it as it was at the opening. Each
 * engine is loaded only when it is needed.
 *
 * @throws UserError when the database does not exist, is damaged, cannot be reached, or is of another version.
 */
export async function openForReading(location: DatabaseLocation): Promise<Store> {
  if (location.file !== undefined) {
    const { createSqliteReader } = await import('../../sqlite/sqlite.ts');
    return createSqliteReader(location.file);
  }
  const { createPostgresReader } = await import('../../postgres/reader.ts');
  return createPostgresReader(location.url);
}

/**
 * Opens the gateway's database for a long read in parts. On a file, each part sees it as it is at the beginning of the part: the
 * write-ahead log of a file grows while a snapshot lasts, and the gateway stops for a moment to copy what has grown. A
 * server has no such log, so all parts see it as it was at the opening.
 *
 * @throws UserError as `openForReading` does.
 */
export async function openInParts(location: DatabaseLocation): Promise<Snapshots> {
  if (location.file !== undefined) {
    const { createSqliteSnapshots } = await import('../../sqlite/read-connection.ts');
    return createSqliteSnapshots(location.file);
  }
  const store = await openForReading(location);
  return { read: (work) => work(store), close: () => store.close() };
}

/** How many reads run at once on a server, and how long one statement of them may take there. */
export type SnapshotLimits = {
  lanes: number;
  maxStatementMs: number;
};

/**
 * Opens the gateway's database for reads that each see it as it is at their beginning.
 *
 * @throws UserError as `openForReading` does for a file; a server is connected by the first read.
 */
export async function openSnapshots(
  location: DatabaseLocation,
  { lanes, maxStatementMs }: SnapshotLimits,
): Promise<Snapshots> {
  if (location.file !== undefined) {
    const { createSqliteSnapshots } = await import('../../sqlite/read-connection.ts');
    return createSqliteSnapshots(location.file);
  }
  const { createPostgresSnapshots } = await import('../../postgres/reader.ts');
  return createPostgresSnapshots({ url: location.url, maxConnections: lanes, maxStatementMs });
}
