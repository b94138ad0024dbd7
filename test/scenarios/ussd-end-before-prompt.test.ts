import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { operators } from '../../src/shared/msisdn.ts';
import { settle } from '../kit/clock.ts';
import { ask, serve } from '../kit/local-server.ts';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, failedEvent, payer, type Till } from '../kit/till.ts';

/** The prompt delay in the configuration of these tests. */
const delayMs = 1_500;
const numbers = { mtn: payer, telecel: '0201234567', at: '0261234567', glo: '0231234567' } as const;

/** An outgoing response as the gateway sees it: an event marks the moment when it is sent. */
class Outgoing extends EventEmitter {
  closed = false;
  writableFinished = false;

  close(): void {
    this.writableFinished = true;
    this.break();
  }

  /** The connection breaks before the response is sent. */
  break(): void {
    this.closed = true;
    this.emit('close');
  }
}

const initiates = (till: Till) => till.calls.filter(({ name }) => name === 'initiate');

async function onConfirm(till: Till) {
  const session = till.session(payer, 'africastalking');
  await session.walk(['1', '20']);
  await till.clock.advance(2_500);
  return session;
}

test('S15: no prompt is requested while the END screen is being sent, and its delay starts when the screen is sent', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  const outgoing = new Outgoing();
  await session.send(['1', '20', '1'], { outgoing });
  await till.clock.advance(8_000);
  expect(till.calls.map(({ name }) => name)).toEqual(['create']);
  outgoing.close();
  await settle();
  const leftAt = till.clock.now();
  await till.clock.advance(delayMs - 1);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till).map(({ startedAt: at }) => at - leftAt)).toEqual([delayMs]);
  expect((await till.only(payer)).status).toBe('initiated');
});

test('S15: when the END screen is sent late, before the prompt is due, the delay starts at that time', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  const outgoing = new Outgoing();
  await session.send(['1', '20', '1'], { outgoing });
  await till.clock.advance(1_000);
  outgoing.close();
  const leftAt = till.clock.now();
  await till.clock.advance(delayMs - 1);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till).map(({ startedAt: at }) => at - leftAt)).toEqual([delayMs]);
});

test('S15: an END screen that is never sent delays the prompt by ten seconds at most', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1'], { outgoing: new Outgoing() });
  const { promptNotBefore } = await till.only(payer);
  await till.clock.advance(promptNotBefore + 9_999 - till.clock.now());
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till)).toHaveLength(1);
});

test.each([
  { when: 'before the delay is over', order: [0, 1], apartMs: 500 },
  { when: 'before the delay is over, the second first', order: [1, 0], apartMs: 500 },
  { when: 'after it', order: [0, 1], apartMs: 3_000 },
  { when: 'after it, the second first', order: [1, 0], apartMs: 3_000 },
])(
  'S15: the replies to two equal concurrent requests must both be sent: $when',
  async ({ order, apartMs }) => {
    const till = await createTill();
    const session = await onConfirm(till);
    const replies = [new Outgoing(), new Outgoing()];
    await Promise.all(replies.map((outgoing) => session.send(['1', '20', '1'], { outgoing })));
    const [first, last] = order.map((index) => replies[index]);
    await till.clock.advance(apartMs);
    first?.close();
    await till.clock.advance(4_000);
    expect(initiates(till)).toEqual([]);
    last?.close();
    await till.clock.advance(delayMs);
    expect(initiates(till)).toHaveLength(1);
  },
);

/** The time for an aggregator that received no reply to ask again. */
const repeatMs = 5_000;

test.each(['before the reply was written', 'while the reply was sent'])(
  'S15: a reply whose connection broke %s delays the prompt, so that the aggregator can ask again',
  async (when) => {
    const till = await createTill();
    const session = await onConfirm(till);
    const outgoing = new Outgoing();
    if (when === 'before the reply was written') outgoing.break();
    await session.send(['1', '20', '1'], { outgoing });
    if (!outgoing.closed) outgoing.break();
    const { promptNotBefore } = await till.only(payer);
    await till.clock.advance(promptNotBefore + repeatMs - 1 - till.clock.now());
    expect(initiates(till)).toEqual([]);
    await till.clock.advance(100);
    expect(initiates(till)).toHaveLength(1);
  },
);

test.each([200, 1_000, 1_400, 3_000])(
  'S15: after a reply that broke, the delay starts at the reply to the repeated request %i ms later',
  async (laterMs) => {
    const till = await createTill();
    const session = await onConfirm(till);
    const broken = new Outgoing();
    await session.send(['1', '20', '1'], { outgoing: broken });
    broken.break();
    await till.clock.advance(laterMs);
    const repeated = new Outgoing();
    const { body } = await session.send(['1', '20', '1'], { outgoing: repeated });
    expect(body).toMatch(/^END Approve GHS 20/);
    repeated.close();
    const arrivedAt = till.clock.now();
    await till.clock.advance(delayMs - 1);
    expect(initiates(till)).toEqual([]);
    await till.clock.advance(repeatMs);
    const [sent, ...more] = initiates(till);
    expect(more).toEqual([]);
    expect((sent?.startedAt ?? 0) - arrivedAt).toBeGreaterThanOrEqual(delayMs);
  },
);

