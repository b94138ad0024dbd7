import { Database } from '../../src/sqlite/driver.ts';

/** Watches a database for writes. `any` reports whether a write occurred since its last call; at first it returns true. */
export function watchWrites(file: string): { any(): boolean; close(): void } {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  let version: unknown;
  return {
    any() {
      const before = version;
      version = connection.pragma('data_version', { simple: true });
      return version !== before;
    },
    close: () => void connection.close(),
  };
}
