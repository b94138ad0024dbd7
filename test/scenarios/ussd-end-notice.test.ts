import { describe, expect, test } from 'vitest';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import { timeline } from '../../src/gateway/support/timeline.ts';
import { lastOf } from '../kit/phone.ts';
import { paidInFull } from '../kit/scenes.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill, payer, type Till } from '../kit/till.ts';

const inputs = ['1', '20', '1'];

/** Every aggregator that sends end notices. */
const channels = Object.keys(simulatedAggregators).filter(
  (name) => simulatedAggregators[name]?.endNotice !== undefined,
);

type StoredTurn = { sequence: number; input: string | null; reply: string; ending: string | null };

/** Returns every stored turn in order. */
function turns(till: Till): Promise<StoredTurn[]> {
  return till.ledger.rows<StoredTurn>(
    'SELECT sequence, input, reply, ending FROM turn ORDER BY session, sequence',
  );
}

const endings = async (till: Till) => (await turns(till)).filter(({ ending }) => ending !== null);

/** Approves the prompt and checks that exactly one payment was made. */
async function expectPaidOnce(till: Till): Promise<void> {
  await till.untilStatus(payer, 'initiated');
  const row = await till.approved();
  expect(await till.booked(row.id)).toEqual(paidInFull);
  expect((await till.service.statement()).pushes).toBe(1);
}

describe.each(rowsOf(channels, 3))('the end notice of %s', (channel) => {
  test('ends the dialogue: later inputs get the session-ended screen and confirm nothing', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['1', '20']);
    expect((await session.leave(['1', '20'])).status).toBe(200);
    expect(await endings(till)).toMatchObject([{ sequence: 4, input: null, reply: 'end' }]);
    const before = await turns(till);
    for (const typed of [inputs, [...inputs, '1'], ['1', '20', '2']]) {
      await till.clock.advance(2_500);
      const answer = await session.send(typed);
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('Session ended. Please dial again.');
    }
    expect(await turns(till)).toEqual(before);
    await till.clock.advance(30_000);
    expect(await till.find(payer)).toEqual([]);
    expect(till.calls).toEqual([]);
  });

  test('after the END screen changes nothing: the prompt is sent, a repeated END screen is the same, and the payment succeeds', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    const end = lastOf(await session.walk(inputs));
    await till.clock.advance(500);
    expect((await session.leave(inputs)).status).toBe(200);
    expect(await session.send(inputs)).toEqual(end);
    await till.clock.advance(2_500);
    expect(await session.send(inputs)).toEqual(end);
    expect(await endings(till)).toMatchObject([{ sequence: 5, reply: 'end' }]);
    await expectPaidOnce(till);
    expect(await session.send(inputs)).toEqual(end);
  });

  test('is written once and answered equally when it is repeated or sent three times at once', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.walk(['1']);
    const answers = await Promise.all([1, 2, 3].map(() => session.leave(['1'])));
    await till.clock.advance(60_000);
    answers.push(await session.leave(['1']));
    for (const answer of answers) expect(answer).toEqual({ ...answers[0], status: 200 });
    expect(await endings(till)).toHaveLength(1);
  });

  test('of an unknown session is answered with 200 and writes nothing', async () => {
    const till = await createTill();
    const answer = await till.session(payer, channel).leave(['1']);
    expect(answer.status).toBe(200);
    expect(await turns(till)).toEqual([]);
  });
});

test('when an end notice and a confirmation arrive together, one takes effect and the other changes nothing', async () => {
  for (const order of [0, 1]) {
    const till = await createTill();
    const session = till.session(payer, 'africastalking');
    await session.walk(['1', '20']);
    const agree = () => session.send(inputs);
    const leave = () => session.leave(['1', '20']);
    const [first, second] = order === 0 ? [agree, leave] : [leave, agree];
    await Promise.all([first(), second()]);
    const found = await till.find(payer);
    const agreed = (await turns(till)).some(({ input, reply }) => input === '1' && reply === 'end');
    expect(found).toHaveLength(agreed ? 1 : 0);
    expect(await endings(till)).toHaveLength(1);
    const answer = (await session.send(inputs)).body;
    expect(answer).toContain(agreed ? 'Approve GHS 20.00' : 'Session ended.');
    if (agreed) await expectPaidOnce(till);
  }
});

test('a repeat of a request from before the end notice gets the same bytes and advances nothing', async () => {
  const till = await createTill();
  const session = till.session(payer, 'africastalking');
  const answers = await session.walk(['1', '20']);
  await session.leave(['1', '20']);
  for (const [typed, answer] of answers.entries()) {
    expect(await session.send(['1', '20'].slice(0, typed))).toEqual(answer);
  }
  expect((await session.send(inputs)).body).toContain('Session ended.');
  expect(await till.find(payer)).toEqual([]);
});

test('the session-ended screen has the language of the dialogue, and so has the next dialogue', async () => {
  const till = await createTill();
  const session = till.session(payer, 'africastalking');
  await session.walk(['4']);
  await session.leave(['4']);
  await till.clock.advance(2_500);
  expect((await session.send(['4', '1'])).body).toContain('Session no atwam.');
  expect(await till.pay(payer)).toContain('Fa PIN pene GHS 20.00');
  await expectPaidOnce(till);
});

test('the timeline of a collection shows how its session ended, and no screen that was never shown', async () => {
  const till = await createTill();
  const session = till.session(payer, 'africastalking');
  await session.walk(inputs);
  await till.clock.advance(500);
  await session.leave(inputs);
  const events = timeline(await till.record((await till.only(payer)).id));
  expect(events.filter(({ kind }) => kind === 'notice')).toEqual([
    { at: till.clock.now(), kind: 'notice', text: 'the aggregator reports: session cancelled', ms: null },
  ]);
  expect(events.filter(({ kind }) => kind === 'payer').map(({ text }) => text)).toEqual([
    'dialled',
    'entered 1',
    'entered 20',
    'entered 1',
  ]);
  expect(events.filter(({ kind }) => kind === 'screen')).toHaveLength(4);
});
