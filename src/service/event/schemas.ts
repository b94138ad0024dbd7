import { z } from '@hono/zod-openapi';
import { eventTypes, reviewReasons } from '../../contract/event.ts';
import { time } from '../session/schemas.ts';

const minor = z.int().min(0);

const session = {
  id: z.string().meta({ description: 'The session, prefix `pay_`.', example: 'pay_01k5n8c0' }),
  goods_minor: minor.meta({ example: 2000 }),
  amount_minor: minor.meta({ example: 2020 }),
  expected_fee_minor: minor.meta({ example: 20 }),
  expected_net_minor: minor.meta({ example: 2000 }),
};

function eventOf<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.strictObject({
    id: z
      .string()
      .meta({ description: 'Prefix `evt_`; also in the header Service-Event-Id.', example: 'evt_01k5n8c0' }),
    type: z.literal(type),
    created_at: time,
    data,
  });
}

export const paidEvent = eventOf(
  eventTypes.paid,
  z.strictObject({
    ...session,
    status: z.literal('paid'),
    amount_minor: minor.meta({ description: 'What was taken.', example: 2020 }),
    paid_at: time,
  }),
).meta({ id: 'PaidEvent', description: 'The session is paid.' });

export const failedEvent = eventOf(
  eventTypes.failed,
  z.strictObject({
    ...session,
    status: z.enum(['failed', 'expired']),
    reason: z.string().meta({
      description:
        'Why: `declined`, `pin_limit`, `insufficient_funds`, `rail_refused`, `prompt_expired`, `no_result`, ' +
        '`amount_mismatch`.',
    }),
  }),
).meta({ id: 'FailedEvent', description: 'The session failed, or expired after its payer was asked.' });

export const reviewEvent = eventOf(
  eventTypes.reviewAmountMismatch,
  z.strictObject({
    ...session,
    status: z.enum(['initiated', 'paid', 'failed', 'expired']),
    paid_minor: minor.meta({ description: 'What was taken; the amounts beside it are the quote.' }),
    paid_at: time,
    reason: z.enum(reviewReasons),
  }),
).meta({
  id: 'ReviewEvent',
  description:
    'Money arrived that does not fit the session: another amount, while nothing was due, or a second time. A person ' +
    'decides.',
});

/** Any event, as it is delivered. */
export const anyEvent = z.union([paidEvent, failedEvent, reviewEvent]);
