import { expect, vi } from 'vitest';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { createPostgresReader } from '../../src/postgres/reader.ts';
import { runSql } from '../kit/postgres.ts';
import type { Shop } from '../process/shop.ts';

type Row = { status: string; session_id: string | null; booked: string; bookings: string };

/** Waits until no collection is open and no event waits. */
export async function untilIdle(url: string, timeout: number): Promise<void> {
  const open = `SELECT (SELECT count(*) FROM job)
    + (SELECT count(*) FROM inbox WHERE state = 'waiting') AS open`;
  await vi.waitFor(async () => expect(await runSql(url, open)).toEqual([{ open: '0' }]), {
    timeout,
    interval: 200,
  });
}

/** Compares the ledger of several gateways with the statement of the service: I1 to I5. Returns the number of payments. */
export async function expectInvariants(shop: Shop, url: string): Promise<number> {
  const rows = (await runSql(
    url,
    `SELECT status, session_id,
      (SELECT count(DISTINCT booking) FROM posting WHERE subject_id = collection.id) AS bookings,
      (SELECT coalesce(-sum(amount_minor), 0) FROM posting WHERE subject_id = collection.id AND account = 'payers') AS booked
     FROM collection`,
  )) as Row[];
  const { sessions } = await shop.service.statement();
  const bySession = new Map(sessions.map((one) => [one.sessionId, one]));
  const pinned = new Set(rows.map((row) => row.session_id));
  expect(sessions.filter(({ pushes }) => pushes > 1)).toEqual([]);
  expect(sessions.filter(({ pushes, sessionId }) => pushes > 0 && !pinned.has(sessionId))).toEqual([]);
  for (const { status, session_id: id, booked, bookings } of rows) {
    const charged = bySession.get(id ?? '')?.chargedMinor ?? 0;
    expect({ status, booked: Number(booked), bookings: Number(bookings) }).toEqual({
      ...{ status: charged > 0 ? 'paid' : status, booked: charged, bookings: charged > 0 ? 1 : 0 },
    });
  }
  const stored = ((await runSql(url, 'SELECT event_id FROM inbox')) as { event_id: string }[]).map(
    (row) => row.event_id,
  );
  expect([...shop.acknowledged].filter((id) => !stored.includes(id))).toEqual([]);
  const reader = await createPostgresReader(url);
  try {
    expect((await verifyLedger(ledgerStore(reader), ledgerAudits)).faults).toEqual([]);
  } finally {
    await reader.close();
  }
  return rows.filter(({ status }) => status === 'paid').length;
}
