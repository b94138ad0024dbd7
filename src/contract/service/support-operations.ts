import { z } from 'zod';
import { actionPage, adminSessionPage, review, reviewPage, sessionRecord, testClock } from './admin.ts';
import { msisdn, pageQuery } from './field.ts';
import { cursorField, idParam, merchantParam, operation } from './operation.ts';
import { reviewResolutions, sessionStatuses } from './session.ts';

const params = idParam('The session.', 'pay_01k5n8c0');

/** Thirty days: the longest advance of the test clock in one call. */
const maxAdvanceMs = 30 * 24 * 3_600_000;

const query = z.strictObject({ ...pageQuery, cursor: cursorField(/^\d{1,15}-\d{1,15}$/) });

const text = (maxLength: number) =>
  z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]+$/u)
    .max(maxLength);

/** The operations of the admin API on reviews and refunds. */
export const reviewOperations = {
  listReviews: operation('get /backoffice/reviews', 'Reviews', {
    summary: 'List open reviews',
    description: 'Returns the reviews that wait for a decision, oldest first.',
    query,
    fieldErrors: { cursor: 'invalid_cursor' },
    success: { description: 'A page of open reviews.', schema: reviewPage },
  }),
  resolveReview: operation('post /backoffice/sessions/{id}/review', 'Reviews', {
    summary: 'Resolve a review',
    description:
      'A session on hold becomes `paid` with the charged amount (`accepted`), or `failed` with the reason ' +
      '`amount_mismatch` (`rejected`), and its event is sent. A session that was closed before the charge keeps its ' +
      'status: the decision, to deliver the goods or to return the money, is recorded. Of several open reviews, the ' +
      'oldest is resolved.',
    params,
    body: z
      .strictObject({
        resolution: z.enum(reviewResolutions),
        note: z.string().min(1).max(500).optional().meta({ description: 'A note for later readers.' }),
      })
      .meta({ id: 'ReviewResolution' }),
    examples: { accepted: { resolution: 'accepted', note: 'the merchant accepts the partial payment' } },
    success: { description: 'The resolved review.', schema: review },
    errors: ['review_not_found', 'review_closed'],
  }),
  listRefundsDue: operation('get /backoffice/refunds', 'Reviews', {
    summary: 'List refunds that are due',
    description:
      'Returns the rejected reviews whose money was not returned to the payer yet, the oldest decision first.',
    query,
    fieldErrors: { cursor: 'invalid_cursor' },
    success: { description: 'A page of rejected reviews.', schema: reviewPage },
  }),
  settleRefund: operation('post /backoffice/sessions/{id}/refund', 'Reviews', {
    summary: 'Settle a refund',
    description:
      'Records that the money of a rejected review was returned to the payer, and sends ' +
      '`payment.session.refund_settled`. The service moves no money. Of several refunds that are due, the oldest is ' +
      'settled.',
    params,
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
    success: { description: 'The review with its refund.', schema: review },
    errors: ['refund_not_due'],
  }),
};

export const clockOperations = {
  getClock: operation('get /backoffice/clock', 'Sandbox', {
    summary: 'Read the test clock',
    description: 'Returns the time in the sandbox, and how far it is ahead of the system clock.',
    success: { description: 'The time in the sandbox.', schema: testClock },
    errors: ['test_clock_off'],
  }),
  advanceClock: operation('post /backoffice/clock/advance', 'Sandbox', {
    summary: 'Advance the test clock',
    description:
      'Everything that becomes due happens at its own time and in its order. Returns when it is done, so that a poll ' +
      'right after shows the outcome. Only a sandbox has a test clock.',
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
    auditSubject: ({ ms }) => [`${ms} ms`],
    success: { description: 'The new time.', schema: testClock },
    errors: ['test_clock_off'],
  }),
};

/** The operations of the admin API on the sessions of all merchants, and its audit log. */
export const supportOperations = {
  getStatement: operation('get /backoffice/merchants/{id}/statement', 'Statements', {
    summary: 'Get the statement of a day as CSV',
    description:
      'Returns the charges of a merchant on a day (UTC), oldest first, to reconcile books with. A charge that does not fit its ' +
      'session is `in_review`, until a decision makes it `paid` or `refund_due`; a settled refund makes it `refunded`. Amounts are ' +
      'decimals in cedis.',
    params: merchantParam,
    query: z.strictObject({
      date: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .refine((date) => Number.isFinite(Date.parse(date)) && new Date(date).toISOString().startsWith(date))
        .meta({ description: 'The day.', example: '2026-03-06' }),
      livemode: z.enum(['true', 'false']).optional().meta({ description: 'Default: false.' }),
    }),
    success: {
      description: 'One line for each charge.',
      type: 'text/csv',
      schema: z.string(),
      example:
        'session_id,paid_at,status,price,fee,total,refunded_at\r\n' +
        'pay_01k5n8c0,2026-03-06T09:00:07.250Z,paid,20.00,0.20,20.20,\r\n',
    },
    errors: ['merchant_not_found', 'statement_too_long'],
  }),
  findSessions: operation('get /backoffice/sessions', 'Back office sessions', {
    summary: 'Find sessions of all merchants, newest first',
    description: 'Returns the sessions that match all given filters.',
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
    success: { description: 'A page of sessions.', schema: adminSessionPage },
    errors: ['missing_field'],
  }),
  findSession: operation('get /backoffice/sessions/{id}', 'Back office sessions', {
    summary: 'Get a session of any merchant, with its prompts and events',
    description: 'Returns one session with its prompts and its events.',
    params,
    success: {
      description:
        "The session and its review, the simulated rail's prompts, and the events. Prompts and events are listed " +
        'oldest first.',
      schema: sessionRecord,
    },
    errors: ['session_not_found'],
  }),
  listActions: operation('get /backoffice/actions', 'Audit', {
    summary: 'List the actions of the admin API, newest first',
    description: 'One row per call that changed something, written in the same transaction as the change.',
    query: z.strictObject(pageQuery),
    success: { description: 'A page of actions.', schema: actionPage },
  }),
};
