import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/*
 * The gateway's tables. Amounts are integer pesewas, times integer UTC milliseconds, numbers 12-digit MSISDNs,
 * structured values JSON text. `turn`, `fact`, `posting` and `seal` are append-only: triggers refuse UPDATE and
 * DELETE, but for turns that are older than the horizon. Every table is STRICT (checked after each migration).
 */

/** One screen shown to a payer. The last turn of a session is its state; the rows are support's replay. */
export const turn = sqliteTable(
  'turn',
  {
    channel: text('channel').notNull(),
    session: text('session').notNull(),
    /** Counts within the aggregator's session, over all its dialogues: the key settles repeats and races. */
    sequence: integer('sequence').notNull(),
    dialogueId: text('dialogue_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    dialler: text('dialler').notNull(),
    operator: text('operator').notNull(),
    /** What the payer typed to get here; null on the first screen of a dial without suffix. */
    input: text('input'),
    /** The request's cumulative text, or the aggregator's mark of it: tells a repeat from a step. */
    position: text('position'),
    /** The number that would pay, as things stand; null while it is the dialler's. */
    payer: text('payer'),
    /** A session or traffic id by which the aggregator's payment side knows this session. */
    ussdRef: text('ussd_ref'),
    /** How the aggregator said that the session ended; such a row asks for no screen. */
    ending: text('ending'),
    /** JSON of the menu's state after this turn. */
    state: text('state').notNull(),
    reply: text('reply', { enum: ['continue', 'end'] }).notNull(),
    screen: text('screen').notNull(),
    /** The collection that this turn opened or showed. */
    collectionId: text('collection_id'),
    at: integer('at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channel, table.session, table.sequence] }),
    index('turn_dialogue').on(table.dialogueId),
    index('turn_dialler').on(table.dialler, table.at),
    // For the one that deletes: it never looks at what is younger than the horizon.
    index('turn_at').on(table.at),
  ],
);

/** As the partial index has it: a query that says it in the same words can use the index. */
export const openStatuses = sql.raw(`('accepted', 'created', 'initiating', 'initiated')`);

/** Declined by a payer whom another phone had asked, as the partial indexes have it: see `openStatuses`. */
export const declinedForOther = sql.raw(
  `"collection"."status" = 'failed' AND "collection"."reason" = 'declined' AND "collection"."payer" <> "collection"."dialler"`,
);

/** Of events that no collection answers for, as the partial index has it: see `openStatuses`. */
export const unmatchedStates = sql.raw(`('parked', 'dead')`);

/** The projection of a collection's facts, and its own job: due exactly while it is open. */
export const collection = sqliteTable(
  'collection',
  {
    id: text('id').primaryKey(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    status: text('status').notNull(),
    /** Facts recorded so far; every write is guarded by it. */
    version: integer('version').notNull(),
    channel: text('channel').notNull(),
    dialogueId: text('dialogue_id').notNull(),
    dialler: text('dialler').notNull(),
    payer: text('payer').notNull(),
    network: text('network').notNull(),
    reference: text('reference').notNull(),
    /** Eight digits that a payer can read out. */
    shortReference: text('short_reference').notNull(),
    /** The collection that was asked for again: final and unpaid when this one was opened. */
    retryOf: text('retry_of'),
    goodsMinor: integer('goods_minor').notNull(),
    /** Goods and fee as the screen named them when the payer agreed; null when it named no fee. */
    shownTotalMinor: integer('shown_total_minor'),
    /** Null until the service quoted them. */
    amountMinor: integer('amount_minor'),
    feeMinor: integer('fee_minor'),
    netMinor: integer('net_minor'),
    /** Where money that arrived is: `paid`, `suspense`, or where a person has moved it. Null while none did. */
    booked: text('booked'),
    /** Where the booked amounts come from: `quote` (poll) or `webhook`. */
    amountSource: text('amount_source'),
    createKey: text('create_key').notNull(),
    /** The exact bytes of the create call; every retry sends these. */
    createBody: text('create_body').notNull(),
    initiateKey: text('initiate_key').notNull(),
    sessionId: text('session_id'),
    openedAt: integer('opened_at').notNull(),
    /** The prompt is not asked for before this time: the USSD session must be gone from the handset. */
    promptNotBefore: integer('prompt_not_before').notNull(),
    /** The prompt is not asked for after this time. */
    promptDeadline: integer('prompt_deadline').notNull(),
    /** Won by compare-and-set before the call that moves money. */
    initiateSentAt: integer('initiate_sent_at'),
    initiateSends: integer('initiate_sends').notNull(),
    /** The service's code for refusing an initiate, until a poll shows what that means. */
    initiateRejection: text('initiate_rejection'),
    initiatedAt: integer('initiated_at'),
    /** The service's own statement, verbatim. */
    paidAt: text('paid_at'),
    closedAt: integer('closed_at'),
    /** 1 when the proof of payment came after our own deadline. */
    late: integer('late').notNull(),
    /** Set when the payer had long enough: a display state, no evidence. Frees the payer for a new collection. */
    lapsedAt: integer('lapsed_at'),
    /**
     * Set when it was open in a copy that was restored: what happened since is not known here, and it is not prompted
     * any more. Null again once the service has said that a prompt is out.
     */
    restoredAt: integer('restored_at'),
    /** Why it ended, or why a person must look. */
    reason: text('reason'),
    /** Set while a person must look at it, whatever the status. */
    review: text('review'),
    nextAt: integer('next_at'),
    leaseUntil: integer('lease_until').notNull(),
    fence: integer('fence').notNull(),
    /** Tries since the last progress, for backoff. */
    attempts: integer('attempts').notNull(),
    /** Time of the last fact; the next one is never earlier. */
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('collection_session').on(table.sessionId),
    uniqueIndex('collection_open_payer')
      .on(table.merchantId, table.payer, table.livemode)
      .where(sql`${table.status} IN ${openStatuses} AND ${table.lapsedAt} IS NULL`),
    // The short reference first: support looks for it without knowing the merchant.
    uniqueIndex('collection_short_reference').on(table.shortReference, table.merchantId, table.livemode),
    uniqueIndex('collection_retry_of').on(table.retryOf),
    index('collection_due').on(table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    // Whole, so that the limits of one payer are never counted among all payments of a merchant.
    index('collection_payer').on(table.payer, table.merchantId, table.livemode, table.openedAt),
    index('collection_dialler').on(table.dialler, table.merchantId, table.livemode, table.openedAt),
    index('collection_merchant').on(table.merchantId, table.livemode, table.openedAt),
    // Few rows each, however much an attendant asks for in a day.
    index('collection_declined_payer').on(table.payer, table.closedAt).where(declinedForOther),
    index('collection_declined_dialler').on(table.dialler, table.closedAt).where(declinedForOther),
    index('collection_reference').on(table.reference),
    index('collection_dialogue').on(table.dialogueId),
    check(
      'collection_due_while_open',
      sql`(${table.nextAt} IS NOT NULL) = (${table.status} IN ${openStatuses})`,
    ),
    check('collection_goods_positive', sql`${table.goodsMinor} > 0`),
  ],
);

/** What happened to a collection, by whom, in order. */
export const fact = sqliteTable(
  'fact',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    collectionId: text('collection_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    /** 1 for the first fact of its collection; equals the collection's version after it. */
    version: integer('version').notNull(),
    kind: text('kind').notNull(),
    /** JSON, by kind. */
    data: text('data').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [uniqueIndex('fact_version').on(table.collectionId, table.version)],
);

/** One side of a booking. The postings of one booking sum to zero. */
export const posting = sqliteTable(
  'posting',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    collectionId: text('collection_id').notNull(),
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    booking: text('booking').notNull(),
    account: text('account').notNull(),
    amountMinor: integer('amount_minor').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [
    uniqueIndex('posting_once').on(table.collectionId, table.booking, table.account),
    // The payer's side exists in the two bookings that close a collection; it may exist once.
    uniqueIndex('posting_closing_once')
      .on(table.collectionId)
      .where(sql`${table.booking} IN ('paid', 'suspense') AND ${table.account} = 'payers'`),
    index('posting_account').on(table.account),
    check('posting_not_zero', sql`${table.amountMinor} <> 0`),
  ],
);

/** A block of the hash chain over facts and postings. */
export const seal = sqliteTable('seal', {
  number: integer('number').primaryKey(),
  /** Highest `fact.seq` and `posting.seq` that the block covers, and how many rows it holds. */
  factSeq: integer('fact_seq').notNull(),
  postingSeq: integer('posting_seq').notNull(),
  rows: integer('rows').notNull(),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
  at: integer('at').notNull(),
});

/** Verified webhook events, stored before they are answered; handling happens in the worker. */
export const inbox = sqliteTable(
  'inbox',
  {
    merchantId: text('merchant_id').notNull(),
    eventId: text('event_id').notNull(),
    livemode: integer('livemode').notNull(),
    type: text('type').notNull(),
    sessionId: text('session_id'),
    /** The raw body, verbatim; empty once it is older than the horizon and was handled. */
    body: text('body').notNull(),
    receivedAt: integer('received_at').notNull(),
    /**
     * `waiting` to be handled, `handled`, `parked` until its session is known, `hint` (stale, and looked at),
     * `dead` after too many tries, or when it names no session to look for.
     */
    state: text('state', { enum: ['waiting', 'handled', 'parked', 'hint', 'dead'] }).notNull(),
    nextAt: integer('next_at'),
    leaseUntil: integer('lease_until').notNull(),
    attempts: integer('attempts').notNull(),
    /** 1 when it was signed well and at another time: it proves that something happened, and not what holds now. */
    stale: integer('stale').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.merchantId, table.eventId] }),
    index('inbox_due').on(table.nextAt).where(sql`${table.nextAt} IS NOT NULL`),
    index('inbox_session').on(table.sessionId),
    // Whole for the one that counts, and in the order in which people read.
    index('inbox_unmatched')
      .on(table.receivedAt, table.type, table.merchantId, table.state)
      .where(sql`${table.state} IN ${unmatchedStates}`),
    // For the one that empties: bodies that nobody needs to read again.
    index('inbox_bodies')
      .on(table.receivedAt)
      .where(sql`${table.body} <> '' AND ${table.state} IN ('handled', 'hint')`),
    check('inbox_due_while_waiting', sql`(${table.nextAt} IS NOT NULL) = (${table.state} = 'waiting')`),
  ],
);

/**
 * A create call that was made before the payer agreed, so that the screen can name the fee. The row is durable before
 * the call goes out; the collection that comes of it sends the same bytes under the same key.
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
    /** JSON of the session that the service answered with; null while it has not. */
    session: text('session'),
    answeredAt: integer('answered_at'),
  },
  (table) => [index('quote_requested').on(table.requestedAt)],
);

