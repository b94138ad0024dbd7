import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SchemaName } from '../../src/sqlite/migrations-folder.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { testClock } from './clock.ts';
import { temporaryFolder } from './folder.ts';
import { placeMigrated } from './migrated.ts';

type Options = Omit<Parameters<typeof createSqliteStore>[0], 'file' | 'schema' | 'clock'> & {
  clock?: Parameters<typeof createSqliteStore>[0]['clock'];
};

/** Opens a store on an empty database file of its own, and closes it after the test. */
export function openOwnStore(
  schema: SchemaName = 'gateway',
  { clock = testClock(), ...options }: Options = {},
): { store: Store; file: string } {
  const file = join(temporaryFolder(), schema === 'gateway' ? 'ledger.db' : 'service.db');
  placeMigrated(file, schema);
  const store = createSqliteStore({ file, schema, clock, ...options });
  onTestFinished(() => store.close());
  return { store, file };
}
