import { type SQL, sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';

/*
 * The gateway's tables. Amounts are integer pesewas, times are integer UTC milliseconds, phone numbers are 12-digit
 * MSISDNs, and structured values are JSON text. `turn`, `deleted_turn`, `fact`, `posting`, `dialler_setting_change`,
 * `staff_action` and `seal` are append-only: triggers reject UPDATE and DELETE, except the deletion of old turns whose hash is
 * stored. In SQLite every table is STRICT (checked after each migration).
 */

/** One request of a session and its stored reply. The last turn of a session holds its state. */
export const turn = sqliteTable(
  'turn',
  {
    /** Order of writing. A number is never used again, so that each turn is sealed once. */
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    channel: text('channel').notNull(),
    session: text('session').notNull(),
    /** Counts within the session, across its dialogues. The unique index decides repeats and races. */
    sequence: integer('sequence').notNull(),
    dialogueId: text('dialogue_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    dialler: text('dialler').notNull(),
    operator: text('operator').notNull(),
    /** The input that led to this screen; null on the first screen of a dial without a suffix. */
    input: text('input'),
    /** The request's cumulative text, or a hash of it. Distinguishes a repeat from a step. */
    position: text('position'),
    /** The payer that the dialogue has chosen; null while it is the dialler. */
    payer: text('payer'),
    /** The id of this session in the aggregator's payment system. */
    ussdRef: text('ussd_ref'),
    /** How the session ended, on the row of an end notice. Such a row has no screen. */
    ending: text('ending'),
    /** The menu's state after this turn, as JSON. */
    state: text('state').notNull(),
    reply: text('reply', { enum: ['continue', 'end'] }).notNull(),
    screen: text('screen').notNull(),
    /** The collection that this turn opened or showed. */
    collectionId: text('collection_id'),
    at: integer('at').notNull(),
  },
  (table) => [
    // Some aggregators give one id to several phones, so that a session is identified only together with its number.
    uniqueIndex('turn_request').on(table.channel, table.session, table.dialler, table.sequence),
    index('turn_dialogue').on(table.dialogueId),
    // For the last session of a phone at any merchant, which no prompt may interrupt. Also for its recent turns at one merchant.
    index('turn_phone').on(table.dialler, table.at),
    // For support staff: the later dialogues that showed a collection.
    index('turn_collection').on(table.collectionId).where(sql`${table.collectionId} IS NOT NULL`),
    // For retention, which reads the oldest turns.
    index('turn_at').on(table.at),
  ],
);

/** The lock of a phone's turns. */
export function phoneLock(msisdn: string): string {
  return `turns ${msisdn}`;
}

/** A turn that retention has deleted. Its hash keeps the blocks that sealed it verifiable. Append-only. */
export const deletedTurn = sqliteTable('deleted_turn', {
  seq: integer('seq').primaryKey(),
  at: integer('at').notNull(),
  hash: text('hash').notNull(),
});

/** Raw SQL, as in the partial index: SQLite uses a partial index only for a query with identical text. */
export const openStatusesText = sql.raw(`('accepted', 'created', 'initiating', 'initiated')`);

/** Every value of `requestedBy`. Literal, like `openStatusesText`. */
export const requestKinds = sql.raw(`('payer', 'attendant', 'other')`);

/** Collections that are not open: paid (also unconfirmed), ended, or under review. Literal, like `openStatusesText`. */
export const isClosed = sql.raw(
  `"collection"."status" NOT IN ('accepted', 'created', 'initiating', 'initiated')`,
);

/** Collections that another phone than the payer's requested. Literal, like `openStatusesText`. */
export const requestedByOther = sql.raw(`"collection"."requested_by" <> 'payer'`);

/** Declined requests from another phone. Literal, like `openStatusesText`. */
export const declinedRequest = sql.raw(
  `"collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."requested_by" <> 'payer'`,
);

/**
 * Collections that ended without a payment, or that needed a decision. Raw SQL, like `openStatusesText`. The
 * index of this condition grows, and SQLite would prefer it to the index of reviews: in this form, no query of reviews can use it.
 */
export const hasReason = sql.raw(`coalesce("collection"."reason", "collection"."review") IS NOT NULL`);

/** Payments whose proof came late. Literal, like `openStatusesText`. */
export const isLate = sql.raw(`"collection"."late" = 1`);

/** States of unplaced events. Literal, like `openStatusesText`. */
export const unplacedEventStates = sql.raw(`('parked', 'dead')`);

/** The state that `evolve` computes from a collection's facts. */
export const collection = sqliteTable(
  'collection',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').$type<0 | 1>().notNull(),
    status: text('status', {
      enum: [
        'accepted',
        'created',
        'initiating',
        'initiated',
        'paid',
        'failed',
        'expired',
        'abandoned',
        'review',
      ],
    }).notNull(),
    /** Number of recorded facts. Every write is guarded by it. */
    version: integer('version').notNull(),
    channel: text('channel').notNull(),
    dialogueId: text('dialogue_id').notNull(),
    dialler: text('dialler').$type<Msisdn>().notNull(),
    payer: text('payer').$type<Msisdn>().notNull(),
    /** Whose phone requested the payment: the payer's own, an attendant's, or another one. The limits count by it. */
    requestedBy: text('requested_by', { enum: ['payer', 'attendant', 'other'] }).notNull(),
    /** The service's code for the payer's network, such as `mtn`. */
    network: text('network').notNull(),
    /** The reference that the service stores: the payer's own, or else the short reference. */
    reference: text('reference').notNull(),
    /** Eight digits that a payer can read out; the last one is a check digit. */
    shortReference: text('short_reference').notNull(),
    /** The payer's answers and choices, as JSON. Null without answers, and once retention has deleted the dialogue. */
    answers: text('answers'),
    /** The final, unpaid collection that this one repeats. */
    retryOf: text('retry_of'),
    goodsMinor: integer('goods_minor').$type<AmountMinor>().notNull(),
    /** Price and fee as the confirm screen showed them; null when it showed no fee. */
    shownTotalMinor: integer('shown_total_minor'),
    /** Null until the service has quoted them. */
    amountMinor: integer('amount_minor'),
    feeMinor: integer('fee_minor'),
    netMinor: integer('net_minor'),
    /** The account that holds the money: `paid`, `suspense`, or the target of a person's decision. Null until money arrives. */
    booked: text('booked', { enum: ['paid', 'suspense', 'released', 'returned', 'reversed'] }),
    /**
     * The source of booked amounts: the quote (a poll proves the payment, not its amounts), a signed webhook, or a poll that states
     * an amount.
     */
    amountSource: text('amount_source', { enum: ['quote', 'webhook', 'poll'] }),
    /** The unplaced payment that people matched with this collection; null without one. */
    unplacedId: text('unplaced_id'),
    /** The idempotency key of the create call. */
    createKey: text('create_key').notNull(),
    /** The exact bytes of the create call. Every retry sends these. */
    createBody: text('create_body').notNull(),
    initiateKey: text('initiate_key').notNull(),
    sessionId: text('session_id'),
    openedAt: integer('opened_at').notNull(),
    /** The prompt is not requested earlier: the USSD session must have left the handset. */
    promptNotBefore: integer('prompt_not_before').notNull(),
    /** The prompt is not requested after this time. */
    promptDeadline: integer('prompt_deadline').notNull(),
    /** Set by a guarded write before the call that moves money. */
    initiateSentAt: integer('initiate_sent_at'),
    /** Number of initiate calls that were sent. */
    initiateSends: integer('initiate_sends').notNull(),
    /** The service's code for a rejected initiate call. A later poll decides what it means. */
    initiateRejection: text('initiate_rejection'),
    initiatedAt: integer('initiated_at'),
    /** The time that the service reports, verbatim. */
    paidAt: text('paid_at'),
    closedAt: integer('closed_at'),
    /** When a poll agreed with the event that reported the payment, or a person decided; null before that. */
    confirmedAt: integer('confirmed_at'),
    /** The reason of the last failure that an event reported while a prompt could be live. A poll decides. */
    reportedFailure: text('reported_failure'),
    /** 1 when the proof of payment came after the payer was allowed to retry. */
    late: integer('late').$type<0 | 1>().notNull(),
    /** Set when no result came in time. Proves nothing, and allows the payer to open a new collection. */
    lapsedAt: integer('lapsed_at'),
    /**
     * Set when the collection was open in a restored copy of the ledger. It is polled and never prompted, because the
     * original ledger may have prompted it. Null again when the service reports a prompt.
     */
    restoredAt: integer('restored_at'),
    /** Why the collection ended, or why it is under review. */
    reason: text('reason'),
    /** The reason for a person to decide, in any status; null when there is none. */
    review: text('review'),
    /** Since when a person at the service decides about the suspended money; null otherwise. */
    awaitsServiceSince: integer('awaits_service_since'),
    /** Time of the last fact. The next fact is never earlier. */
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('collection_session').on(table.sessionId),
    // One open payment for each kind of requester: a stranger's request blocks neither the payer's own payment nor an attendant's.
    uniqueIndex('collection_open_payer')
      .on(table.merchantId, table.payer, table.livemode, table.requestedBy)
      .where(sql`${table.status} IN ${openStatusesText} AND ${table.lapsedAt} IS NULL`),
    // The short reference comes first, because support staff search for it without a merchant.
    uniqueIndex('collection_short_reference').on(table.shortReference, table.merchantId, table.livemode),
    uniqueIndex('collection_retry_of').on(table.retryOf).where(sql`${table.retryOf} IS NOT NULL`),
    // Not partial: the limits count all collections of one payer without a read of the merchant's others.
    index('collection_payer').on(
      table.payer,
      table.merchantId,
      table.livemode,
      table.openedAt,
      table.requestedBy,
    ),
    index('collection_dialler').on(
      table.dialler,
      table.merchantId,
      table.livemode,
      table.openedAt,
      table.requestedBy,
    ),
    // For the limits of all merchants together.
    index('collection_requested_payer')
      .on(table.payer, table.livemode, table.requestedBy, table.openedAt)
      .where(requestedByOther),
    index('collection_requested_dialler')
      .on(table.dialler, table.livemode, table.requestedBy, table.openedAt)
      .where(requestedByOther),
    // Partial, so that an attendant's many collections stay out of them.
    index('collection_declined_payer')
      .on(table.payer, table.livemode, table.requestedBy, table.closedAt)
      .where(declinedRequest),
    index('collection_declined_dialler')
      .on(table.dialler, table.livemode, table.requestedBy, table.closedAt)
      .where(declinedRequest),
    index('collection_reference').on(table.reference),
    // For support staff: lists are newest first, and their sums are read from the index alone.
    // This one is also searched for parts of references, amounts, channels and networks, without a row of the table.
    index('collection_opened').on(
      table.openedAt,
      table.goodsMinor,
      table.reference,
      table.shownTotalMinor,
      table.amountMinor,
      table.channel,
      table.network,
    ),
    // Also for a merchant's limits and the filters of its system, which read this index alone.
    index('collection_merchant_opened').on(
      table.merchantId,
      table.openedAt,
      table.goodsMinor,
      table.livemode,
      table.requestedBy,
      table.channel,
      table.network,
    ),
    // For filters of a merchant's system that match few payments.
    index('collection_merchant_reason')
      .on(table.merchantId, table.openedAt, table.livemode, table.status, table.reason, table.review)
      .where(hasReason),
    index('collection_merchant_late').on(table.merchantId, table.openedAt, table.livemode).where(isLate),
    index('collection_closed').on(table.status, table.openedAt, table.goodsMinor).where(isClosed),
    index('collection_review').on(table.openedAt, table.goodsMinor).where(sql`${table.review} IS NOT NULL`),
    index('collection_review_reason').on(table.review).where(sql`${table.review} IS NOT NULL`),
    index('collection_reason')
      .on(table.reason, table.openedAt, table.goodsMinor)
      .where(sql`${table.reason} IS NOT NULL`),
    // The last four digits of the phones. Without a comma, because the generator of migrations splits there.
    index('collection_payer_ending').on(sql`(${table.payer} % 10000)`),
    index('collection_dialler_ending').on(sql`(${table.dialler} % 10000)`).where(requestedByOther),
    index('collection_dialogue').on(table.dialogueId),
    check(
      'collection_requested_by',
      sql`(${table.requestedBy} = 'payer') = (${table.payer} = ${table.dialler})
        AND ${table.requestedBy} IN ('payer', 'attendant', 'other')`,
    ),
    check('collection_goods_positive', sql`${table.goodsMinor} > 0`),
  ],
);

/** Collections with work left: open, paid without a confirmation, or under review at the service. Literal, like `openStatusesText`. */
export const hasWorkLeft = sql.raw(
  `("collection"."status" IN ('accepted', 'created', 'initiating', 'initiated') OR ("collection"."status" = 'paid' AND "collection"."confirmed_at" IS NULL) OR ("collection"."status" = 'review' AND "collection"."awaits_service_since" IS NOT NULL))`,
);

/** Collections with a job, which are those with work left. Literal, like `openStatusesText`. */
export const hasJob = sql.raw(`"collection"."id" IN (SELECT "collection_id" FROM "job")`);

/**
 * The next step of each collection with work left (`isScheduled`): one row, and none for any other collection. A claim changes
 * this narrow row alone. A trigger keeps it while its collection has work left.
 */
export const job = sqliteTable(
  'job',
  {
    collectionId: text('collection_id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').$type<0 | 1>().notNull(),
    /** The most urgent first: 0 before the prompt, while the payer waits; 1 a payment to confirm; 2 any other poll. */
    urgency: integer('urgency').$type<0 | 1 | 2>().notNull(),
    openedAt: integer('opened_at').notNull(),
    /** When the next step is due; during a lease, when it ends. */
    nextAt: integer('next_at').notNull(),
    /** Until when a worker has the right to work on the collection. */
    leaseUntil: integer('lease_until').notNull(),
    /** Number of the lease. A write with an older number is rejected. */
    fence: integer('fence').notNull(),
    /**
     * The gateway that opened the collection or claimed it last. It knows when the END screen left. The others claim the
     * collection only when it is overdue. Null where one process writes the ledger.
     */
    home: text('home'),
    /** Claims since the last change of status, or since an event first reported a failure. */
    attempts: integer('attempts').notNull(),
  },
  (table) => [
    // Merchants are read apart, so that the backlog of one whose key is exhausted delays no other merchant.
    index('job_due').on(table.livemode, table.merchantId, table.nextAt),
    index('job_urgency').on(table.livemode, table.urgency, table.nextAt),
  ],
);

/** Facts of which a merchant's system can be notified. Literal, like `openStatusesText`. */
export const isNotifiedFact = sql.raw(
  `"fact"."kind" IN ('accepted', 'paid', 'confirmed', 'suspended', 'suspense_corrected', 'failed', 'expired', 'abandoned', 'review_opened', 'flagged', 'lapsed', 'decided', 'matched', 'refund_reported')`,
);

/** The facts of collections and of unplaced payments, in order. Append-only. */
export const fact = sqliteTable(
  'fact',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** The id of the collection or of the unplaced payment. */
    subjectId: text('subject_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    /** 1 for the first fact; equals the subject's version after this fact. */
    version: integer('version').notNull(),
    kind: text('kind').notNull(),
    /** JSON; its fields depend on the kind. */
    data: text('data').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    uniqueIndex('fact_version').on(table.subjectId, table.version),
    // For merchants' systems, which read the changes of their payments after a fact.
    index('fact_notified').on(table.merchantId, table.seq).where(isNotifiedFact),
  ],
);

/** One side of a booking. The postings of one booking sum to zero. */
export const posting = sqliteTable(
  'posting',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    /** The id of the collection or of the unplaced payment. */
    subjectId: text('subject_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    /** The subject's version after the facts that require the booking. */
    version: integer('version').notNull(),
    booking: text('booking').notNull(),
    account: text('account').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    uniqueIndex('posting_once').on(table.subjectId, table.version, table.booking, table.account),
    // Money arrives at most once: a subject has at most one of these two bookings, with one posting on `payers`.
    uniqueIndex('posting_closing_once')
      .on(table.subjectId)
      .where(sql`${table.booking} IN ('paid', 'suspense') AND ${table.account} = 'payers'`),
    // For the export of a day.
    index('posting_at').on(table.at),
    check('posting_not_zero', sql`${table.amountMinor} <> 0`),
  ],
);

/** The sum and the number of the sealed postings of an account. The block that seals a posting adds it. */
export const accountTotal = sqliteTable(
  'account_total',
  {
    account: text('account').notNull(),
    livemode: integer('livemode').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    postings: integer('postings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.livemode] })],
);

/** As `accountTotal`, for the postings of one business day. */
export const accountDayTotal = sqliteTable(
  'account_day_total',
  {
    /** Days since 1 January 1970, UTC. */
    day: integer('day').notNull(),
    account: text('account').notNull(),
    livemode: integer('livemode').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    postings: integer('postings').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.account, table.livemode] })],
);

