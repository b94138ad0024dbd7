import { expect, test } from 'vitest';
import { inSuspense, paidInFull } from '../kit/scenes.ts';
import { createTill, paidEvent } from '../kit/till.ts';

const payer = '0244123456';

test('S35: an unknown status that is not final changes nothing, and polling continues', async () => {
  const till = await createTill();
  till.loseWebhooks();
  await till.prompted();
  const heal = till.answerPolls(() => ({ status: 'on_hold', terminal: false }));
  await till.until(() => till.callsOf('status') >= 3);
  expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
  heal();
  const row = await till.approved(payer, 120_000);
  const { facts } = await till.record(row.id);
  expect(facts.filter((fact) => fact.data.includes('"on_hold"')).length).toBeGreaterThanOrEqual(3);
});

test('S35: an unknown final status opens a review, and a later payment goes into suspense', async () => {
  const till = await createTill();
  till.loseWebhooks();
  const row = await till.prompted();
  till.answerPolls(() => ({ status: 'on_hold', terminal: true }));
  const review = await till.untilStatus(payer, 'review');
  expect(review).toMatchObject({ review: 'unknown_final_status' });
  expect(till.alarms()).toEqual(['unknown_final_status']);
  expect(await till.booked(row.id)).toEqual([]);
  await till.deliverHandled(paidEvent(row));
  expect(await till.only(payer)).toMatchObject({ status: 'review' });
  expect(await till.booked(row.id)).toEqual(inSuspense(2_020));
  expect((await till.verify()).faults).toEqual([]);
});

test.each(['paid', 'failed', 'expired'])(
  'S35: a status of %s that is not final ends nothing',
  async (status) => {
    const till = await createTill();
    till.loseWebhooks();
    const row = await till.prompted();
    const heal = till.answerPolls(() => ({ status, terminal: false }));
    await till.until(() => till.callsOf('status') >= 2);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated' });
    expect(await till.booked(row.id)).toEqual([]);
    heal();
    await till.approved(payer, 120_000);
  },
);

test.each(['payment.session.disputed', 'payment.session.PAID', '__proto__'])(
  'S35: an event of the unknown type %s is stored verbatim and changes nothing',
  async (type) => {
    const till = await createTill();
    const row = await till.prompted();
    const event = { ...paidEvent(row, 'evt_new'), type };
    await till.deliverHandled(event);
    expect(await till.inbox()).toMatchObject([{ id: 'evt_new', body: JSON.stringify(event) }]);
    expect(await till.only(payer)).toMatchObject({ status: 'initiated', review: null });
    await till.approved();
    expect(await till.booked(row.id)).toEqual(paidInFull);
  },
);
