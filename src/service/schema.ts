import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { eventTypes } from '../contract/event.ts';
import { channels, reviewReasons, sessionStatuses } from '../contract/session.ts';
import type { MagicName } from '../contract/simulated-phone.ts';

/*
 * The service's tables. Amounts are integer pesewas, times integer UTC milliseconds, numbers 12-digit MSISDNs.
 * Test and live data lie side by side, told apart by `livemode` in every key and query. Every table is STRICT
 * (checked after each migration).
 */

/** 0 for what a test key made, 1 for what a live key made. */
export type Livemode = 0 | 1;

const livemode = () => integer('livemode').$type<Livemode>().notNull();

export const merchant = sqliteTable('merchant', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  /** Null until the merchant may collect offline. */
  offlineApprovedAt: integer('offline_approved_at'),
  createdAt: integer('created_at').notNull(),
});

/** A merchant's site, app or till: keys, webhook URL and signing secrets are set for each. */
export const platform = sqliteTable(
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
export const sender = sqliteTable(
  'sender',
  {
    merchantId: text('merchant_id').notNull(),
    name: text('name').notNull(),
    approvedAt: integer('approved_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.name] })],
);

/** A merchant's own fee schedule of one channel, in place of the service's. */
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

/** A secret key. The key itself is nowhere: only its digest. */
export const apiKey = sqliteTable(
  'api_key',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    platformId: text('platform_id').notNull(),
    livemode: livemode(),
    /** The digest's first 16 digits: finds the row, so that the whole digest can be compared in constant time. */
    handle: text('handle').notNull(),
    /** SHA-256 of the key, hex. */
    digest: text('digest').notNull(),
    /** The key's last four characters, for people. */
    ending: text('ending').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    /** Null unless another key took its place; it is refused from then on. */
    expiresAt: integer('expires_at'),
    /** To the minute. */
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [
    index('api_key_handle').on(table.handle),
    index('api_key_merchant').on(table.merchantId, table.createdAt),
  ],
);

const openStatuses = sql.raw(`('created', 'initiated')`);

export const session = sqliteTable(
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
    /** The merchant's own word for it: `reference` offline, `client_trans_id` on the web. */
    reference: text('reference'),
    otpRequestId: text('otp_request_id'),
    goodsMinor: integer('goods_minor').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    feeMinor: integer('fee_minor').notNull(),
    netMinor: integer('net_minor').notNull(),
    status: text('status', { enum: sessionStatuses }).notNull(),
    /** Why it failed or expired. */
    reason: text('reason'),
    createdAt: integer('created_at').notNull(),
    initiatedAt: integer('initiated_at'),
    paidAt: integer('paid_at'),
    closedAt: integer('closed_at'),
    /** When an open session is given up; null once it is closed, and while a person decides about it. */
    expiresAt: integer('expires_at'),
    /** Set while money that does not fit waits for a person's decision, before the session has an end. */
    heldAt: integer('held_at'),
  },
  (table) => [
    index('payment_session_reference').on(table.merchantId, table.livemode, table.reference, table.id),
    index('payment_session_list').on(table.merchantId, table.livemode, table.id),
    index('payment_session_status').on(table.merchantId, table.livemode, table.status, table.id),
    index('payment_session_any').on(table.livemode, table.status, table.id),
    index('payment_session_payer').on(table.payer, table.id),
    uniqueIndex('payment_session_otp').on(table.otpRequestId),
    index('payment_session_due')
      .on(table.livemode, table.expiresAt)
      .where(sql`${table.expiresAt} IS NOT NULL`),
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

/**
 * Money that does not fit its session, for a person to decide about. A session has a row for each such charge; the
 * same time and amount again is the same charge.
 */
export const review = sqliteTable(
  'payment_review',
  {
    sessionId: text('session_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    reason: text('reason', { enum: reviewReasons }).notNull(),
    /** What the rail took. */
    paidMinor: integer('paid_minor').notNull(),
    paidAt: integer('paid_at').notNull(),
    openedAt: integer('opened_at').notNull(),
    resolvedAt: integer('resolved_at'),
    resolution: text('resolution', { enum: ['accepted', 'rejected'] }),
    note: text('note'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.paidAt, table.paidMinor] }),
    index('payment_review_open').on(table.openedAt).where(sql`${table.resolvedAt} IS NULL`),
    check(
      'payment_review_resolution',
      sql`(${table.resolvedAt} IS NULL) = (${table.resolution} IS NULL) AND ${table.paidMinor} > 0`,
    ),
  ],
);

/** A one-time code: the code itself is nowhere, only its digest. Bound to a number and an amount, used once. */
export const otpRequest = sqliteTable(
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

/** The simulated rail's own book: every push is a row, so that a doubled push shows. */
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
    /** Why it failed. */
    failure: text('failure', { enum: ['pin_limit', 'insufficient_funds'] }),
    /** What a magic number makes of it without anybody's help, and when; null for a prompt that a person answers. */
    magic: text('magic').$type<MagicName>(),
    actsAt: integer('acts_at'),
    wrongPins: integer('wrong_pins').notNull(),
    /** What the wallet was charged: 0 until the payer approves. */
    chargedMinor: integer('charged_minor').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    closedAt: integer('closed_at'),
    /** When the service took the result; null before. */
    reportedAt: integer('reported_at'),
  },
  (table) => [
    index('prompt_session').on(table.sessionId, table.id),
    index('prompt_payer').on(table.payer, table.createdAt).where(sql`${table.status} = 'pending'`),
    index('prompt_acts').on(table.actsAt).where(sql`${table.actsAt} IS NOT NULL`),
    index('prompt_pending').on(table.expiresAt).where(sql`${table.status} = 'pending'`),
    index('prompt_unreported')
      .on(table.closedAt)
      .where(sql`${table.closedAt} IS NOT NULL AND ${table.reportedAt} IS NULL`),
    check('prompt_closed_at', sql`(${table.closedAt} IS NULL) = (${table.status} = 'pending')`),
    check('prompt_charged', sql`(${table.chargedMinor} > 0) = (${table.status} = 'approved')`),
    check('prompt_failure', sql`(${table.failure} IS NOT NULL) = (${table.status} = 'failed')`),
    check('prompt_acts', sql`${table.actsAt} IS NULL OR ${table.magic} IS NOT NULL`),
  ],
);

/** The first answer to each idempotency key, for 24 hours. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    key: text('key').notNull(),
    /** SHA-256 of method, path and canonical body. */
    fingerprint: text('fingerprint').notNull(),
    status: integer('status').notNull(),
    /** The answer's bytes; encrypted where they hold a secret. */
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.merchantId, table.livemode, table.key] }),
    index('idempotency_age').on(table.createdAt),
  ],
);

