import { fileURLToPath } from 'node:url';

/** The gateway and the service each have a database of their own. */
export type SchemaName = 'gateway' | 'service';

/** Returns the folder with the migrations of a database. */
export function migrationsFolder(schema: SchemaName): string {
  return fileURLToPath(new URL(`../../drizzle/${schema}`, import.meta.url));
}
