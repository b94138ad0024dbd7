import { expect, test } from 'vitest';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import {
  backUpTill,
  isRecovering,
  restoreTill,
  unplacedSessions,
  untilRecovered,
} from '../kit/backup-till.ts';
import { allNeedFile } from '../kit/engine.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill, minute, payer, type Till } from '../kit/till.ts';

allNeedFile('restore copies of a file; test/postgres/{backup,failover} restore a server');

/*
 * The service's own book says what was pushed and what was taken: a restore must change neither, and in the end the
 * ledger must say the same.
 */

const fault = 'Sorry, something went wrong. Please try again.';

type Stage = 'accepted' | 'created' | 'initiating' | 'initiated';

/** Pays, and brings the collection to a stage at which it stays until `go` is called. */
async function payTo(till: Till, stage: Stage): Promise<() => void> {
  const stops = { accepted: 'create', created: undefined, initiating: 'initiate', initiated: undefined }[
    stage
  ];
  till.faults.call = async (call, pass) => {
    if (call.name === stops) throw new Error('the network is down');
    return pass();
  };
  await till.pay(payer);
  await till.until(async () => (await till.only(payer)).status === stage, 10_000);
  return () => {
    delete till.faults.call;
  };
}

type Expected = Pick<CollectionRow, 'status' | 'reason'> & { taken: boolean };

const paid: Expected = { status: 'paid', reason: null, taken: true };
const refused: Expected = { status: 'failed', reason: 'declined', taken: false };
const neverPrompted: Expected = { status: 'abandoned', reason: 'restored', taken: false };
const expired: Expected = { status: 'expired', reason: 'prompt_expired', taken: false };

const pays = async (till: Till) => {
  await till.untilStatus(payer, 'initiated', 2 * minute);
  await till.approved();
};
const declines = async (till: Till) => {
  await till.untilStatus(payer, 'initiated', 2 * minute);
  await till.declined();
};
const nothing = async () => {};

test.each<[stage: Stage, since: string, happens: (till: Till) => Promise<unknown>, expected: Expected]>([
  ['accepted', 'paid', pays, paid],
  ['created', 'paid', pays, paid],
  ['initiating', 'paid', pays, paid],
  ['initiated', 'paid', pays, paid],
  ['accepted', 'declined', declines, refused],
  ['created', 'declined', declines, refused],
  ['initiated', 'left unanswered, and expired', nothing, expired],
])(
  'S32: a collection that was %s in the copy and %s since gets the same result without a second prompt',
  async (stage, _, happens, expected) => {
    const till = await createTill();
    const go = await payTo(till, stage);
    const { file } = await backUpTill(till);
    go();
    await happens(till);
    await till.clock.advance(10 * minute);
    const before = await till.service.statement();
    const initiates = till.callsOf('initiate');

    await restoreTill(till, file);
    await untilRecovered(till);
    const row = await till.only(payer);
    const { taken, ...outcome } = expected;
    expect(row).toMatchObject(outcome);
    expect(await till.booked(row.id)).toEqual(taken ? paidInFull : []);
    expect(await till.service.statement()).toEqual(before);
    expect(till.callsOf('initiate')).toBe(initiates);
    expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
  },
);

test.each<Stage>(['accepted', 'created', 'initiating'])(
  'S32: a collection that was %s in a recent copy is never prompted, and ends when no lost request can arrive',
  async (stage) => {
    const till = await createTill();
    const go = await payTo(till, stage);
    const { file } = await backUpTill(till);
    // The network works again after the restore: a gateway without a recovery would prompt now.
    await restoreTill(till, file, go);
    const restoredAt = till.clock.now();
    await till.clock.advance(110_000);
    expect((await till.only(payer)).closedAt).toBeNull();
    const { taken: _, ...outcome } = neverPrompted;
    const row = await till.untilStatus(payer, 'abandoned', 5 * minute);
    expect(row).toMatchObject(outcome);
    expect((row.closedAt ?? 0) - restoredAt).toBeGreaterThanOrEqual(110_000);
    expect(await till.service.statement()).toMatchObject({ pushes: 0, chargedMinor: 0 });
    await untilRecovered(till);
    expect(till.alarms()).toEqual([]);
    expect(await till.verify()).toMatchObject({ ok: true });
  },
);

