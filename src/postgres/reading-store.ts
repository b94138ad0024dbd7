import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { ClientBase } from 'pg';
import { type RunQuery, type SqlValue, type Store, StoreFault } from '../sqlite/store.ts';
import { compareCatalogue } from './compare-catalogue.ts';
import { toSentFault } from './fault.ts';
import { fly } from './flight.ts';
import type { createStatements } from './statements.ts';

/** Returns the store of a connection whose transaction only reads. */
export function readingStore(
  client: Pick<ClientBase, 'query'>,
  statementOf: ReturnType<typeof createStatements>,
  close: () => Promise<void>,
): Store {
  const query: RunQuery = async (sql, args, result) => {
    try {
      const rows = await fly(client, [{ statement: statementOf(sql, args), values: args }]);
      return result === 'row' ? rows[0] : rows;
    } catch (fault) {
      throw toSentFault(fault);
    }
  };
  return {
    engine: 'postgres',
    query,
    read: drizzle(async (sql, params: SqlValue[], method) => {
      const rows = await query(sql, params, method === 'get' ? 'row' : 'rows');
      return { rows: rows as unknown[] };
    }),
    apply: () => Promise.reject(new StoreFault('refused', 'this store is open for reading only')),
    settled: async () => true,
    ledgerDifferences: () => compareCatalogue(query),
    usable: () => true,
    close,
  };
}