/** The last turn and the last fact that the totals of hours and days include. One row. */
export const totalsMark = sqliteTable('totals_mark', {
  id: integer('id').primaryKey(),
  turnSeq: integer('turn_seq').notNull(),
  factSeq: integer('fact_seq').notNull(),
});

/** The payments that were opened in an hour or a day, by their present outcome. */
export const paymentTotal = sqliteTable(
  'payment_total',
  {
    unit: text('unit', { enum: ['hour', 'day'] }).notNull(),
    /** When the hour or the day begins, UTC. */
    start: integer('start').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    channel: text('channel').notNull(),
    network: text('network').notNull(),
    /** `waiting`, `paid`, `review`, or the reason why it is not paid. */
    outcome: text('outcome').notNull(),
    payments: integer('payments').notNull(),
    /** Payments whose prompt was requested. */
    prompted: integer('prompted').notNull(),
    priceMinor: integer('price_minor').notNull(),
    /** What payers were charged; 0 for every outcome but `paid`. */
    chargedMinor: integer('charged_minor').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.unit,
        table.start,
        table.merchantId,
        table.livemode,
        table.channel,
        table.network,
        table.outcome,
      ],
    }),
  ],
);

/** Counts of the dialogues that began in an hour or a day, as a whole and on each screen. */
export const screenTotal = sqliteTable(
  'screen_total',
  {
    unit: text('unit', { enum: ['hour', 'day'] }).notNull(),
    /** When the hour or the day begins, UTC. */
    start: integer('start').notNull(),
    merchantId: text('merchant_id').notNull(),
    channel: text('channel').notNull(),
    language: text('language').notNull(),
    /** Empty for the dialogue as a whole. */
    screen: text('screen').notNull(),
    /** What is counted, such as `shown`. */
    measure: text('measure').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.unit,
        table.start,
        table.merchantId,
        table.channel,
        table.language,
        table.screen,
        table.measure,
      ],
    }),
  ],
);