test('S32: payments wait while the service rejects the key of the restored gateway, and are found with a valid key', async () => {
  const till = await createTill();
  const go = await payTo(till, 'accepted');
  const { file } = await backUpTill(till);
  go();
  await pays(till);
  await till.clock.advance(10 * minute);
  await restoreTill(till, file, () => {
    const refused = { error: { code: 'invalid_api_key', message: 'no' } };
    till.faults.call = async () => Response.json(refused, { status: 401 });
  });
  await untilRecovered(till);
  expect(await till.only(payer)).toMatchObject({ status: 'accepted', review: null });
  expect(till.alarms()).toEqual(['key_rejected']);

  delete till.faults.call;
  const row = await till.untilStatus(payer, 'paid', 10 * minute);
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.service.statement()).pushes).toBe(1);
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
});

test('S32: a payment that is approved during the recovery is booked once, by its event', async () => {
  const till = await createTill();
  await payTo(till, 'created');
  const { file } = await backUpTill(till);
  await till.untilStatus(payer, 'initiated');
  await restoreTill(till, file);
  const row = await till.approved();
  expect(await till.booked(row.id)).toEqual(paidInFull);
  await untilRecovered(till);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', amountSource: 'webhook', review: null });
  expect(till.alarms()).toEqual([]);
});

test('S32: all payments that the copy does not contain are unplaced events after the service resends them', async () => {
  const till = await createTill();
  const sent: string[] = [];
  till.faults.webhook = (body, pass) => {
    sent.push((JSON.parse(body) as { id: string }).id);
    return pass();
  };
  await till.prompted(payer);
  const { file } = await backUpTill(till);
  await till.approved();
  // Two whose whole payment the copy does not know: paid and acknowledged, and a prompt that still waits.
  const gone = await till.prompted('0201234567');
  await till.approved('0201234567');
  await till.clock.advance(9 * minute);
  const waiting = await till.prompted('0271234567');

  await restoreTill(till, file);
  expect(await till.find('0201234567')).toEqual([]);
  await till.approve('0271234567');
  await untilRecovered(till);
  for (const event of new Set(sent)) {
    const answer = await till.service.app.request(`http://service.test/backoffice/events/${event}/resend`, {
      method: 'POST',
      headers: { authorization: 'Bearer admin-token-0123456789' },
    });
    expect(answer.status).toBeLessThan(300);
  }
  await till.clock.advance(10_000);

  const { sessions } = await till.service.statement();
  const charged = sessions.filter(({ chargedMinor }) => chargedMinor > 0).map(({ sessionId }) => sessionId);
  const known = await till.only(payer);
  expect(known).toMatchObject({ status: 'paid', amountSource: 'webhook' });
  expect(new Set([known.sessionId, ...(await unplacedSessions(till))])).toEqual(new Set(charged));
  expect((await unplacedSessions(till)).toSorted()).toEqual([gone.sessionId, waiting.sessionId].toSorted());
  expect(sessions.map(({ pushes }) => pushes)).toEqual([1, 1, 1]);
});

test('no collection is opened while a prompt may exist that the copy does not contain; then payments continue', async () => {
  const till = await createTill();
  const { file } = await backUpTill(till);
  await till.prompted(payer);
  await till.clock.advance(minute);
  await restoreTill(till, file);
  const restoredAt = till.clock.now();
  const dial = () => till.phone(payer).dial();
  expect(await dial()).toBe(fault);
  expect(await isRecovering(till)).toBe(true);
  await till.clock.advance(till.config.timings.retryAllowedAfterMs - 30_000 - 1);
  expect(till.clock.now() - restoredAt).toBeLessThan(till.config.timings.retryAllowedAfterMs);
  expect(await dial()).toBe(fault);
  await untilRecovered(till);
  expect(await dial()).not.toBe(fault);
  expect((await till.prompted()).restoredAt).toBeNull();
});

test('without answers of the service, payers may pay after the pause, and polls continue', async () => {
  const till = await createTill();
  await payTo(till, 'created');
  const { file } = await backUpTill(till);
  await pays(till);
  till.loseWebhooks();
  till.faults.call = async () => {
    throw new Error('the network is down');
  };
  await restoreTill(till, file);
  await untilRecovered(till);
  expect(await till.only(payer)).toMatchObject({ status: 'created', sessionId: expect.any(String) });
  expect((await till.only(payer)).lapsedAt).not.toBeNull();
  delete till.faults.call;
  const row = await till.untilStatus(payer, 'paid', 20 * minute);
  expect(row).toMatchObject({ amountSource: 'quote', late: 1 });
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
});
