import { z } from 'zod';
import { actionPage, adminSessionPage, review, reviewPage, sessionRecord, testClock } from './admin.ts';
import { msisdn, pageQuery } from './field.ts';
import { idParam, operation } from './operation.ts';
import { reviewResolutions, sessionStatuses } from './session.ts';
import { smsPage } from './simulated-phone.ts';

/* The operations of the admin API on sessions, reviews, the audit log and the test clock, and the messages of a phone. */

/** The query of the calls of the simulated phone. */
export const phoneQuery = z.strictObject({
  msisdn: z.string().max(32).meta({ description: 'In any spelling.', example: '0244123456' }),
});

/** Thirty days: the longest advance of the test clock in one call. */
const maxAdvanceMs = 30 * 24 * 3_600_000;

const positionQuery = z.strictObject({
  ...pageQuery,
  cursor: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page.' }),
});

const text = (maxLength: number) =>
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)
    .max(maxLength);

export const findSessionsOperation = operation({
  method: 'get',
  path: '/backoffice/sessions',
  id: 'findSessions',
  tag: 'Back office sessions',
  summary: 'Find sessions of all merchants, newest first',
  description: 'Returns the sessions that match all given filters.',
  access: 'admin',
  query: z
    .strictObject({
      merchant_id: z.string().max(128).optional(),
      livemode: z.enum(['true', 'false']).optional().meta({ description: 'Default: both modes.' }),
      status: z.enum(sessionStatuses).optional(),
      reference: z.string().max(64).optional().meta({
        description: 'Requires `merchant_id`: references belong to one merchant.',
        example: 'INV-7',
      }),
      msisdn: msisdn.optional().meta({ description: "The payer's number.", example: '233244123456' }),
      ...pageQuery,
    })
    .refine((query) => query.reference === undefined || query.merchant_id !== undefined, {
      path: ['merchant_id'],
      message: 'a reference requires merchant_id',
    }),
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: { status: 200, description: 'A page of sessions.', schema: adminSessionPage },
  errors: ['missing_field'],
});

export const findSessionOperation = operation({
  method: 'get',
  path: '/backoffice/sessions/{id}',
  id: 'findSession',
  tag: 'Back office sessions',
  summary: 'Get a session of any merchant, with its prompts and events',
  description: 'Returns one session with its prompts and its events.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  success: {
    status: 200,
    description:
      "The session and its review, the simulated rail's prompts, and the events. Prompts and events are listed " +
      'oldest first.',
    schema: sessionRecord,
  },
  errors: ['session_not_found'],
});

export const listReviewsOperation = operation({
  method: 'get',
  path: '/backoffice/reviews',
  id: 'listReviews',
  tag: 'Reviews',
  summary: 'List open reviews',
  description: 'Returns the reviews that wait for a decision, oldest first.',
  access: 'admin',
  query: positionQuery,
  fieldErrors: { cursor: 'invalid_cursor' },
  success: {
    status: 200,
    description: 'A page of open reviews.',
    schema: reviewPage,
  },
});

export const resolveReviewOperation = operation({
  method: 'post',
  path: '/backoffice/sessions/{id}/review',
  id: 'resolveReview',
  tag: 'Reviews',
  summary: 'Resolve a review',
  description:
    'A session on hold becomes `paid` with the charged amount (`accepted`), or `failed` with the reason ' +
    '`amount_mismatch` (`rejected`), and its event is sent. A session that was closed before the charge keeps its ' +
    'status: the decision, to deliver the goods or to return the money, is recorded. Of several open reviews, the ' +
    'oldest is resolved.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  body: z
    .strictObject({
      resolution: z.enum(reviewResolutions),
      note: z.string().min(1).max(500).optional().meta({ description: 'A note for later readers.' }),
    })
    .meta({ id: 'ReviewResolution' }),
  examples: { accepted: { resolution: 'accepted', note: 'the merchant accepts the partial payment' } },
  idempotency: 'honoured',
  success: { status: 200, description: 'The resolved review.', schema: review },
  errors: ['review_not_found', 'review_closed'],
});

