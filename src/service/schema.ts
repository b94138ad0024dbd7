import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { eventTypes } from '../contract/event.ts';
import { sessionStatuses } from '../contract/session.ts';

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

/** A secret key. The key itself is nowhere: only its digest. */
export const apiKey = sqliteTable(
  'api_key',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
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
    livemode: livemode(),
    mode: text('mode', { enum: ['offline'] }).notNull(),
    channel: text('channel', { enum: ['ussd'] }).notNull(),
    network: text('network').notNull(),
    payer: text('payer').notNull(),
    reference: text('reference').notNull(),
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
    /** When an open session is given up; null once it is closed. */
    expiresAt: integer('expires_at'),
  },
  (table) => [
    index('payment_session_due').on(table.expiresAt).where(sql`${table.expiresAt} IS NOT NULL`),
    index('payment_session_merchant').on(table.merchantId, table.livemode, table.createdAt),
    check(
      'payment_session_expires_while_open',
      sql`(${table.expiresAt} IS NOT NULL) = (${table.status} IN ${openStatuses})`,
    ),
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
      sql`${table.mode} <> 'offline' OR ${table.netMinor} = ${table.goodsMinor}`,
    ),
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
    index('prompt_session').on(table.sessionId),
    index('prompt_payer').on(table.payer, table.createdAt),
    index('prompt_pending').on(table.expiresAt).where(sql`${table.status} = 'pending'`),
    index('prompt_unreported')
      .on(table.closedAt)
      .where(sql`${table.closedAt} IS NOT NULL AND ${table.reportedAt} IS NULL`),
    check('prompt_closed_at', sql`(${table.closedAt} IS NULL) = (${table.status} = 'pending')`),
    check(
      'prompt_charged',
      sql`${table.chargedMinor} = CASE ${table.status} WHEN 'approved' THEN ${table.amountMinor} ELSE 0 END`,
    ),
  ],
);

/** The first answer to each idempotency key, for 24 hours. */
export const idempotency = sqliteTable(
  'idempotency',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    key: text('key').notNull(),
    /** SHA-256 of method, path and body. */
    fingerprint: text('fingerprint').notNull(),
    status: integer('status').notNull(),
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.merchantId, table.livemode, table.key] }),
    index('idempotency_age').on(table.createdAt),
  ],
);

/** Where a merchant's events go, for each mode. */
export const endpoint = sqliteTable(
  'endpoint',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    url: text('url').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.livemode] })],
);

/** Signing secrets: the current one, and for a time after a rotation the one before it. */
export const signingSecret = sqliteTable(
  'signing_secret',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    secret: text('secret').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null while it is the current one; after this time it signs nothing. */
    retiresAt: integer('retires_at'),
  },
  (table) => [index('signing_secret_merchant').on(table.merchantId, table.livemode)],
);

/** An event and its delivery: made in the batch that made the news, sent until somebody takes it. */
export const event = sqliteTable(
  'event',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: livemode(),
    type: text('type', { enum: [eventTypes.paid, eventTypes.failed] }).notNull(),
    sessionId: text('session_id').notNull(),
    /** The body's bytes, made once: every attempt sends and signs these. */
    body: text('body').notNull(),
    createdAt: integer('created_at').notNull(),
    state: text('state', { enum: ['waiting', 'delivered', 'given_up', 'no_endpoint'] }).notNull(),
    /** While an attempt runs this is its lease: after a crash the event is due again. */
    nextAt: integer('next_at'),
    attempts: integer('attempts').notNull(),
    lastAttemptAt: integer('last_attempt_at'),
    /** HTTP status of the last answer; null where none came. */
    lastStatus: integer('last_status'),
    /** `timeout` or `connection` where no answer came. */
    lastError: text('last_error'),
  },
  (table) => [
    index('event_due').on(table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    index('event_merchant').on(table.merchantId, table.id),
    index('event_age').on(table.createdAt),
    check('event_due_while_waiting', sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`),
  ],
);