/** Where a platform's events go, for each mode. */
export const endpoint = sqliteTable(
  'endpoint',
  {
    platformId: text('platform_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    url: text('url').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Since when deliveries were tried on their plan and none has succeeded; null while they do. */
    failingSince: integer('failing_since'),
    lastFailedAt: integer('last_failed_at'),
    /** Set when it failed for too long: nothing is sent until it is set anew. */
    disabledAt: integer('disabled_at'),
  },
  (table) => [primaryKey({ columns: [table.platformId, table.livemode] })],
);

/** Signing secrets: the current one, and for a time after a rotation the one before it. */
export const signingSecret = sqliteTable(
  'signing_secret',
  {
    id: text('id').primaryKey(),
    platformId: text('platform_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    secret: text('secret').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null while it is the current one; after this time it signs nothing. */
    retiresAt: integer('retires_at'),
  },
  (table) => [index('signing_secret_platform').on(table.platformId, table.livemode)],
);

/** An event and its delivery: made in the batch that made the news, sent until somebody takes it. */
export const event = sqliteTable(
  'event',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    platformId: text('platform_id').notNull(),
    livemode: livemode(),
    type: text('type', {
      enum: [eventTypes.paid, eventTypes.failed, eventTypes.reviewAmountMismatch],
    }).notNull(),
    sessionId: text('session_id').notNull(),
    /** The body's bytes, made once: every attempt sends and signs these. */
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
    state: text('state', {
      enum: ['waiting', 'delivered', 'given_up', 'no_endpoint', 'endpoint_disabled'],
    }).notNull(),
    /** While an attempt runs this is its lease: after a crash the event is due again. */
    nextAt: integer('next_at'),
    /** All attempts ever made: the number of the last one in the log. */
    attempts: integer('attempts').notNull(),
    /** Attempts since it was made or last resent: its place in the plan of retries. */
    tries: integer('tries').notNull(),
    lastAttemptAt: integer('last_attempt_at'),
    /** HTTP status of the last answer; null where none came. */
    lastStatus: integer('last_status'),
    /** `timeout`, `connection` or `address_refused` where no answer came. */
    lastError: text('last_error'),
  },
  (table) => [
    index('event_due').on(table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    index('event_turn')
      .on(table.platformId, table.livemode, table.nextAt)
      .where(sql`${table.nextAt} IS NOT NULL`),
    index('event_merchant').on(table.merchantId, table.livemode, table.id),
    index('event_type').on(table.merchantId, table.livemode, table.type, table.id),
    index('event_state').on(table.merchantId, table.livemode, table.state, table.id),
    index('event_place').on(table.platformId, table.livemode, table.state, table.id),
    index('event_session').on(table.sessionId, table.id),
    index('event_age').on(table.createdAt),
    check('event_due_while_waiting', sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`),
  ],
);

/** The log of deliveries: one row for each attempt, written when it is over. */
export const deliveryAttempt = sqliteTable(
  'delivery_attempt',
  {
    eventId: text('event_id').notNull(),
    number: integer('number').notNull(),
    url: text('url').notNull(),
    startedAt: integer('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** HTTP status of the answer; null where none came. */
    status: integer('status'),
    /** `timeout`, `connection` or `address_refused` where no answer came. */
    error: text('error'),
  },
  (table) => [primaryKey({ columns: [table.eventId, table.number] })],
);

/** What was done in the back office, in order; nothing is ever removed. */
export const adminAction = sqliteTable('admin_action', {
  id: text('id').primaryKey(),
  at: integer('at').notNull(),
  requestId: text('request_id').notNull(),
  action: text('action').notNull(),
  /** What it was done to: identifiers, and what else tells it apart, with slashes between. */
  subject: text('subject').notNull(),
});
