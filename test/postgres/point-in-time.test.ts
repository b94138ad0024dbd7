import { expect, type TestContext, test } from 'vitest';
import { openForReading } from '../../src/gateway/database/open-for-reading.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { runSql } from '../kit/postgres.ts';
import { restoreTo } from '../kit/standby.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { at, isRecovering, openingOf } from './gateway.ts';

/** Starts a server with a ledger that has one collection of each number. */
async function startServer(context: TestContext) {
  const server = await startEmbeddedPostgres();
  context.onTestFinished(() => server.stop());
  await runSql(`${server.url}/postgres`, 'CREATE DATABASE ledger');
  const url = `${server.url}/ledger`;
  const open = async (number: string) => {
    const store = await createPostgresStore({ url, maxConnections: 1 });
    expect(await store.apply(openingOf(number))).toBe(true);
    await store.close();
  };
  return { server, url, open };
}

test('a server that is restored to a moment has the ledger of that moment, and its gateway begins with a recovery', async (context) => {
  const { server, url, open } = await startServer(context);
  // A gateway notes the server that its ledger is on.
  expect(await isRecovering(url)).toBe(false);
  await open('0244123456');
  const restored = await restoreTo('before the mistake', server, async () => {
    await open('0244123457');
    await runSql(url, `SELECT pg_create_restore_point('before the mistake')`);
    await open('0244123458');
  });
  context.onTestFinished(() => restored.stop());
  const restoredUrl = `${restored.url}/ledger`;
  const payers = 'SELECT payer FROM collection ORDER BY payer';
  expect(await runSql(restoredUrl, payers)).toEqual([{ payer: '233244123456' }, { payer: '233244123457' }]);
  const reader = await openForReading(at(restoredUrl));
  const report = await verifyLedger(ledgerStore(reader), ledgerAudits);
  await reader.close();
  expect(report).toMatchObject({ ok: true, faults: [] });
  // The restored server has a timeline of its own.
  expect(await isRecovering(restoredUrl)).toBe(true);
  expect(await isRecovering(url)).toBe(false);
});
