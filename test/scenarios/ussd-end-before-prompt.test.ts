import { EventEmitter } from 'node:events';
import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/shared/http/server.ts';
import { operators } from '../../src/shared/msisdn.ts';
import { callbackUrl, rawSession, walkSession } from '../kit/callback.ts';
import { settle } from '../kit/clock.ts';
import { createTill, failedEvent, type Till } from '../kit/till.ts';

const payer = '0244123456';
/** The prompt delay of the configuration that these tests run with. */
const delayMs = 1_500;
const numbers = { mtn: payer, telecel: '0201234567', at: '0261234567', glo: '0231234567' } as const;

/** A response on its way out, as far as the gateway can see one: it tells when it has left. */
class Outgoing extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const initiates = (till: Till) => till.calls.filter(({ name }) => name === 'initiate');

async function onConfirm(till: Till) {
  const session = rawSession(till, payer, 'africastalking');
  await walkSession(till, session, ['1', '20']);
  await till.clock.advance(2_500);
  return session;
}

test('S15: the prompt is not asked for while END is still on its way, and then its delay counts from when it left', async () => {
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

test('S15: an END that left late, before anybody asked for the prompt, counts from when it left', async () => {
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

test('S15: an END that never leaves holds the prompt back for ten seconds and no longer', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1'], { outgoing: new Outgoing() });
  const { promptNotBefore } = await till.only(payer);
  await till.clock.advance(promptNotBefore + 9_999 + delayMs - till.clock.now());
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till)).toHaveLength(1);
});

test.each([
  { when: 'before the delay is over', order: [0, 1], apartMs: 500 },
  { when: 'before the delay is over, the second first', order: [1, 0], apartMs: 500 },
  { when: 'after it', order: [0, 1], apartMs: 3_000 },
  { when: 'after it, the second first', order: [1, 0], apartMs: 3_000 },
])('S15: of two equal requests at once both replies must have left: $when', async ({ order, apartMs }) => {
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
});

test('S15: a reply whose connection broke before it was written holds nothing back', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  const outgoing = new Outgoing();
  outgoing.close();
  await session.send(['1', '20', '1'], { outgoing });
  const { promptNotBefore } = await till.only(payer);
  await till.clock.advance(promptNotBefore - till.clock.now());
  expect(initiates(till).map(({ startedAt: at }) => at)).toEqual([promptNotBefore]);
});

test('S15: a hint that something has happened hurries no prompt', async () => {
  const till = await createTill({
    configure: ({ timings }) => {
      timings.promptDelayMs.mtn = 4_000;
    },
  });
  await till.pay(payer);
  const row = await till.untilStatus(payer, 'created', 1_000);
  // Signed too long ago to be believed: it only asks for another look.
  await till.deliver(failedEvent(row), { signedAt: till.clock.now() - 600_000 });
  await till.clock.advance(row.promptNotBefore - 1 - till.clock.now());
  expect(initiates(till)).toEqual([]);
  await till.clock.advance(1);
  expect(initiates(till)).toHaveLength(1);
});

test('S15: a payer whose END never leaves holds up nobody else', async () => {
  const till = await createTill();
  const session = await onConfirm(till);
  await session.send(['1', '20', '1'], { outgoing: new Outgoing() });
  await till.pay('0201234567');
  await till.untilStatus('0201234567', 'initiated', 2_000);
  expect((await till.only(payer)).status).toBe('created');
});

test.each(operators.filter((operator) => operator !== 'unknown'))(
  'S15: the prompt of %s comes exactly when its own delay after END is over',
  async (operator) => {
    const delays = { mtn: 1_500, telecel: 2_500, at: 3_500, glo: 4_500, unknown: 5_000 };
    const till = await createTill({
      configure: (config) => {
        config.timings.promptDelayMs = delays;
        // The service in these tests serves three networks; which delay counts is the operator's all the same.
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

test('S15: over a real connection the payer reads END first, and the prompt follows its delay', async () => {
  const till = await createTill();
  const server = await listen(till.gateway().app, { host: '127.0.0.1', port: 0 }, 'listen.port');
  onTestFinished(() => server.close(0));
  const { pathname } = new URL(callbackUrl(till, 'africastalking'));
  const post = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port: server.port, path: pathname, method: 'POST' },
        async (answer) => {
          let body = '';
          for await (const chunk of answer.setEncoding('utf8')) body += chunk;
          resolve(body);
        },
      );
      call.on('error', reject);
      call.end(`sessionId=real-1&phoneNumber=%2B233244123456&networkCode=62001&text=${text}`);
    });
  expect(await post('')).toContain('Demo Shop');
  expect(await post('1')).toContain('Amount');
  expect(await post('1*20')).toContain('Pay GHS 20.00');
  expect(await post('1*20*1')).toMatch(/^END Approve GHS 20\.00/);
  expect(initiates(till)).toEqual([]);
  const { promptNotBefore } = await till.only(payer);
  await till.clock.advance(promptNotBefore - till.clock.now());
  expect(initiates(till).map(({ startedAt: at }) => at)).toEqual([promptNotBefore]);
});

test('a 429 that comes while END is on its way holds back the prompt that waits for it', async () => {
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