/** What a dialler has chosen at a merchant, kept from one dialogue to the next. */
export const diallerSetting = sqliteTable(
  'dialler_setting',
  {
    merchantId: text('merchant_id').notNull(),
    livemode: integer('livemode').notNull(),
    msisdn: text('msisdn').notNull(),
    /** The language chosen last. */
    language: text('language'),
    /** Since when this number takes no requests from other phones; null while it takes them. */
    closedAt: integer('closed_at'),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.merchantId, table.livemode, table.msisdn] })],
);

/** Up to when old rows may go: dialogues whole, and the bodies of events. It never goes back. */
export const horizon = sqliteTable('horizon', {
  name: text('name', { enum: ['dialogues', 'inbox'] }).primaryKey(),
  at: integer('at').notNull(),
});

/**
 * Each time that this file was a copy. A copy carries a row without `restoredAt` from its making; whoever opens such a
 * file to write begins the recovery.
 */
export const restore = sqliteTable('restore', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** When the copy was made; null when nothing in it says so. */
  takenAt: integer('taken_at'),
  /** When it took the place of the ledger, as the command or the gateway that found it there says. */
  restoredAt: integer('restored_at'),
  /** What was open in it has been marked, in the same transaction. */
  begunAt: integer('begun_at'),
  /** Everything that was open in it has been answered for. */
  doneAt: integer('done_at'),
});

/** Who this file is. Its watermark on the disk, which no copy takes along, has the same name. */
export const ledgerFile = sqliteTable('ledger_file', { id: text('id').primaryKey() });
