import { expect, vi } from 'vitest';
import type { Database } from '../../src/sqlite/driver.ts';
import { withDatabase } from '../kit/with-database.ts';
import { type Received, type Shop, waitOptions } from '../process/shop.ts';

type Held = {
  status: string;
  sessionId: string | null;
  nextAt: number | null;
  confirmedAt: number | null;
  amountMinor: number | null;
  bookings: number;
  bookedMinor: number;
};

/** The result of a run, counted from the gateway's file and the service's statement. */
export type Tally = {
  collections: number;
  paid: number;
  acknowledged: number;
  present: number;
  pushes: number;
  charges: number;
};

/** Runs `work` on the gateway's file while other processes may use it. */
export function withFile<T>(shop: Shop, work: (file: Database) => T): T {
  return withDatabase(shop.database, (file) => work(file), { readonly: true, timeout: 2_000 });
}

/** Checks each call as it arrives: its row was written before, with the same bytes (I8). */
export function watchCalls(shop: Shop): { unwritten: string[] } {
  const seen = { unwritten: [] as string[] };
  const isWritten = ({ name, idempotencyKey, body }: Received) =>
    withFile(shop, (file) =>
      name === 'create'
        ? file
            .prepare('SELECT 1 FROM collection WHERE create_key = ? AND create_body = ?')
            .get(idempotencyKey, body)
        : file
            .prepare('SELECT 1 FROM collection WHERE initiate_key = ? AND initiate_sent_at IS NOT NULL')
            .get(idempotencyKey),
    ) !== undefined;
  shop.hooks.called = (call) => {
    if (call.name !== 'status' && !isWritten(call)) seen.unwritten.push(`${call.name} ${call.path}`);
  };
  return seen;
}

/** Waits until a query that counts what is left of some work finds nothing. */
async function untilNone(shop: Shop, left: string, timeout: number): Promise<void> {
  await vi.waitFor(
    () =>
      expect(
        withFile(shop, (file) => file.prepare(left).pluck().get()),
        left,
      ).toBe(0),
    { timeout, interval: 50 },
  );
}

/** Waits until no collection is open and no event waits. */
export function untilIdle(shop: Shop, timeout = waitOptions.timeout): Promise<void> {
  const open = `SELECT
    (SELECT count(*) FROM job) + (SELECT count(*) FROM inbox WHERE state = 'waiting')`;
  return untilNone(shop, open, timeout);
}

/** Waits until every posting is in a sealed block. */
export function untilSealed(shop: Shop): Promise<void> {
  const unsealed =
    'SELECT count(*) FROM posting WHERE seq > (SELECT coalesce(max(posting_seq), 0) FROM seal)';
  return untilNone(shop, unsealed, waitOptions.timeout);
}

/**
 * Checks I1 to I6, I8, I10 and I12 against the service's statement.
 *
 * @param extra events that other senders had acknowledged.
 */
export async function expectInvariants(
  shop: Shop,
  calls: { unwritten: string[] },
  extra: ReadonlySet<string> = new Set(),
): Promise<Tally> {
  const { held, stored, backwards } = withFile(shop, (file) => ({
    held: file
      .prepare(
        `SELECT status, session_id AS sessionId, next_at AS nextAt, amount_minor AS amountMinor,
           confirmed_at AS confirmedAt,
           (SELECT count(DISTINCT booking) FROM posting WHERE subject_id = collection.id) AS bookings,
           (SELECT coalesce(-sum(amount_minor), 0) FROM posting
            WHERE subject_id = collection.id AND account = 'payers') AS bookedMinor
         FROM collection LEFT JOIN job ON collection_id = id`,
      )
      .all() as Held[],
    stored: new Set(file.prepare('SELECT event_id FROM inbox').pluck().all() as string[]),
    backwards: file
      .prepare(
        `SELECT count(*) FROM fact AS later JOIN fact AS earlier ON earlier.subject_id = later.subject_id
         AND earlier.version = later.version - 1 WHERE later.at < earlier.at`,
      )
      .pluck()
      .get(),
  }));
  const { sessions, pushes } = await shop.service.statement();
  const bySession = new Map(sessions.map((one) => [one.sessionId, one]));
  const pinned = new Set(held.flatMap(({ sessionId }) => sessionId ?? []));

  // I1: one prompt per session, only for sessions of a collection, and one initiate call each.
  expect(sessions.filter((one) => one.pushes > 1)).toEqual([]);
  expect(sessions.filter((one) => one.pushes > 0 && !pinned.has(one.sessionId))).toEqual([]);
  const asked = shop.received.filter(({ name }) => name === 'initiate').map(({ path }) => path);
  expect(asked.filter((path, index) => asked.indexOf(path) !== index)).toEqual([]);

  for (const { status, sessionId, nextAt, confirmedAt, amountMinor, bookings, bookedMinor } of held) {
    const reported = bySession.get(sessionId ?? '');
    const charged = reported?.chargedMinor ?? 0;
    const isOpen = ['accepted', 'created', 'initiating', 'initiated'].includes(status);
    // I2, I5: booked once, in the charged amount, if and only if it was charged.
    if (!isOpen)
      expect({ status, bookings, bookedMinor }).toEqual({
        status,
        bookings: charged > 0 ? 1 : 0,
        bookedMinor: charged,
      });
    if (status === 'paid') expect(charged).toBe(amountMinor);
    if (status === 'abandoned') expect(reported?.pushes ?? 0, 'prompts of an abandoned collection').toBe(0);
    // I10: exactly the open collections and the unconfirmed payments are due.
    const isUnconfirmed = status === 'paid' && confirmedAt === null;
    expect(nextAt !== null, `${status} is due`).toBe(isOpen || isUnconfirmed);
  }
  // I3, I12: the ledger verifies, and times do not decrease.
  expect((await shop.verify()).faults).toEqual([]);
  expect(backwards).toBe(0);
  // I8: written before it was sent; all attempts of a key have the same body.
  expect(calls.unwritten).toEqual([]);
  const bodies = new Map<string, Set<string>>();
  for (const { name, idempotencyKey, body } of shop.received) {
    if (name !== 'status') bodies.set(idempotencyKey, (bodies.get(idempotencyKey) ?? new Set()).add(body));
  }
  expect([...bodies.values()].filter((one) => one.size > 1)).toEqual([]);
  // I4: every acknowledged event is stored.
  const acknowledged = [...shop.acknowledged, ...extra];
  const present = acknowledged.filter((id) => stored.has(id));
  expect(present).toHaveLength(acknowledged.length);
  return {
    collections: held.length,
    paid: held.filter(({ status }) => status === 'paid').length,
    acknowledged: acknowledged.length,
    present: present.length,
    pushes,
    charges: sessions.filter((one) => one.chargedMinor > 0).length,
  };
}
