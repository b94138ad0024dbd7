import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { promptFailures } from '../contract/service/end-reason.ts';
import { eventTypes } from '../contract/service/event.ts';
import type { MagicName } from '../contract/service/magic-numbers.ts';
import { channels, reviewReasons, sessionStatuses } from '../contract/service/session.ts';

/*
 * The service's tables. Amounts are integers in pesewas, times are integers in UTC milliseconds, and numbers are MSISDNs
 * of 12 digits. The tables contain test and live data, separated by `livemode` in every key and query. Every table is
 * STRICT, which the program checks after each migration.
 */

/** 0 for rows of test keys, 1 for rows of live keys. */
export type Livemode = 0 | 1;

const livemode = () => integer('livemode').$type<Livemode>().notNull();

export const merchantTable = sqliteTable('merchant', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Null until the merchant is approved for offline collections. */
  offlineApprovedAt: integer('offline_approved_at'),
  createdAt: integer('created_at').notNull(),
});

/** A merchant's site, app or till, with keys, a webhook URL and signing secrets of its own. */
export const platformTable = sqliteTable(
  'platform',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    name: text('name').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('platform_merchant').on(table.merchantId, table.id)],
);

/** Names under which a merchant may send SMS. */
export const senderTable = sqliteTable(
  'sender',
  {
    merchantId: text('merchant_id').notNull(),
    name: text('name').notNull(),
    approvedAt: integer('approved_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.name] })],
);

/** A merchant's own fee schedule for one channel, which replaces the service's schedule. */
export const feeOverride = sqliteTable(
  'fee_override',
  {
    merchantId: text('merchant_id').notNull(),
    channel: text('channel', { enum: channels }).notNull(),
    /** JSON of a `FeeSchedule`. */
    schedule: text('schedule').notNull(),
    setAt: integer('set_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.channel] })],
);

/** A secret key. Only its digest is stored. */
export const apiKey = sqliteTable(
  'api_key',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    platformId: text('platform_id').notNull(),
    livemode: livemode(),
    /** The first 16 digits of the digest. They find the row; the whole digest is then compared in constant time. */
    handle: text('handle').notNull(),
    /** SHA-256 of the key, hex. */
    digest: text('digest').notNull(),
    /** The last four characters of the key, for display. */
    ending: text('ending').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    /** The end of the overlap after a rotation; null for a key that was not rotated. */
    expiresAt: integer('expires_at'),
    /** The last use, with a precision of one minute. */
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [
    index('api_key_handle').on(table.handle),
    index('api_key_merchant').on(table.merchantId, table.id),
    // Partial, so that finding out whether there is a live key reads one row.
    index('api_key_live').on(table.livemode).where(sql`${table.livemode} = 1`),
  ],
);

const openStatuses = sql.raw(`('created', 'initiated')`);

export const sessionTable = sqliteTable(
  'payment_session',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    platformId: text('platform_id').notNull(),
    livemode: livemode(),
    mode: text('mode', { enum: ['offline', 'web'] }).notNull(),
    channel: text('channel', { enum: channels }).notNull(),
    network: text('network').notNull(),
    payer: text('payer').notNull(),
    /** The merchant's identifier of the payment: `reference` offline, `client_trans_id` on the web. */
    reference: text('reference'),
    otpRequestId: text('otp_request_id'),
    goodsMinor: integer('goods_minor').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    feeMinor: integer('fee_minor').notNull(),
    netMinor: integer('net_minor').notNull(),
    status: text('status', { enum: sessionStatuses }).notNull(),
    reason: text('reason'),
    createdAt: integer('created_at').notNull(),
    initiatedAt: integer('initiated_at'),
    paidAt: integer('paid_at'),
    /** The amount that the payer was charged. It differs from the amount after an accepted review. */
    paidMinor: integer('paid_minor'),
    closedAt: integer('closed_at'),
    /** When an open session expires; null for a closed session, and while a review decides about it. */
    expiresAt: integer('expires_at'),
    /** When the rail is asked for the result next; null unless the session waits for one. */
    inquireAt: integer('inquire_at'),
    /** Set while a review decides about a charge of another amount and the session is still open. */
    heldAt: integer('held_at'),
  },
  (table) => [
    index('payment_session_reference').on(table.merchantId, table.livemode, table.reference, table.id),
    // Lists read the open and the closed sessions apart, so that an initiate changes none of these indexes.
    index('payment_session_open')
      .on(table.merchantId, table.livemode, table.id)
      .where(sql`${table.closedAt} IS NULL`),
    index('payment_session_closed')
      .on(table.merchantId, table.livemode, table.status, table.id)
      .where(sql`${table.closedAt} IS NOT NULL`),
    index('payment_session_any_open').on(table.livemode, table.id).where(sql`${table.closedAt} IS NULL`),
    index('payment_session_any_closed')
      .on(table.livemode, table.status, table.id)
      .where(sql`${table.closedAt} IS NOT NULL`),
    index('payment_session_payer').on(table.payer, table.id),
    // For the statement of a day.
    index('payment_session_paid')
      .on(table.merchantId, table.livemode, table.paidAt)
      .where(sql`${table.paidAt} IS NOT NULL`),
    uniqueIndex('payment_session_otp').on(table.otpRequestId).where(sql`${table.otpRequestId} IS NOT NULL`),
    index('payment_session_due')
      .on(table.livemode, table.expiresAt)
      .where(sql`${table.expiresAt} IS NOT NULL`),
    index('payment_session_inquiry')
      .on(table.livemode, table.inquireAt)
      .where(sql`${table.inquireAt} IS NOT NULL`),
    check(
      'payment_session_inquires_while_initiated',
      sql`(${table.inquireAt} IS NOT NULL) = (${table.status} = 'initiated' AND ${table.heldAt} IS NULL)`,
    ),
    check(
      'payment_session_expires_while_open',
      sql`(${table.expiresAt} IS NOT NULL) = (${table.status} IN ${openStatuses} AND ${table.heldAt} IS NULL)`,
    ),
    check('payment_session_held', sql`${table.heldAt} IS NULL OR ${table.status} = 'initiated'`),
    check(
      'payment_session_closed_at',
      sql`(${table.closedAt} IS NULL) = (${table.status} IN ${openStatuses})`,
    ),
    check('payment_session_paid_at', sql`(${table.paidAt} IS NOT NULL) = (${table.status} = 'paid')`),
    check(
      'payment_session_paid_minor',
      sql`(${table.paidMinor} IS NOT NULL) = (${table.status} = 'paid') AND coalesce(${table.paidMinor}, 1) > 0`,
    ),
    check(
      'payment_session_amounts',
      sql`${table.goodsMinor} > 0 AND ${table.feeMinor} >= 0
        AND ${table.amountMinor} = ${table.netMinor} + ${table.feeMinor}`,
    ),
    check(
      'payment_session_offline',
      sql`${table.mode} <> 'offline' OR (${table.channel} = 'ussd' AND ${table.netMinor} = ${table.goodsMinor}
        AND ${table.reference} IS NOT NULL AND ${table.otpRequestId} IS NULL)`,
    ),
    check(
      'payment_session_web',
      sql`${table.mode} <> 'web' OR (${table.channel} = 'web' AND ${table.amountMinor} = ${table.goodsMinor}
        AND ${table.netMinor} > 0)`,
    ),
  ],
);

/** A charge that does not match its session, about which a person decides; one row for each time and amount. */
export const reviewTable = sqliteTable(
  'payment_review',
  {
    sessionId: text('session_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    reason: text('reason', { enum: reviewReasons }).notNull(),
    /** The amount that the rail charged. */
    paidMinor: integer('paid_minor').notNull(),
    paidAt: integer('paid_at').notNull(),
    openedAt: integer('opened_at').notNull(),
    resolvedAt: integer('resolved_at'),
    resolution: text('resolution', { enum: ['accepted', 'rejected'] }),
    note: text('note'),
    /** When, how and by whom the money of a rejected review was returned; null while the refund is due. */
    refundedAt: integer('refunded_at'),
    refundReference: text('refund_reference'),
    refundedBy: text('refunded_by'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.paidAt, table.paidMinor] }),
    index('payment_review_paid').on(table.merchantId, table.livemode, table.paidAt),
    index('payment_review_open').on(table.openedAt).where(sql`${table.resolvedAt} IS NULL`),
    index('payment_review_refund')
      .on(table.sessionId)
      .where(sql`${table.resolution} = 'rejected' AND ${table.refundedAt} IS NULL`),
    index('payment_review_refund_due')
      .on(table.resolvedAt)
      .where(sql`${table.resolution} = 'rejected' AND ${table.refundedAt} IS NULL`),
    check(
      'payment_review_refund',
      sql`(${table.refundedAt} IS NULL) = (${table.refundReference} IS NULL)
        AND (${table.refundedAt} IS NULL) = (${table.refundedBy} IS NULL)
        AND (${table.refundedAt} IS NULL OR ${table.resolution} = 'rejected')`,
    ),
    check(
      'payment_review_resolution',
      sql`(${table.resolvedAt} IS NULL) = (${table.resolution} IS NULL) AND ${table.paidMinor} > 0`,
    ),
  ],
);

/** A one-time code for one number and one amount, valid for one use. Only the digest of the code is stored. */
export const otpRequestTable = sqliteTable(
  'otp_request',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    payer: text('payer').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    sender: text('sender').notNull(),
    salt: text('salt').notNull(),
    digest: text('digest').notNull(),
    wrongCodes: integer('wrong_codes').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    verifiedAt: integer('verified_at'),
    usedAt: integer('used_at'),
  },
  (table) => [
    index('otp_request_payer').on(table.merchantId, table.livemode, table.payer, table.createdAt),
    index('otp_request_age').on(table.createdAt),
    check('otp_request_used', sql`${table.usedAt} IS NULL OR ${table.verifiedAt} IS NOT NULL`),
  ],
);

/** The prompts of the simulated rail. Every push is a row, so that a duplicate push is detected. */
export const prompt = sqliteTable(
  'prompt',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id').notNull(),
    livemode: livemode(),
    merchantName: text('merchant_name').notNull(),
    payer: text('payer').notNull(),
    network: text('network').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    status: text('status', { enum: ['pending', 'approved', 'declined', 'failed', 'expired'] }).notNull(),
    failure: text('failure', { enum: promptFailures }),
    /** The magic number that answers the prompt, and `actsAt`, when it does; null for a prompt that a person answers. */
    magic: text('magic').$type<MagicName>(),
    actsAt: integer('acts_at'),
    wrongPins: integer('wrong_pins').notNull(),
    /** The amount that the wallet was charged; 0 until the payer approves. */
    chargedMinor: integer('charged_minor').notNull(),
    /** When the wallet was charged the same amount again; null without such a fault. */
    chargedAgainAt: integer('charged_again_at'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    closedAt: integer('closed_at'),
    /** When the service recorded the result; null before that. */
    reportedAt: integer('reported_at'),
  },
  (table) => [
    index('prompt_session').on(table.sessionId, table.id),
    index('prompt_payer').on(table.payer, table.id).where(sql`${table.status} = 'pending'`),
    index('prompt_acts').on(table.actsAt).where(sql`${table.actsAt} IS NOT NULL`),
    index('prompt_unanswered')
      .on(table.expiresAt)
      .where(sql`${table.status} = 'pending' AND ${table.actsAt} IS NULL`),
    index('prompt_unreported')
      .on(table.closedAt)
      .where(sql`${table.closedAt} IS NOT NULL AND ${table.reportedAt} IS NULL`),
    check('prompt_closed_at', sql`(${table.closedAt} IS NULL) = (${table.status} = 'pending')`),
    check('prompt_charged', sql`(${table.chargedMinor} > 0) = (${table.status} = 'approved')`),
    check('prompt_charged_again', sql`${table.chargedAgainAt} IS NULL OR ${table.status} = 'approved'`),
    check('prompt_failure', sql`(${table.failure} IS NOT NULL) = (${table.status} = 'failed')`),
    check('prompt_acts', sql`${table.actsAt} IS NULL OR ${table.magic} IS NOT NULL`),
  ],
);

/** The first response to each idempotency key, stored for 24 hours. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    key: text('key').notNull(),
    /** SHA-256 of method, path and canonical body. */
    fingerprint: text('fingerprint').notNull(),
    status: integer('status').notNull(),
    /** The bytes of the response, encrypted if they contain a secret. */
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.livemode, table.key] })],
);

