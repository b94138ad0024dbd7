import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';

test('a planted trigger does not run in an open store, also when the version of the schema is set back', async () => {
  const file = join(temporaryFolder(), 'gateway.db');
  const store = createSqliteStore({ file, schema: 'gateway', clock: testClock() });
  const write = {
    sql: `INSERT INTO dialler_setting (merchant_id, livemode, msisdn, updated_at) VALUES ('shop', 0, ?, 1)`,
  };
  const count = async () => (await store.read.get(sql`SELECT count(*) FROM dialler_setting`)) as unknown[];
  expect(await store.apply([{ ...write, args: ['233244000001'] }])).toBe(true);

  const other = new Database(file);
  const version = other.pragma('schema_version', { simple: true });
  other.exec(`CREATE TRIGGER planted AFTER INSERT ON dialler_setting BEGIN DELETE FROM dialler_setting; END`);
  // A read makes the store load the trigger; then the version is what the store last accepted.
  expect(await count()).toEqual([1]);
  other.unsafeMode();
  other.pragma(`schema_version = ${version}`);
  other.close();

  await expect(store.apply([{ ...write, args: ['233244000002'] }])).rejects.toThrow(
    'trigger planted on dialler_setting is not part of the schema',
  );
  expect(await count()).toEqual([1]);
  await store.close();
});