/** A block of the hash chain over facts, postings, turns, changes of settings and actions of support staff. */
export const seal = sqliteTable('seal', {
  number: integer('number').primaryKey(),
  /** The highest `seq` of each table up to this block, and the block's number of rows. */
  factSeq: integer('fact_seq').notNull(),
  postingSeq: integer('posting_seq').notNull(),
  turnSeq: integer('turn_seq').notNull(),
  settingSeq: integer('setting_seq').notNull(),
  actionSeq: integer('action_seq').notNull(),
  rows: integer('rows').notNull(),
  at: integer('at').notNull(),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
  /** The id of the key that signed the hash, and the signature; null when the gateway has no key. */
  keyId: text('key_id'),
  signature: text('signature'),
});

/** Verified webhook events, stored before they are acknowledged. The worker handles them. */
export const inbox = sqliteTable(
  'inbox',
  {
    merchantId: text('merchant_id').notNull(),
    eventId: text('event_id').notNull(),
    livemode: integer('livemode').notNull(),
    type: text('type').notNull(),
    sessionId: text('session_id'),
    /** The raw body, verbatim; empty when the event was handled and retention has deleted it. */
    body: text('body').notNull(),
    receivedAt: integer('received_at').notNull(),
    /**
     * `waiting` to be handled; `handled`; `parked` until its session is known; `hint`: a stale event that was handled; `dead`: failed
     * too often, or names no session.
     */
    state: text('state', { enum: ['waiting', 'handled', 'parked', 'hint', 'dead'] }).notNull(),
    /** When the event is due: at once, after a delay, or when its lease ends. Null unless it waits. */
    nextAt: integer('next_at'),
    /** Until when a process has the right to handle the event; 0 without a lease. */
    leaseUntil: integer('lease_until').notNull(),
    attempts: integer('attempts').notNull(),
    /** 1 when the signature is valid and its timestamp is old: the event is authentic and may be out of date. */
    stale: integer('stale').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.merchantId, table.eventId] }),
    index('inbox_due').on(table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    index('inbox_session').on(table.sessionId),
    // Covering index for the count, in the order of the list.
    index('inbox_unplaced')
      .on(table.receivedAt, table.type, table.merchantId, table.state)
      .where(sql`${table.state} IN ${unplacedEventStates}`),
    // For retention: bodies of handled events.
    index('inbox_bodies')
      .on(table.receivedAt)
      .where(sql`${table.body} <> '' AND ${table.state} IN ('handled', 'hint')`),
    check('inbox_due_while_waiting', sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`),
  ],
);

/** Unplaced payments that wait for a decision. Literal, like `openStatusesText`. */
export const isUnplacedOpen = sql.raw(`"unplaced_payment"."state" = 'open'`);

/**
 * Money that an event reports and no collection explains: the projection of its facts. While it is open, its amount is in
 * suspense.
 */
export const unplacedPayment = sqliteTable(
  'unplaced_payment',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    /** Null when the event names no payment session. */
    sessionId: text('session_id'),
    /** Number of the charge in its payment session: 1 is the payment of the session, 2 its second charge. */
    charge: integer('charge').notNull(),
    /** The event that first reported the money; null when a poll did. */
    eventId: text('event_id'),
    /** The type of the last event. */
    eventType: text('event_type').notNull(),
    /** `open`: no decision yet. `foreign`: money of another channel. `placed` and `returned` are final. */
    state: text('state', { enum: ['open', 'placed', 'returned', 'foreign'] }).notNull(),
    /** Number of recorded facts. Every write is guarded by it. */
    version: integer('version').notNull(),
    /** The amount that the payer was charged; null while no event states it. */
    amountMinor: integer('amount_minor'),
    /** The part that is in suspense now. */
    suspendedMinor: integer('suspended_minor').notNull(),
    /** The amounts, the payer and the payment as the event states them. */
    goodsMinor: integer('goods_minor'),
    feeMinor: integer('fee_minor'),
    netMinor: integer('net_minor'),
    payer: text('payer'),
    reference: text('reference'),
    clientTransId: text('client_trans_id'),
    channel: text('channel'),
    paidAt: text('paid_at'),
    /** Why no collection explains the money. */
    reason: text('reason').notNull(),
    /** The contradiction of a later event of the session; null without one. */
    note: text('note'),
    /** The collection that has the money; null unless the payment is placed. */
    collectionId: text('collection_id'),
    receivedAt: integer('received_at').notNull(),
    closedAt: integer('closed_at'),
    /** Time of the last fact. */
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    // The sessions of merchants are counted apart, because any holder of a webhook secret can report any session.
    uniqueIndex('unplaced_payment_session').on(
      table.sessionId,
      table.merchantId,
      table.livemode,
      table.charge,
    ),
    // Covering index for the sum of a list.
    index('unplaced_payment_received').on(table.receivedAt, table.suspendedMinor),
    index('unplaced_payment_open')
      .on(table.receivedAt, table.merchantId, table.suspendedMinor)
      .where(isUnplacedOpen),
    index('unplaced_payment_payer').on(table.payer).where(sql`${table.payer} IS NOT NULL`),
    index('unplaced_payment_reference').on(table.reference).where(sql`${table.reference} IS NOT NULL`),
    index('unplaced_payment_event').on(table.eventId).where(sql`${table.eventId} IS NOT NULL`),
    index('unplaced_payment_trans_id').on(table.clientTransId).where(sql`${table.clientTransId} IS NOT NULL`),
    check(
      'unplaced_payment_suspended',
      sql`${table.suspendedMinor} = CASE WHEN ${table.state} = 'open' THEN coalesce(${table.amountMinor}, 0) ELSE 0 END`,
    ),
    check('unplaced_payment_placed', sql`(${table.state} = 'placed') = (${table.collectionId} IS NOT NULL)`),
  ],
);

/**
 * A create call that is sent before the payer confirms, so that the screen can show the fee. The row is durable before
 * the call is sent. The collection that uses the quote sends the same bytes under the same key.
 */
export const quote = sqliteTable(
  'quote',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    dialogueId: text('dialogue_id').notNull(),
    createKey: text('create_key').notNull(),
    /** The exact bytes of the create call. */
    createBody: text('create_body').notNull(),
    requestedAt: integer('requested_at').notNull(),
    /** The session in the service's answer, as JSON; null until it answers. */
    session: text('session'),
    answeredAt: integer('answered_at'),
  },
  (table) => [index('quote_requested').on(table.requestedAt)],
);

/** Stands for all merchants in the settings of a dialler. No merchant has this id. */
export const everyMerchant = '*';

/** A dialler's settings for all later dialogues: the language at a merchant, the block of requests at all merchants. */
export const diallerSetting = sqliteTable(
  'dialler_setting',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    msisdn: text('msisdn').notNull(),
    /** The last chosen language. */
    language: text('language'),
    /** Since when this number accepts no requests from other phones; null while it accepts them. */
    optedOutAt: integer('opted_out_at'),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.livemode, table.msisdn] })],
);

/** Each value that a row of `dialler_setting` has had, in order. The last one equals the row. Append-only. */
export const diallerSettingChange = sqliteTable(
  'dialler_setting_change',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    msisdn: text('msisdn').notNull(),
    language: text('language'),
    optedOutAt: integer('opted_out_at'),
    at: integer('at').notNull(),
  },
  (table) => [
    index('dialler_setting_change_of').on(table.merchantId, table.livemode, table.msisdn, table.seq),
  ],
);

/** The actions of support staff, in order, with their author and content. Refused ones too. Append-only. */
export const staffAction = sqliteTable(
  'staff_action',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    at: integer('at').notNull(),
    /** The name of the person in the configuration. */
    actor: text('actor').notNull(),
    /** The operation, such as `note`. */
    action: text('action').notNull(),
    /** `refused` when the operation changed nothing; `detail` then has the reason. */
    result: text('result', { enum: ['done', 'refused'] }).notNull(),
    /** The kind of the action's subject, such as `collection`, and its id. */
    subjectKind: text('subject_kind').notNull(),
    subjectId: text('subject_id').notNull(),
    /** Null when the subject has no merchant. */
    merchantId: text('merchant_id'),
    livemode: integer('livemode').notNull(),
    /** JSON; its fields depend on the action. */
    detail: text('detail').notNull(),
  },
  (table) => [
    index('staff_action_subject').on(table.subjectId, table.seq),
    index('staff_action_actor').on(table.actor, table.seq),
    index('staff_action_action').on(table.action, table.seq),
    // For the bound of what a merchant's keys and people do. Partial, so that no query of blocks takes it instead of the subject's.
    index('staff_action_merchant')
      .on(table.merchantId, table.seq)
      .where(sql`${table.merchantId} IS NOT NULL`),
  ],
);

/** The statement of the service about a day of a merchant, as it was imported last. The audit has the digest of each import. */
export const serviceStatement = sqliteTable(
  'service_statement',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').$type<0 | 1>().notNull(),
    /** Such as `2026-03-06`. */
    date: text('date').notNull(),
    /** The digest of `lines`. */
    digest: text('digest').notNull(),
    /** JSON: the payment sessions with their times and amounts, in the order of their ids. */
    lines: text('lines').notNull(),
    importedBy: text('imported_by').notNull(),
    importedAt: integer('imported_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.livemode, table.date] })],
);

/**
 * A decision that one person proposes and another one approves. Only its state changes, once: triggers reject every other
 * change.
 */
export const proposal = sqliteTable(
  'proposal',
  {
    id: text('id').primaryKey(),
    subjectKind: text('subject_kind', { enum: ['collection', 'unplaced'] }).notNull(),
    subjectId: text('subject_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    outcome: text('outcome').notNull(),
    /** Why the author proposes it. */
    evidence: text('evidence').notNull(),
    /** The reference of the transfer that returned the money. */
    reference: text('reference'),
    /** The version of the subject that the author saw. The decision holds for no other one. */
    versionSeen: integer('version_seen').notNull(),
    /** The collection to match an unplaced payment with, and its version that the author saw. */
    targetId: text('target_id'),
    targetVersion: integer('target_version'),
    proposedBy: text('proposed_by').notNull(),
    proposedAt: integer('proposed_at').notNull(),
    state: text('state', { enum: ['open', 'approved', 'withdrawn', 'refused', 'expired'] }).notNull(),
    decidedBy: text('decided_by'),
    decidedAt: integer('decided_at'),
  },
  (table) => [
    // One open proposal per subject.
    uniqueIndex('proposal_open').on(table.subjectId).where(sql`${table.state} = 'open'`),
    index('proposal_subject').on(table.subjectId, table.proposedAt),
  ],
);

/**
 * Returns the condition that a row of the action `block` blocks its number at `now`: no later action has replaced or removed it, and it
 * has not ended by itself. Blocks have no table of their own, so that none can be removed without a trace.
 */
export function activeBlock(now: SQL): SQL {
  return sql`"block"."result" = 'done'
    AND coalesce(CAST("block"."detail" ->> '$.until' AS BIGINT) > ${now}, TRUE)
    AND NOT EXISTS (SELECT 1 FROM "staff_action" AS "later" WHERE "later"."subject_id" = "block"."subject_id"
      AND "later"."seq" > "block"."seq" AND "later"."action" IN ('block', 'unblock') AND "later"."result" = 'done'
      AND "later"."livemode" = "block"."livemode" AND "later"."merchant_id" IS NOT DISTINCT FROM "block"."merchant_id"
      AND "later"."detail" ->> '$.role' = "block"."detail" ->> '$.role')`;
}

/** Notification endpoints that get notifications. Literal, like `openStatusesText`. */
export const isEndpointActive = sql.raw(`"notification_endpoint"."disabled_at" IS NULL`);

/** An address of a merchant's own system that gets the merchant's notifications. */
export const notificationEndpoint = sqliteTable(
  'notification_endpoint',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    url: text('url').notNull(),
    /** 1 when notifications contain whole phone numbers. */
    wholePayer: integer('whole_payer').notNull(),
    /** The signing secret, encrypted. */
    secret: text('secret').notNull(),
    /** The secret before the last rotation, encrypted, and until when it signs too. */
    previousSecret: text('previous_secret'),
    previousUntil: integer('previous_until'),
    createdAt: integer('created_at').notNull(),
    /** Since when every delivery has failed; null after a success. */
    failingSince: integer('failing_since'),
    lastFailedAt: integer('last_failed_at'),
    /**
     * When notifications stopped: the endpoint answered 410, failed for days, was disabled by a person, or was removed. A removed
     * endpoint is not listed.
     */
    disabledAt: integer('disabled_at'),
    disabledReason: text('disabled_reason', { enum: ['gone', 'failing', 'person', 'removed'] }),
  },
  (table) => [
    index('notification_endpoint_active').on(table.merchantId, table.livemode).where(isEndpointActive),
    check(
      'notification_endpoint_disabled',
      sql`(${table.disabledAt} IS NULL) = (${table.disabledReason} IS NULL)`,
    ),
  ],
);

/** A key of a merchant's own system. The database has its digest only. */
export const merchantKey = sqliteTable(
  'merchant_key',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    digest: text('digest').notNull(),
    /** Separated by spaces. */
    scopes: text('scopes').notNull(),
    createdAt: integer('created_at').notNull(),
    /** To the minute; null before the first use. */
    lastUsedAt: integer('last_used_at'),
    revokedAt: integer('revoked_at'),
  },
  (table) => [uniqueIndex('merchant_key_digest').on(table.digest)],
);

/**
 * A request with which a merchant's own system changes something, so that a repeat gets the same answer. Deleted after some days.
 */
export const merchantRequest = sqliteTable(
  'merchant_request',
  {
    keyId: text('key_id').notNull(),
    /** The `Idempotency-Key` of the request, or the proof of a change by the key of the configuration. */
    idempotencyKey: text('idempotency_key').notNull(),
    /** Digest of the path and the body: another request with the same key is refused. */
    digest: text('digest').notNull(),
    /** JSON, encrypted when it has a secret; null while the request is carried out. */
    answer: text('answer'),
    at: integer('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.idempotencyKey] }),
    index('merchant_request_at').on(table.at),
  ],
);

/** A person who signs in to the console. */
export const account = sqliteTable(
  'account',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    role: text('role', { enum: ['agent', 'lead', 'finance', 'auditor', 'admin', 'merchant'] }).notNull(),
    /** The merchant of the role `merchant`; null for every other role. */
    merchantId: text('merchant_id'),
    /** The scrypt hash with its salt and parameters; null before the first use. */
    password: text('password'),
    /** The encrypted seed of the one-time passwords; null before the first use. */
    seed: text('seed'),
    /** The encrypted seed that is shown and not confirmed yet. */
    nextSeed: text('next_seed'),
    /** The time step of the newest accepted one-time password. It and earlier ones are rejected. */
    lastStep: integer('last_step').notNull(),
    /** The digest of the code for the first use, and when it ends. */
    codeDigest: text('code_digest'),
    codeUntil: integer('code_until'),
    /** The network of the newest sign-in, as a bucket of `sign_in_attempt`. */
    lastNetwork: integer('last_network'),
    createdAt: integer('created_at').notNull(),
    disabledAt: integer('disabled_at'),
    /** From when the person may decide about money, also after another role; null for an account that never could, or always could. */
    decidesFrom: integer('decides_from'),
  },
  (table) => [uniqueIndex('account_name').on(table.name)],
);

/** A sign-in session: a browser, the first use of an account, or a token of the command line. Ended ones are deleted. */
export const accountSession = sqliteTable(
  'account_session',
  {
    /** The digest of the cookie, or of the command line's token. */
    digest: text('digest').primaryKey(),
    /** Names the session on pages, which do not show the digest. */
    id: text('id').notNull(),
    accountId: text('account_id').notNull(),
    /** `setup` may only choose a password and one-time passwords; `command` is a token of the command line. */
    kind: text('kind', { enum: ['setup', 'full', 'command'] }).notNull(),
    createdAt: integer('created_at').notNull(),
    /** To the minute. */
    seenAt: integer('seen_at').notNull(),
    /** When the person last entered the password and a code. */
    confirmedAt: integer('confirmed_at').notNull(),
  },
  (table) => [index('account_session_account').on(table.accountId)],
);

/** A code that replaces a one-time password, once. A used one is deleted. */
export const recoveryCode = sqliteTable(
  'recovery_code',
  {
    accountId: text('account_id').notNull(),
    digest: text('digest').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.digest] })],
);

/** A key of a phone or computer that signs a person in without the password and a code. */
export const passkey = sqliteTable(
  'passkey',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** The name that the person gave it. */
    label: text('label').notNull(),
    /** The id that the authenticator gave it, in base64url. */
    credentialId: text('credential_id').notNull(),
    /** In the format of COSE, in base64url. */
    publicKey: text('public_key').notNull(),
    /** Grows with each signature; always 0 for authenticators that do not count. */
    counter: integer('counter').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null before the first use. */
    lastUsedAt: integer('last_used_at'),
  },
  (table) => [
    uniqueIndex('passkey_credential').on(table.credentialId),
    index('passkey_account').on(table.accountId),
  ],
);

/** Filters of the list of payments that a person gave a name. */
export const savedView = sqliteTable(
  'saved_view',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** Unique among those of the person. */
    name: text('name').notNull(),
    /** The filters as they stand in the URL. They contain no phone number. */
    query: text('query').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('saved_view_name').on(table.accountId, table.name)],
);

/**
 * Where a person gets alerts, with the one message that is on its way. Later news join that message, so the queue cannot grow.
 */
export const alertTarget = sqliteTable(
  'alert_target',
  {
    accountId: text('account_id').notNull(),
    kind: text('kind', { enum: ['webhook', 'mail'] }).notNull(),
    /** The URL of a webhook, or the address of a mailbox. */
    address: text('address').notNull(),
    /** The signing secret of a webhook, encrypted; null for a mailbox. */
    secret: text('secret'),
    /** 1 for each topic that the person wants. */
    proposals: integer('proposals').notNull(),
    mentions: integer('mentions').notNull(),
    alarms: integer('alarms').notNull(),
    /** The digest of the code that proves the address; null once it is proven. */
    codeDigest: text('code_digest'),
    /** The last action of support staff that was checked for alerts. */
    seenSeq: integer('seen_seq').notNull(),
    /** The codes of alarms that wait for the next message, as JSON. */
    alarmCodes: text('alarm_codes').notNull(),
    /** The message that is on its way, as JSON, and its identifier; null without one. */
    message: text('message'),
    messageId: text('message_id'),
    /** When the next attempt is due, or when the lease of the present one ends; null without a message. */
    nextAt: integer('next_at'),
    /** Failed attempts of the message. */
    tries: integer('tries').notNull(),
    /** Number of changes of the row. A write with an older number loses. */
    fence: integer('fence').notNull(),
    /** When a message arrived last, and why the last attempt failed; null without one. */
    sentAt: integer('sent_at'),
    problem: text('problem'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.kind] }),
    check('alert_target_due', sql`(${table.nextAt} IS NULL) = (${table.message} IS NULL)`),
  ],
);

/** A challenge that a passkey has signed, so that it is accepted once. Deleted after its end. */
export const usedChallenge = sqliteTable(
  'used_challenge',
  {
    /** The digest of the challenge. */
    digest: text('digest').primaryKey(),
    at: integer('at').notNull(),
  },
  (table) => [index('used_challenge_at').on(table.at)],
);

/** Wrong sign-ins. The number of buckets is bounded, so that a stranger cannot fill the table. */
export const signInAttempt = sqliteTable(
  'sign_in_attempt',
  {
    /** `name` counts by the name that was entered, `network` by the network of the browser. */
    kind: text('kind', { enum: ['name', 'network'] }).notNull(),
    /** Sixteen bits of the hash of the name or the network. */
    bucket: integer('bucket').notNull(),
    failures: integer('failures').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.bucket] })],
);

/** The delivery of one notification to one endpoint: what is sent, and its job. */
export const notification = sqliteTable(
  'notification',
  {
    endpointId: text('endpoint_id').notNull(),
    /** Identifies the change of the payment: the same at each endpoint and at each attempt. */
    eventId: text('event_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    type: text('type').notNull(),
    /** Null for a test of the endpoint. */
    collectionId: text('collection_id'),
    /** The exact bytes of the body. Every attempt sends these. */
    body: text('body').notNull(),
    at: integer('at').notNull(),
    state: text('state', { enum: ['waiting', 'delivered', 'failed', 'cancelled'] }).notNull(),
    /** When the next attempt is due, or when the lease of the present one ends; null when none is due. */
    nextAt: integer('next_at'),
    /** Number of the lease, and of attempts that were begun. */
    fence: integer('fence').notNull(),
    /** When the retry plan began, and its number of failed attempts. A resend starts it again. */
    plannedAt: integer('planned_at').notNull(),
    tries: integer('tries').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.endpointId, table.eventId] }),
    index('notification_due').on(table.endpointId, table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    index('notification_listed').on(table.endpointId, table.at, table.eventId),
    // For retention.
    index('notification_at').on(table.at),
    check(
      'notification_due_while_waiting',
      sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`,
    ),
  ],
);

