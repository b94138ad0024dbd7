import { expect, test } from 'vitest';
import {
  alarms,
  answerPolls,
  approved,
  booked,
  callsOf,
  deliverHandled,
  inbox,
  inSuspense,
  loseWebhooks,
  paidInFull,
  prompted,
} from '../kit/scenes.ts';
import { createTill, paidEvent } from '../kit/till.ts';

const payer = '0244123456';

test('S35: an unknown status that is not final changes nothing, and polling continues', async () => {
  const till = await createTill();
  loseWebhooks(till);
  await prompted(till);
  const heal = answerPolls(till, () => ({ status: 'on_hold', terminal: false }));
  await till.until(() => callsOf(till, 'status') >= 3);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
  heal();
  const row = await approved(till, payer, 120_000);
  const { facts } = await till.record(row.id);
  expect(facts.filter((fact) => fact.data.includes('"on_hold"')).length).toBeGreaterThanOrEqual(3);
});

test('S35: an unknown final status opens a review, and a later payment goes into suspense', async () => {
  const till = await createTill();
  loseWebhooks(till);
  const row = await prompted(till);
  answerPolls(till, () => ({ status: 'on_hold', terminal: true }));
  const review = await till.untilStatus(payer, 'review');
  expect(review).toMatchObject({ review: 'unknown_final_status' });
  expect(alarms(till)).toEqual(['unknown_final_status']);
  expect(await booked(till, row.id)).toEqual([]);
  await deliverHandled(till, paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'review' });
  expect(await booked(till, row.id)).toEqual(inSuspense(2_020));
  expect((await till.verify()).faults).toEqual([]);
});

test.each(['paid', 'failed', 'expired'])(
  'S35: a status of %s that is not final ends nothing',
  async (status) => {
    const till = await createTill();
    loseWebhooks(till);
    const row = await prompted(till);
    const heal = answerPolls(till, () => ({ status, terminal: false }));
    await till.until(() => callsOf(till, 'status') >= 2);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
    expect(await booked(till, row.id)).toEqual([]);
    heal();
    await approved(till, payer, 120_000);
  },
);

test.each(['payment.session.disputed', 'payment.session.PAID', '__proto__'])(
  'S35: an event of the unknown type %s is stored verbatim and changes nothing',
  async (type) => {
    const till = await createTill();
    const row = await prompted(till);
    const event = { ...paidEvent(row, 'evt_new'), type };
    await deliverHandled(till, event);
    expect(await inbox(till)).toMatchObject([{ id: 'evt_new', body: JSON.stringify(event) }]);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
    await approved(till);
    expect(await booked(till, row.id)).toEqual(paidInFull);
  },
);
