import { describe, expect, test } from 'vitest';
import { inconclusiveAnswers, scriptCalls } from '../kit/network-faults.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';

async function expectPaidOnce(till: Till): Promise<void> {
  const row = await till.approved();
  const { pushes, chargedMinor, sessions } = await till.service.statement();
  expect({ pushes, chargedMinor, sessions: sessions.length }).toEqual({
    pushes: 1,
    chargedMinor: row.amountMinor,
    sessions: 1,
  });
  expect((await till.verify()).faults).toEqual([]);
}

describe.each(rowsOf(Object.entries(inconclusiveAnswers), 4))(
  'S09: where the answer is %s',
  (_name, fault) => {
    test('S09: create is retried until it is answered, whether or not the service received it', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ create: ['lost', 'answer lost', 'lost'] }, fault) },
      });
      await till.prompted();
      expect(till.calls.filter(({ name }) => name === 'create')).toHaveLength(4);
      await expectPaidOnce(till);
    });

    test('S09: polling finds the prompt of a lost initiate, even when polls fail too', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ initiate: ['answer lost'], status: ['lost', 'answer lost'] }, fault) },
      });
      await till.pay(payer);
      await till.untilStatus(payer, 'initiating');
      await till.untilStatus(payer, 'initiated');
      expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(1);
      await expectPaidOnce(till);
    });

    test('S09: an initiate that never arrived is sent again, and one prompt is pushed', async () => {
      const till = await createTill({
        faults: { call: scriptCalls({ initiate: ['lost', 'lost', 'answer lost'], status: ['lost'] }, fault) },
      });
      await till.pay(payer);
      await till.untilStatus(payer, 'initiated', 180_000);
      expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(3);
      await expectPaidOnce(till);
    });

    test('S09: no collection ends while every call fails, and the payment is booked after the outage', async () => {
      const till = await createTill({ service: { rail: { promptLifetimeMs: 3_600_000 } } });
      till.faults.webhook = async () => new Response('down', { status: 503 });
      await till.prompted();
      till.faults.call = async () => fault();
      await till.service.phone.approve((await till.prompt(payer)).id, '1234');
      await till.clock.advance(12 * 60_000);
      expect(await till.only(payer)).toMatchObject({ status: 'initiated', closedAt: null });
      till.faults.call = (_call, pass) => pass();
      const row = await till.untilStatus(payer, 'paid', 10 * 60_000);
      expect(row).toMatchObject({ amountSource: 'quote', late: 1 });
      expect((await till.service.statement()).pushes).toBe(1);
    });
  },
);

test('S09: any mixture of call faults ends in at most one prompt and in the final status of the service', async () => {
  const till = await createTill();
  const kinds = Object.values(inconclusiveAnswers);
  let calls = 0;
  till.faults.call = async (_call, pass) => {
    const turn = calls++;
    const fault = kinds[turn % kinds.length];
    // Three of four calls fail, every second one of them after the service received it.
    if (turn % 4 === 3 || !fault) return pass();
    if (turn % 2 === 0) await pass();
    return fault();
  };
  const numbers = Array.from({ length: 12 }, (_, index) => `02440000${10 + index}`);
  for (const number of numbers) await till.pay(number);
  await till.clock.advance(60_000);
  till.faults.call = (_call, pass) => pass();
  await till.clock.advance(600_000);
  for (const { pushes, chargedMinor } of (await till.service.statement()).sessions) {
    expect(pushes).toBeLessThanOrEqual(1);
    expect(chargedMinor).toBe(0);
  }
  const statuses = await Promise.all(numbers.map(async (number) => (await till.only(number)).status));
  const pushed = new Set(
    (await till.service.statement()).sessions
      .filter(({ pushes }) => pushes === 1)
      .map(({ sessionId }) => sessionId),
  );
  for (const [index, number] of numbers.entries()) {
    const { sessionId } = await till.only(number);
    expect(statuses[index]).toBe(pushed.has(sessionId ?? '') ? 'expired' : 'abandoned');
  }
});
