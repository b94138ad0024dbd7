import Database from 'better-sqlite3';

/** Looks whether anything was written to a database since it looked last. The first look always says so. */
export function watchWrites(file: string): { any(): boolean; close(): void } {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  let seen: unknown;
  return {
    any() {
      const before = seen;
      seen = connection.pragma('data_version', { simple: true });
      return seen !== before;
    },
    close: () => void connection.close(),
  };
}
