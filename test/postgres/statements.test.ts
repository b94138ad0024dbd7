import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { actionLimits, boundActions, staffActionWrite } from '../../src/gateway/access/action-store.ts';
import { systemActor } from '../../src/gateway/access/permissions.ts';
import { requestStore } from '../../src/gateway/merchant-api/request-store.ts';
import { statementWrite } from '../../src/gateway/service-statement/statement-store.ts';
import { closeGuardWrite, listDayCloses } from '../../src/gateway/staff/day-close-query.ts';
import { guarded, translate } from '../../src/postgres/statements.ts';
import { createClient, createDatabase, openPostgres } from '../kit/postgres.ts';

const folder = resolve('src/gateway');

/** Loads the modules of the gateway anew, and returns their statements: other tests have registered those of the service. */
async function statementsOfGateway(): Promise<string[]> {
  vi.resetModules();
  const { preparedStatements } = await import('../../src/sqlite/statement.ts');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of files) if (name.endsWith('.ts')) await import(resolve(folder, name));
  return [...new Set(preparedStatements())];
}

async function connect(): Promise<pg.Client> {
  const client = createClient(await createDatabase());
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Returns why the server rejects a statement; undefined when it can run it. */
async function faultOf(client: pg.Client, text: string): Promise<string | undefined> {
  try {
    // Only a statement with parameters is left to be described; one without is not run either.
    await client.query(`PREPARE one AS ${text}`);
    await client.query('DEALLOCATE one');
    return undefined;
  } catch (fault) {
    return `${(fault as Error).message}: ${text}`;
  }
}

test('PostgreSQL accepts each statement that the gateway prepares', async () => {
  const statements = await statementsOfGateway();
  const client = await connect();
  expect(statements.length).toBeGreaterThan(80);
  const faults: string[] = [];
  for (const sql of statements) {
    const isGuarded = /^\s*(insert|update|delete)/i.test(sql) && !/\bRETURNING\b/.test(sql);
    const placeholders = (sql.match(/\?/g) ?? []).length;
    const text = isGuarded ? guarded(translate(sql), placeholders) : translate(sql);
    const fault = await faultOf(client, text);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

test('a statement that only SQLite has is found', async () => {
  const client = await connect();
  expect(await faultOf(client, translate("SELECT iif(1, 'a', 'b')"))).toContain('iif');
});

const now = Date.UTC(2026, 2, 6);

const noteOf = (id: string, at = now) =>
  staffActionWrite(
    {
      ...{ actor: systemActor('mk_1', 'demo-shop'), action: 'note', detail: {} },
      subject: { kind: 'collection', id, merchantId: 'demo-shop', livemode: 0 },
    },
    at,
  );

test('batches at the same moment do not pass the bound of a key, nor those of another gateway', async () => {
  const url = await createDatabase();
  const stores = [boundActions(await openPostgres(url)), boundActions(await openPostgres(url))];
  const [store] = stores;
  await store?.apply([
    {
      sql: `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
        SELECT CAST(? AS BIGINT), 'mk_1', 'note', 'done', 'collection', 'col_' || i, 'demo-shop', 0, '{}'
        FROM generate_series(1, ?) AS i`,
      args: [now, actionLimits.person - 3],
    },
  ]);
  const ends = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      stores[i % 2]?.apply([noteOf(`col_x${i}`)]).catch((fault: Error) => fault.name),
    ),
  );
  expect(ends.filter((end) => end === true)).toHaveLength(3);
  expect(ends.filter((end) => end === 'ActionRefused')).toHaveLength(9);
  expect(await store?.apply([noteOf('col_y', now + 24 * 3_600_000)])).toBe(true);
});

test('a request of a key begins once, also when two gateways get it at once', async () => {
  const requests = requestStore(await openPostgres(await createDatabase()));
  const request = { keyId: 'mk_1', idempotencyKey: 'a', digest: '', answer: null, at: now };
  expect((await Promise.all([requests.begin(request), requests.begin(request)])).sort()).toEqual([
    false,
    true,
  ]);
});

test('of two gateways that close a day, one does; a close with another statement than the stored one loses', async () => {
  const url = await createDatabase();
  const stores = [await openPostgres(url), await openPostgres(url)];
  const day = { merchantId: 'demo-shop', livemode: 0 as const, date: '2026-03-06' };
  const close = (at: number, digest: string | null, lastSeq = 0) =>
    stores[at]?.apply([
      closeGuardWrite({ ...day, digest, lastSeq }),
      staffActionWrite(
        {
          ...{
            actor: systemActor('kofi', null),
            action: 'close_day',
            detail: { paid: 2, statement: digest && { digest } },
          },
          subject: { kind: 'day', id: day.date, merchantId: day.merchantId, livemode: 0 },
        },
        now,
      ),
    ]);
  expect((await Promise.all([close(0, null), close(1, null)])).sort()).toEqual([false, true]);
  const statement = { ...day, digest: 'd1', lines: '[]', importedBy: 'kofi', importedAt: now };
  expect(await stores[0]?.apply([statementWrite(statement, undefined)])).toBe(true);
  const lastSeq = 1_000;
  expect(await close(0, null, lastSeq)).toBe(false);
  expect(await close(0, 'd1')).toBe(false);
  expect(await close(0, 'd1', lastSeq)).toBe(true);
  for (const store of stores)
    expect(await listDayCloses(store, 0, day.date)).toMatchObject([{ digest: 'd1', totals: { paid: 2 } }]);
});
