import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCatalogue } from '../../src/postgres/compare-catalogue.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { startEmbeddedPostgres } from '../../test/kit/start-postgres.ts';

/** Writes the objects of a new ledger, with which `dialtill ledger verify` compares those of a server. */
const server = await startEmbeddedPostgres();
try {
  const store = await createPostgresStore({ url: `${server.url}/postgres` });
  const catalogue = await readCatalogue(store.query);
  await store.close();
  const file = fileURLToPath(new URL('gateway/catalogue.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(catalogue, null, 2)}\n`);
} finally {
  await server.stop();
}