export const listRefundsDue = operation({
  method: 'get',
  path: '/backoffice/refunds',
  id: 'listRefundsDue',
  tag: 'Reviews',
  summary: 'List refunds that are due',
  description:
    'Returns the rejected reviews whose money was not returned to the payer yet, the oldest decision first.',
  access: 'admin',
  query: positionQuery,
  fieldErrors: { cursor: 'invalid_cursor' },
  success: { status: 200, description: 'A page of rejected reviews.', schema: reviewPage },
});

export const settleRefundOperation = operation({
  method: 'post',
  path: '/backoffice/sessions/{id}/refund',
  id: 'settleRefund',
  tag: 'Reviews',
  summary: 'Settle a refund',
  description:
    'Records that the money of a rejected review was returned to the payer, and sends ' +
    '`payment.session.refund_settled`. The service moves no money. Of several refunds that are due, the oldest is ' +
    'settled.',
  access: 'admin',
  params: idParam('The session.', 'pay_01k5n8c0'),
  body: z
    .strictObject({
      reference: text(64).meta({
        description: 'The reference of the transfer to the payer.',
        example: 'MP26030',
      }),
      by: text(64).meta({ description: 'Who made the transfer.', example: 'Ama' }),
    })
    .meta({ id: 'RefundSettlement' }),
  examples: { settled: { reference: 'MP26030', by: 'Ama' } },
  idempotency: 'honoured',
  success: { status: 200, description: 'The review with its refund.', schema: review },
  errors: ['refund_not_due'],
});

export const listActionsOperation = operation({
  method: 'get',
  path: '/backoffice/actions',
  id: 'listActions',
  tag: 'Audit',
  summary: 'List the actions of the admin API, newest first',
  description: 'One row per call that changed something, written in the same transaction as the change.',
  access: 'admin',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of actions.', schema: actionPage },
});

export const getClock = operation({
  method: 'get',
  path: '/backoffice/clock',
  id: 'getClock',
  tag: 'Sandbox',
  summary: 'Read the test clock',
  description: 'Returns the time in the sandbox, and how far it is ahead of the system clock.',
  access: 'admin',
  success: { status: 200, description: 'The time in the sandbox.', schema: testClock },
  errors: ['test_clock_off'],
});

export const advanceClock = operation({
  method: 'post',
  path: '/backoffice/clock/advance',
  id: 'advanceClock',
  tag: 'Sandbox',
  summary: 'Advance the test clock',
  description:
    'Everything that becomes due happens at its own time and in its order. Returns when it is done, so that a poll ' +
    'right after shows the outcome. Only a sandbox has a test clock.',
  access: 'admin',
  body: z
    .strictObject({
      ms: z
        .int()
        .min(1)
        .max(maxAdvanceMs)
        .meta({ description: 'Milliseconds, 30 days at most.', example: 600_000 }),
    })
    .meta({ id: 'ClockAdvance' }),
  examples: { 'ten minutes': { ms: 600_000 } },
  idempotency: 'honoured',
  auditSubject: ({ ms }) => [`${ms} ms`],
  success: { status: 200, description: 'The new time.', schema: testClock },
  errors: ['test_clock_off'],
});

export const listMessages = operation({
  method: 'get',
  path: '/handset/messages',
  id: 'listMessages',
  tag: 'Simulated phone',
  summary: 'Read the text messages, newest first',
  description:
    'The messages to a number contain the codes of test mode. The newest 1,000 of all numbers stay in memory until the ' +
    'service restarts. Live messages are not listed.',
  access: 'open',
  query: phoneQuery.extend(pageQuery),
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'A page of messages.',
    schema: smsPage,
  },
  errors: ['not_found'],
});
