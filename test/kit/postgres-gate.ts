import pg from 'pg';
import { onTestFinished, vi } from 'vitest';
import type { Write } from '../../src/sqlite/store.ts';
import { runSql } from './postgres.ts';

/** Begins a transaction on a connection of its own. */
export async function begin(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  return client;
}

/** Waits until this number of sessions waits for an advisory lock. */
export async function untilWaiting(url: string, sessions: number): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await vi.waitUntil(async () => (await runSql(url, waiting)).length >= sessions, { timeout: 5_000 });
}

/** The last write of a batch that stays open until the gate opens. */
export const behindGate: Write = { sql: 'SELECT pg_advisory_xact_lock(1)', args: [] };

/** Closes a gate. @returns a function that opens it. */
export async function closeGate(url: string): Promise<() => Promise<void>> {
  const client = await begin(url);
  await client.query('SELECT pg_advisory_xact_lock(1)');
  return async () => void (await client.query('COMMIT'));
}
