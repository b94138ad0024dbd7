import { join } from 'node:path';
import { expect, type TestContext, test, vi } from 'vitest';
import { openForReading } from '../../src/gateway/database/database-location.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startForwarder } from '../kit/forwarder.ts';
import { runSql } from '../kit/postgres.ts';
import { requireNoLeaks } from '../kit/postgres-server.ts';
import { promote, startStandby } from '../kit/standby.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { createPayer } from '../process/payer.ts';
import { type GatewayProgram, type Shop, startShop } from '../process/shop.ts';
import { at, openingOf, startGateway } from './gateway.ts';
import { expectInvariants } from './invariants.ts';

/* A second server that has every commit of the first one, and takes its place. */

/** Starts a primary with an empty database for a ledger, and its standby. */
async function startPair(context: TestContext) {
  const primary = await startEmbeddedPostgres();
  context.onTestFinished(() => primary.stop());
  await runSql(`${primary.url}/postgres`, 'CREATE DATABASE ledger');
  const standby = await startStandby(primary);
  context.onTestFinished(() => standby.stop());
  return { primary, standby, urls: [`${primary.url}/ledger`, `${standby.url}/ledger`] as const };
}

const portOf = (url: string) => Number(new URL(url).port);

test('no gateway starts on a standby; audits and backups read it', async (context) => {
  const { urls } = await startPair(context);
  const [onPrimary, onStandby] = urls;
  const store = await createPostgresStore({ url: onPrimary, maxConnections: 1 });
  expect(await store.apply(openingOf('0244123456'))).toBe(true);
  await store.close();
  await expect(startGateway(onStandby)).rejects.toThrow(/the database server is a standby/);
  const reader = await openForReading(at(onStandby));
  const report = await verifyLedger(ledgerStore(reader), ledgerAudits);
  await reader.close();
  expect(report).toMatchObject({ ok: true, faults: [] });
  const clock = testClock();
  const to = join(temporaryFolder(context.onTestFinished), 'copy.db');
  const done = await createBackup({ source: backupSource(at(onStandby), clock), to, now: clock.now() });
  expect(done).toMatchObject({ ok: true, contents: { collections: 1 }, isRecorded: false });
});

/**
 * Waits until every prompt has its result. What had no prompt waits until its session at the service has expired, also when the lost
 * gateway had decided to send one: a recovery never sends it.
 */
async function untilSettled(shop: Shop, url: string): Promise<void> {
  const open = `SELECT session_id AS id FROM collection WHERE status IN ('initiating', 'initiated')`;
  const waiting = `SELECT event_id AS id FROM inbox WHERE state = 'waiting'`;
  const settled = async () => {
    const { sessions } = await shop.service.statement();
    const prompted = new Set(sessions.filter(({ pushes }) => pushes > 0).map(({ sessionId }) => sessionId));
    const undecided = (await runSql(url, open)) as { id: string }[];
    expect(undecided.filter(({ id }) => prompted.has(id))).toEqual([]);
    expect(await runSql(url, waiting)).toEqual([]);
  };
  await vi.waitFor(settled, { timeout: 60_000, interval: 200 });
}

test('S56: after the loss of the primary and the promotion of its standby, no payer is prompted twice and no acknowledged event is lost', async (context) => {
  const { primary, standby, urls } = await startPair(context);
  const forwarder = await startForwarder(portOf(primary.url));
  context.onTestFinished(forwarder.close);
  const shop = await startShop(context, {
    spread: true,
    configure(file) {
      const url = new URL(urls[0]);
      url.port = String(forwarder.port);
      Object.assign(file, { database: { url: url.href }, limits: { merchant: { perMinute: 10_000 } } });
      Object.assign(file.timings, { leaseSeconds: 6, callTimeoutSeconds: 4 });
      Object.assign(file.timings, { promptDeadlineSeconds: 10, retryAllowedAfterSeconds: 10 });
      file.service.callsPerSecond = 100;
    },
  });
  const gateways: GatewayProgram[] = [await shop.start(), await shop.start()];
  // They approve their prompts by themselves.
  for (let payer = 0; payer < 12; payer++) await createPayer(shop, `024${4_000 + payer}901`).confirm();
  primary.kill();
  forwarder.lead(null);
  await promote(standby);
  forwarder.lead(portOf(standby.url));

  const ends = await Promise.all(gateways.map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([1, 1]);
  expect(gateways[0]?.stderr()).toContain('a restored backup or a promoted standby');
  const again = [await shop.start(), await shop.start()];
  const readyz = await (await fetch(`${again[0]?.url}/readyz`)).json();
  expect(readyz).toMatchObject({ status: 'ready', recovering: true });
  await untilSettled(shop, urls[1]);
  const paid = await expectInvariants(shop, urls[1]);
  expect(paid).toBeGreaterThan(0);
  // The pause of the recovery is over when no prompt can exist that the ledger does not contain.
  await vi.waitFor(() => createPayer(shop, '0244900901').confirm(), { timeout: 60_000, interval: 500 });
  const count = `SELECT count(*)::int AS paid FROM collection WHERE status = 'paid'`;
  await vi.waitFor(async () => expect(await runSql(urls[1], count)).toEqual([{ paid: paid + 1 }]), {
    timeout: 60_000,
    interval: 200,
  });
  expect(await expectInvariants(shop, urls[1])).toBe(paid + 1);
  requireNoLeaks([...primary.logged(), ...standby.logged()]);
});
