import { UserError } from '../../shared/errors.ts';

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
