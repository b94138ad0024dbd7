import { expect } from 'vitest';
import { type LedgerEngine, readEarlierLedger, writeEarlierLedger } from '../kit/earlier-ledger.ts';
import { createNotified } from '../kit/receiver.ts';
import { callStaff } from '../kit/staff.ts';
import { minute, type Till } from '../kit/till.ts';
import { decide, unplacedIn } from '../kit/unplaced.ts';
import { payers, stopEverywhere, unknownSessions } from './scene.ts';

/** The version whose databases this run writes: `npm run db:release`. */
export const writtenVersion = process.env.RELEASED_VERSION;

/** Writes the databases of this version, for the tests of all later ones. */
export async function writeLedger(version: string, engine: LedgerEngine): Promise<void> {
  const notified = await createNotified({ engine });
  const { till, receiver } = notified;
  const end = await stopEverywhere(notified);
  // A till is no member of several gateways.
  if (engine === 'postgres') await till.ledger.change(`UPDATE job SET home = 'gw_earlier'`);
  await writeEarlierLedger(till, { version, engine, secrets: receiver.secrets });
  end();
}

/** Upgrades the databases of a version, and expects that every payment continues, and that a new one is paid. */
export async function expectUpgrade(version: string, engine: LedgerEngine): Promise<void> {
  const earlier = readEarlierLedger(version, engine);
  const { till, receiver } = await createNotified({
    ...{ engine, earlier },
    configure(config) {
      for (const merchant of config.merchants) merchant.key = earlier.key;
    },
  });
  receiver.secrets.push(...earlier.secrets);
  const heads = await till.ledger.rows('SELECT number FROM seal WHERE hash = ?', [earlier.head]);
  expect(heads).toHaveLength(1);
  expect((await till.verify()).faults).toEqual([]);
  await expectFinal(till);
  await expectOpenArePaid(till);
  await expectDecisions(till);
  await till.paidPayment('0244123499');
  await till.clock.advance(10 * minute);
  expect((await till.verify()).faults).toEqual([]);
  await expectPaidAreCharged(till);
  const reported = receiver.received.map(({ data }) => data.id);
  for (const number of [payers.initiated, payers.review])
    expect(reported).toContain((await till.only(number)).id);
  const waiting = await till.ledger.rows(`SELECT 1 FROM notification WHERE state = 'waiting'`);
  expect({ waiting, rejected: receiver.rejected }).toEqual({ waiting: [], rejected: 0 });
}

/** No session has two prompts, and exactly the paid collections were charged. */
async function expectPaidAreCharged(till: Till): Promise<void> {
  const { sessions } = await till.service.statement();
  expect(sessions.filter(({ pushes }) => pushes > 1)).toEqual([]);
  const charged = sessions.filter(({ chargedMinor }) => chargedMinor > 0);
  const paid = (await till.storedCollections()).filter(({ status }) => status === 'paid');
  expect(charged.map((one) => one.sessionId).sort()).toEqual(paid.map((one) => one.sessionId).sort());
}

async function expectFinal(till: Till): Promise<void> {
  for (const status of ['paid', 'failed'] as const)
    expect(await till.only(payers[status])).toMatchObject({ status, review: null });
}

async function expectOpenArePaid(till: Till): Promise<void> {
  await till.approved(payers.initiated);
  for (const name of ['initiating', 'created', 'accepted', 'claimed'] as const) {
    await till.until(async () => (await till.only(payers[name])).status === 'initiated', 120_000);
    await till.approved(payers[name]);
  }
  await till.until(async () => (await till.only(payers.unconfirmed)).confirmedAt !== null);
}

/** Both services and people decide about what waited for them. */
async function expectDecisions(till: Till): Promise<void> {
  const { sessionId } = await till.only(payers.atService);
  const answer = await till.service.app.request(`/backoffice/sessions/${sessionId}/review`, {
    method: 'POST',
    headers: { authorization: 'Bearer admin-token-0123456789', 'content-type': 'application/json' },
    body: JSON.stringify({ resolution: 'accepted' }),
  });
  expect(answer.status).toBe(200);
  await till.untilStatus(payers.atService, 'paid');
  const { body } = await callStaff(till, 'kofi', '/proposals');
  const [open] = body.data as { proposal: { id: string } }[];
  expect((await callStaff(till, 'kofi', `/proposals/${open?.proposal.id}/approve`, {})).status).toBe(200);
  expect(await till.only(payers.review)).toMatchObject({ status: 'failed', booked: 'returned' });
  const unplaced = await unplacedIn(till);
  expect(unplaced.map((one) => one.session_id)).toEqual(Object.values(unknownSessions));
  const [{ id, version } = { id: '', version: 0 }] = unplaced;
  const decided = await decide(till, `/unplaced/${id}`, { outcome: 'return', reference: 'TRF-1', version });
  expect(decided.status).toBe(200);
}