test('S15: a request that is repeated without a socket also starts the delay again', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1']);
  await till.clock.advance(1_000);
  await session.send(['1', '20', '1']);
  await till.clock.advance(delayMs - 1);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: repeats of the END screen delay no prompt beyond its deadline, and the payment then ends uncharged', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1']);
  const { promptDeadline } = await till.only(payer);
  while (till.clock.now() < promptDeadline + 2_000) {
    await till.clock.advance(1_000);
    await session.send(['1', '20', '1']);
  }
  expect(await till.only(payer)).toMatchObject({ status: 'abandoned', reason: 'prompt_deadline' });
  expect(initiates(till)).toEqual([]);
});

test('S15: after a restart the delay of a prompt that was not requested starts again', async () => {
  const till = await createTill();
  await till.pay(payer);
  await till.untilStatus(payer, 'created', 500);
  await till.clock.advance(1_000);
  await till.restart();
  await till.clock.advance(delayMs - 1);
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(200);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: an unproven event does not bring a prompt forward', async () => {
  const till = await createTill({
    configure: ({ timings }) => {
      timings.promptDelayMs.mtn = 4_000;
    },
  });
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'created', 1_000);
  // A stale signature proves nothing: the event only triggers a check.
  await till.deliver(failedEvent(row), { signedAt: till.clock.now() - 600_000 });
  await till.clock.advance(row.promptNotBefore - 1 - till.clock.now());
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: an END screen that is never sent does not delay other payers', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1'], { outgoing: new Outgoing() });
  await till.pay('0201234567');
  await till.untilStatus('0201234567', 'initiated', 2_000);
  expect((await till.only(payer)).status).toBe('created');
});

test.each(operators.filter((operator) => operator !== 'unknown'))(
  'S15: the prompt of %s arrives exactly at the end of its own delay after the END screen',
  async (operator) => {
    const delays = { mtn: 1_500, telecel: 2_500, at: 3_500, glo: 4_500, unknown: 5_000 };
    const till = await createTill({
      configure: (config) => {
        config.timings.promptDelayMs = delays;
        // The service in these tests has three networks; the delay still depends on the operator.
        config.service.networks.glo = 'mtn';
      },
    });
    await till.pay(numbers[operator]);
    const agreedAt = till.clock.now();
    await till.clock.advance(delays[operator] - 1);
    expect(initiates(till)).toEqual([]);
    await till.clock.advance(1);
    expect(initiates(till).map(({ startedAt: at }) => at - agreedAt)).toEqual([delays[operator]]);
  },
);

test('S15: over a real connection, the END screen arrives first and the prompt follows after its delay', async () => {
  const till = await createTill();
  const { port } = await serve(till.gateway().app);
  const { pathname } = new URL(callbackUrl(till, 'africastalking'));
  const post = async (text: string) => {
    const body = `sessionId=real-1&phoneNumber=%2B233244123456&networkCode=62001&text=${text}`;
    return (await ask(port, pathname, { method: 'POST', body })).body;
  };
  expect(await post('')).toContain('Demo Shop');
  expect(await post('1')).toContain('Amount');
  expect(await post('1*20')).toContain('Pay GHS 20.00');
  expect(await post('1*20*1')).toMatch(/^END Approve GHS 20\.00/);
  expect(initiates(till)).toEqual([]);
  const { promptNotBefore } = await till.only(payer);
  await till.clock.advance(promptNotBefore - till.clock.now());
  expect(initiates(till).map(({ startedAt: at }) => at)).toEqual([promptNotBefore]);
});

test('a 429 while the END screen is being sent also delays the prompt that waits for that screen', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  const outgoing = new Outgoing();
  await session.send(['1', '20', '1'], { outgoing });
  await till.clock.advance(3_000);
  till.faults.call = async () => Response.json({}, { status: 429, headers: { 'retry-after': '20' } });
  await till.pay('0201234567');
  const creates = () => till.calls.filter(({ name }) => name === 'create');
  await till.until(() => creates().length === 2);
  const heldAt = creates()[1]?.startedAt ?? 0;
  delete till.faults.call;
  outgoing.close();
  await till.clock.advance(10_000);
  expect(initiates(till)).toEqual([]);
  await till.untilStatus(payer, 'initiated', 20_000);
  expect(initiates(till)[0]?.startedAt).toBeGreaterThanOrEqual(heldAt + 20_000);
});
