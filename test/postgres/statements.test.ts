import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guarded, translate } from '../../src/postgres/translate.ts';
import { createDatabase } from '../kit/postgres.ts';

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
  const client = new pg.Client(await createDatabase());
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
    const isWrite = /^\s*(insert|update|delete)/i.test(sql);
    const placeholders = (sql.match(/\?/g) ?? []).length;
    const text = isWrite ? guarded(translate(sql), placeholders) : translate(sql);
    const fault = await faultOf(client, text);
    if (fault !== undefined) faults.push(fault);
  }
  expect(faults).toEqual([]);
});

test('a statement that only SQLite has is found', async () => {
  const client = await connect();
  expect(await faultOf(client, translate("SELECT iif(1, 'a', 'b')"))).toContain('iif');
});