/** One attempt to deliver a notification. An attempt that a crash interrupted is counted and has no row. */
export const notificationAttempt = sqliteTable(
  'notification_attempt',
  {
    endpointId: text('endpoint_id').notNull(),
    eventId: text('event_id').notNull(),
    number: integer('number').notNull(),
    startedAt: integer('started_at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** The HTTP status; null without a response. */
    status: integer('status'),
    /** Why there was no response; null with one. */
    error: text('error'),
    /** The beginning of the response's body. */
    answer: text('answer'),
  },
  (table) => [primaryKey({ columns: [table.endpointId, table.eventId, table.number] })],
);

/**
 * Times that never decrease. `dialogues`, `inbox`: retention may delete older data. `backup`: the last backup of a server.
 */
export const horizon = sqliteTable('horizon', {
  name: text('name', { enum: ['dialogues', 'inbox', 'backup'] }).primaryKey(),
  at: integer('at').notNull(),
});

/**
 * The restores of this file. A copy gets a row without `restoredAt` when it is made. A process that opens a file with such a
 * row for writing begins the recovery.
 */
export const restore = sqliteTable('restore', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** When the copy was made; null when the copy does not record it. */
  takenAt: integer('taken_at'),
  /** When the copy replaced the ledger, or when the gateway found that it had. */
  restoredAt: integer('restored_at'),
  /** Set in the transaction that marks the collections that were open in the copy. */
  begunAt: integer('begun_at'),
  /** Set when every collection that was open in the copy is resolved. */
  doneAt: integer('done_at'),
});

/** The identity of this ledger. The watermark beside a file, which is not copied, has the same id. */
export const ledgerFile = sqliteTable('ledger_file', {
  id: text('id').primaryKey(),
  /** On PostgreSQL, the server and database that wrote the ledger last. A copy elsewhere has another one. */
  cluster: text('cluster'),
});