/** The webhook endpoint of a platform, for each mode. */
export const endpointTable = sqliteTable(
  'endpoint',
  {
    platformId: text('platform_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    url: text('url').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Start of the present series of failed scheduled deliveries; null after a success. */
    failingSince: integer('failing_since'),
    lastFailedAt: integer('last_failed_at'),
    /** Set after a long series of failures: nothing is sent until the endpoint is set again. */
    disabledAt: integer('disabled_at'),
  },
  (table) => [primaryKey({ columns: [table.platformId, table.livemode] })],
);

/** Signing secrets: the current one, and the previous one until its overlap ends. */
export const signingSecretTable = sqliteTable(
  'signing_secret',
  {
    id: text('id').primaryKey(),
    platformId: text('platform_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    secret: text('secret').notNull(),
    createdAt: integer('created_at').notNull(),
    /** The end of the overlap; null for the current secret. */
    retiresAt: integer('retires_at'),
  },
  (table) => [index('signing_secret_platform').on(table.platformId, table.livemode)],
);

/** An event and its delivery. Inserted in the batch of the change that it reports, and sent until it is accepted. */
export const event = sqliteTable(
  'event',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    platformId: text('platform_id').notNull(),
    livemode: livemode(),
    type: text('type', {
      enum: [eventTypes.paid, eventTypes.failed, eventTypes.reviewAmountMismatch, eventTypes.refundSettled],
    }).notNull(),
    sessionId: text('session_id').notNull(),
    /** The bytes of the body. Every attempt signs and sends the same bytes. */
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
    state: text('state', {
      enum: ['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled'],
    }).notNull(),
    /** The time of the next attempt; during an attempt, the end of its lease, after which the event is due again. */
    nextAt: integer('next_at'),
    /** Number of all attempts, which is the number of the last one in the log. */
    attempts: integer('attempts').notNull(),
    /** Number of attempts since the creation or the last resend: the position in the retry schedule. */
    tries: integer('tries').notNull(),
    /** How often the event is sent again after it was accepted: only for the magic number of repeated events. */
    repeats: integer('repeats').notNull(),
    lastAttemptAt: integer('last_attempt_at'),
    /** HTTP status of the last response; null without one. */
    lastStatus: integer('last_status'),
    /** `timeout`, `connection` or `address_refused` when no response arrived. */
    lastError: text('last_error'),
  },
  (table) => [
    index('event_turn')
      .on(table.platformId, table.livemode, table.nextAt)
      .where(sql`${table.nextAt} IS NOT NULL`),
    index('event_type').on(table.merchantId, table.livemode, table.type, table.id),
    index('event_state').on(table.merchantId, table.livemode, table.state, table.id),
    index('event_place').on(table.platformId, table.livemode, table.state, table.id),
    index('event_session').on(table.sessionId, table.id),
    index('event_age').on(table.createdAt),
    check('event_due_while_waiting', sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`),
  ],
);

/** The log of deliveries, with one row for each completed attempt. */
export const deliveryAttempt = sqliteTable(
  'delivery_attempt',
  {
    eventId: text('event_id').notNull(),
    number: integer('number').notNull(),
    url: text('url').notNull(),
    startedAt: integer('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** HTTP status of the response; null without one. */
    status: integer('status'),
    /** `timeout`, `connection` or `address_refused` when no response arrived. */
    error: text('error'),
    /** The first 1 KiB of the response's body; null without one. Written shortly after the row. */
    responseBody: text('response_body'),
  },
  (table) => [primaryKey({ columns: [table.eventId, table.number] })],
);

/** The actions of the admin API, in order. Rows are never deleted. */
export const adminAction = sqliteTable('admin_action', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
  requestId: text('request_id').notNull(),
  action: text('action').notNull(),
  /** The subject of the action: identifiers and other distinguishing values, separated by slashes. */
  subject: text('subject').notNull(),
});
