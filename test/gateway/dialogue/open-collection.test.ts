import { describe, expect, test } from 'vitest';
import type { Rejection } from '../../../src/gateway/collection/opening/limits.ts';
import { minRecent } from '../../../src/gateway/collection/store/recent-query.ts';
import { openCollection } from '../../../src/gateway/dialogue/open-collection.ts';
import { duplicateIn, findDuplicate } from '../../../src/gateway/dialogue/run-effects.ts';
import type { DialogueDeps, PreviousAttempt } from '../../../src/gateway/dialogue/types.ts';
import type { PaymentSummary, Step } from '../../../src/menu/state/state.ts';
import { amountMinor } from '../../../src/shared/money.ts';
import { perOperator } from '../../../src/shared/msisdn.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { converse, payment } from '../../menu/conversation.ts';
import { context } from '../../menu/support.ts';
import { createTurn, menu } from './create-turn.ts';

/* What a confirmation leads to. */

const own = context.dialler;
const other = msisdnOf('0201234567');
const third = msisdnOf('0244999888');
const minute = 60_000;

const confirmed = (inputs: string[]): Step & { intent: NonNullable<Step['intent']> } => {
  const { intent, ...step } = converse(menu, inputs);
  if (!intent) throw new Error('the inputs confirm nothing');
  return { ...step, intent };
};
const ownPayment = confirmed(['1', '20', 'Yes']);
const request = confirmed(['2', '0201234567', '20', 'Yes']);

/** The last screen of a confirmation that opens no collection. */
async function refusal(
  step: typeof ownPayment,
  previousAttempt: Partial<PreviousAttempt>,
  recent: PaymentSummary[] = [],
): Promise<string> {
  const { approvals } = context;
  const settings = { approvals, networks: perOperator(() => null) } as DialogueDeps['settings'];
  const turn = createTurn({
    previousAttempt: { takenReferences: 0, ...previousAttempt },
    diallerContext: { ...createTurn().diallerContext, recent: async () => recent },
    history: { last: { at: context.now } as never, earlier: undefined },
  });
  const outcome = await openCollection({ settings } as DialogueDeps, turn, step, step.intent);
  expect(outcome.collection).toBeUndefined();
  expect(outcome.step.reply.kind).toBe('end');
  return outcome.step.reply.text;
}

const tooMany = 'Sorry, too many requests. Nothing was paid. Please try again later.';
const notPossible = 'Sorry, payment to Demo Shop is not possible now. Nothing was paid.';
const declined = 'Sorry, recent requests were declined. Nothing was paid. Please try again later.';
const lost = 'Session ended. Please dial again.';
/** The same text for every reason that lies with the other payer. */
const unavailable = 'Sorry, 0201234567 cannot be asked to pay now. Nothing was paid.';

test.each<[rejection: Rejection, ownText: string, requestText: string]>([
  ['dialler_limit', tooMany, tooMany],
  ['merchant_limit', tooMany, tooMany],
  ['payer_limit', tooMany, unavailable],
  ['payer_cool_down', lost, unavailable],
  ['opted_out', lost, unavailable],
  ['payer_blocked', lost, unavailable],
  ['dialler_cool_down', lost, declined],
  ['dialler_blocked', notPossible, notPossible],
  ['retry', lost, lost],
])('a confirmation that is rejected because of %s', async (rejection, ownText, requestText) => {
  expect(await refusal(ownPayment, { rejection })).toBe(ownText);
  expect(await refusal(request, { rejection })).toBe(requestText);
});

test('while a payment of the dialler is open, it is shown with its total', async () => {
  const waiting = 'GHS 20.20 to Demo Shop is already waiting. To approve: Dial *170#, Wallet, My Approvals';
  expect(await refusal(ownPayment, {}, [{ ...payment, state: 'waiting' }])).toBe(waiting);
  const open = { ...payment, chargeMinor: 2_020 };
  expect(await refusal(ownPayment, { rejection: 'open', open })).toBe(waiting);
});

test('while a payment on another network than that of the prefix is open, its own approval code is shown', async () => {
  const waiting: PaymentSummary = { ...payment, state: 'waiting', operator: 'telecel' };
  const ended = 'GHS 20.20 to Demo Shop is already waiting. To approve: Dial *110#, approvals';
  expect(await refusal(ownPayment, {}, [waiting])).toBe(ended);
  expect(await refusal(ownPayment, { rejection: 'open', open: waiting })).toBe(ended);
});

test("a stranger's open request is not revealed", async () => {
  expect(await refusal(request, { rejection: 'open' })).toBe(unavailable);
});

test.each<[state: PaymentSummary['state']]>([['failed'], ['paid']])(
  'a late confirmation after the same payment was %s opens nothing',
  async (state) => {
    const recent = [{ ...payment, state, at: context.now + 1 }];
    expect(await refusal(ownPayment, {}, recent)).toBe(lost);
  },
);

test('a confirmation of a network that is no longer offered opens nothing', async () => {
  expect(await refusal(ownPayment, {})).toBe(
    'Sorry, Demo Shop cannot take payment from the network of 0244123456. Nothing was paid.',
  );
});

describe('a duplicate', () => {
  const intent = { ...ownPayment.intent, dialler: own };

  test.each<[what: string, earlier: Partial<PaymentSummary>, isDuplicate: boolean]>([
    ['paid', {}, true],
    ['being confirmed', { state: 'confirming' }, true],
    ['without a result', { state: 'unknown' }, true],
    ['waiting', { state: 'waiting' }, false],
    ['failed', { state: 'failed' }, false],
    ['of another amount', { amountMinor: amountMinor(2_100) }, false],
    ['of a bill', { reference: 'INV-1' }, false],
    ['of another payer', { payer: other }, false],
    ['paid after a request of another phone', { dialler: third }, true],
    ['unanswered after a request of another phone', { dialler: third, state: 'unknown' }, false],
  ])('is one that is %s: %s', (_, earlier, isDuplicate) => {
    const found = duplicateIn([{ ...payment, ...earlier }], intent, payment.at);
    expect(found !== undefined).toBe(isDuplicate);
  });

  test('is unknown to a third phone, and known to the phone that asked', () => {
    const asked = { ...payment, payer: other, dialler: own };
    const again = { ...request.intent, payer: other };
    expect(duplicateIn([asked], { ...again, dialler: own }, 0)).toBe(asked);
    expect(duplicateIn([asked], { ...again, dialler: third }, 0)).toBeUndefined();
  });

  const find = (recent: PaymentSummary[], stored: string[] = []) =>
    findDuplicate(
      {
        settings: { duplicateWindowMs: 15 * minute, networks: context.networks },
        collections: {
          async findDuplicate({ since }) {
            stored.push(new Date(since).toISOString());
            return undefined;
          },
        },
      },
      createTurn({ diallerContext: { ...createTurn().diallerContext, recent: async () => recent } }),
      ownPayment.intent,
    );

  test.each([
    [15 * minute, true],
    [15 * minute + 1, false],
  ])('is confirmed %i ms ago at most: %s', async (ms, isDuplicate) => {
    expect((await find([{ ...payment, at: context.now - ms }])) !== undefined).toBe(isDuplicate);
  });

  test('is also looked for among older payments when the list of recent ones is full', async () => {
    const newer = { ...payment, amountMinor: amountMinor(100) };
    const stored: string[] = [];
    await find(Array(minRecent - 1).fill(newer), stored);
    expect(stored).toEqual([]);
    await find(Array(minRecent).fill(newer), stored);
    expect(stored).toEqual(['2026-03-06T09:45:00.000Z']);
  });
});
