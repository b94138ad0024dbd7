import type { Store } from '../sqlite/store.ts';
import type { DatabaseLocation } from './config/database-location.ts';

/**
 * Opens the gateway's database for reading, also while gateways write it. All reads see it as it was at the opening. Each
 * engine is loaded only when it is needed.
 *
 * @throws UserError when the database does not exist, is damaged, cannot be reached, or is of another version.
 */
export async function openForReading(location: DatabaseLocation): Promise<Store> {
  if (location.file !== undefined) {
    const { createSqliteReader } = await import('../sqlite/sqlite.ts');
    return createSqliteReader(location.file);
  }
  const { createPostgresReader } = await import('../postgres/reader.ts');
  return createPostgresReader(location.url);
}
