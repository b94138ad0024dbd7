import { and, asc, desc, eq, exists, getTableColumns, gt, isNotNull, lte, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
  rowParameters,
} from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { type MovedMerchants, noneMoved } from '../database/moved-merchants-query.ts';
import {
  isEndpointActive,
  notification,
  notificationAttempt,
  notificationEndpoint,
} from '../database/schema.ts';
import { type PaymentEvent, toNotificationBody } from './payment-events.ts';
import { maxWaitMs } from './retry-plan.ts';

export type Notification = typeof notification.$inferSelect;
export type NotificationAttempt = typeof notificationAttempt.$inferSelect;
export type NotificationKey = Pick<Notification, 'endpointId' | 'eventId'>;

/** How an attempt ended. `nextAt` is set exactly while the notification is `waiting`. */
export type NotificationOutcome = Pick<Notification, 'state' | 'nextAt' | 'tries'>;

/** An endpoint for which notifications wait. Those of a disabled one are to be cancelled. */
export type WaitingEndpoint = {
  endpointId: string;
  merchantId: string;
  firstDue: EpochMs;
  isActive: boolean;
};

export type NotificationStore = ReturnType<typeof notificationStore>;

const { placeholder } = sql;

const isKey = equals(notification, 'endpointId', 'eventId');

/** The values of a notification for each active endpoint of its merchant. */
const cells: Record<keyof Notification, SQL> = {
  endpointId: sql`${notificationEndpoint.id}`,
  eventId: parameter('eventId'),
  merchantId: parameter('merchantId'),
  livemode: parameter('livemode'),
  type: parameter('type'),
  collectionId: parameter('collectionId'),
  body: sql`CASE WHEN ${notificationEndpoint.wholePayer} = 1 THEN ${placeholder('wholeBody')} ELSE ${placeholder('maskedBody')} END`,
  at: parameter('at'),
  state: sql`'waiting'`,
  nextAt: parameter('now'),
  fence: sql`0`,
  plannedAt: parameter('now'),
  tries: sql`0`,
};
const columns = Object.keys(getTableColumns(notification)) as (keyof Notification)[];
const row = sql.join(
  columns.map((name) => cells[name]),
  sql`, `,
);

/** An event that an endpoint has already is not sent again. */
const notify = prepareWrite<Record<string, unknown>>(
  build
    .insert(notification)
    .select(
      sql`SELECT ${row} FROM ${notificationEndpoint} WHERE ${and(
        equals(notificationEndpoint, 'merchantId', 'livemode'),
        isEndpointActive,
      )}`,
    )
    .onConflictDoNothing(),
);

/** Returns the write that notifies the active endpoints of the merchant. Without one, it writes no row. */
export function notifyWrite(event: PaymentEvent): Write {
  const { id, type, at, collection } = event;
  const { merchantId, livemode } = collection;
  return notify({
    ...{ eventId: id, type, at, now: at, merchantId, livemode, collectionId: collection.id },
    wholeBody: toNotificationBody(event, true),
    maskedBody: toNotificationBody(event, false),
  });
}

const insert = insertRow(notification);

const restarted = {
  state: sql`'waiting'`,
  nextAt: sql`excluded.next_at`,
  plannedAt: sql`excluded.planned_at`,
  tries: sql`0`,
  // An attempt in flight does not count.
  fence: sql`${notification}.fence + 1`,
};

const values = rowParameters(notification);
const target = [notification.endpointId, notification.eventId];

const replayAll = prepareWrite<Notification>(
  build.insert(notification).values(values).onConflictDoUpdate({ target, set: restarted }),
);

const replayUndelivered = prepareWrite<Notification>(
  build
    .insert(notification)
    .values(values)
    .onConflictDoUpdate({
      target,
      set: restarted,
      setWhere: sql`${notification}.state IN ('failed', 'cancelled')`,
    }),
);

export type ReplayTarget = {
  endpointId: string;
  wholePayer: boolean;
  now: EpochMs;
  /** Only what the endpoint has not accepted, and does not wait for. */
  undelivered: boolean;
};

/** Returns the write that sends an event to one endpoint, for the first time or again. */
export function replayWrite(event: PaymentEvent, replayed: ReplayTarget): Write {
  const { id, type, at, collection } = event;
  const { endpointId, wholePayer, now, undelivered } = replayed;
  return (undelivered ? replayUndelivered : replayAll)({
    ...{
      endpointId,
      eventId: id,
      type,
      at,
      collectionId: collection.id,
      body: toNotificationBody(event, wholePayer),
    },
    ...{ merchantId: collection.merchantId, livemode: collection.livemode, state: 'waiting' },
    ...{ nextAt: now, plannedAt: now, fence: 0, tries: 0 },
  });
}

const limitDelays = prepareWrite<{ now: EpochMs; latest: EpochMs }>(
  build
    .update(notification)
    .set({ nextAt: parameter('now') })
    .where(gt(notification.nextAt, placeholder('latest'))),
);

const isFenced = and(isKey, equals(notification, 'fence'));

/** Another gateway can have planned a retry since the notification was listed. */
const claim = prepareWrite<NotificationKey & { fence: number; now: EpochMs; leaseUntil: EpochMs }>(
  build
    .update(notification)
    .set({ nextAt: parameter('leaseUntil'), fence: sql`${notification.fence} + 1` })
    .where(and(isFenced, lte(notification.nextAt, placeholder('now')))),
  1,
);

const finish = prepareWrite<NotificationKey & NotificationOutcome & { fence: number }>(
  build
    .update(notification)
    .set({
      state: parameter('state'),
      nextAt: parameter('nextAt'),
      tries: parameter('tries'),
    })
    .where(and(isFenced, isNotNull(notification.nextAt))),
  1,
);

const resend = prepareWrite<NotificationKey & { now: EpochMs }>(
  build
    .update(notification)
    .set({
      state: 'waiting',
      nextAt: parameter('now'),
      plannedAt: parameter('now'),
      tries: 0,
      // The attempt in flight does not count as the resend.
      fence: sql`${notification.fence} + 1`,
    })
    .where(isKey),
  1,
);

/** Applies only while the endpoint is disabled. */
const cancel = prepareWrite<NotificationKey>(
  build
    .update(notification)
    .set({ state: 'cancelled', nextAt: null })
    .where(
      and(
        isKey,
        isNotNull(notification.nextAt),
        sql`NOT ${exists(
          build
            .select({ one: sql`1` })
            .from(notificationEndpoint)
            .where(and(eq(notificationEndpoint.id, placeholder('endpointId')), isEndpointActive)),
        )}`,
      ),
    ),
);

const insertAttempt = insertRow(notificationAttempt);

const setAnswer = prepareWrite<NotificationKey & { number: number; answer: string }>(
  build
    .update(notificationAttempt)
    .set({ answer: parameter('answer') })
    .where(equals(notificationAttempt, 'endpointId', 'eventId', 'number')),
);

const find = prepareQuery(build.select().from(notification).where(isKey));

const listDue = prepareQuery(
  build
    .select()
    .from(notification)
    .where(
      and(
        equals(notification, 'endpointId'),
        isNotNull(notification.nextAt),
        lte(notification.nextAt, placeholder('now')),
      ),
    )
    .orderBy(asc(notification.nextAt))
    .limit(placeholder('limit')),
);

const listWaiting = prepareQuery(
  build
    .select({ endpointId: notification.endpointId, eventId: notification.eventId })
    .from(notification)
    .where(and(equals(notification, 'endpointId'), isNotNull(notification.nextAt)))
    .orderBy(asc(notification.nextAt))
    .limit(placeholder('limit')),
);

const firstDue = sql<EpochMs | null>`(SELECT min(${notification.nextAt}) FROM ${notification}
  WHERE ${notification.endpointId} = ${notificationEndpoint.id} AND ${notification.nextAt} IS NOT NULL)`;

const firstDues = prepareQuery(
  build
    .select({
      endpointId: notificationEndpoint.id,
      merchantId: notificationEndpoint.merchantId,
      disabledAt: notificationEndpoint.disabledAt,
      firstDue,
    })
    .from(notificationEndpoint)
    .where(equals(notificationEndpoint, 'livemode')),
);

export function notificationStore(store: Store, moved: MovedMerchants = noneMoved) {
  return {
    find: (key: NotificationKey): Promise<Notification | undefined> => find.get(store, key),
    /** Returns each endpoint for which notifications wait, and when the first one is due; the oldest first. */
    async listEndpoints(livemode: 0 | 1): Promise<WaitingEndpoint[]> {
      const found = await firstDues.all(store, { livemode });
      return found
        .flatMap(({ firstDue, disabledAt, ...endpoint }) =>
          firstDue === null || moved.has(endpoint.merchantId)
            ? []
            : [{ ...endpoint, firstDue, isActive: disabledAt === null }],
        )
        .sort((one, other) => one.firstDue - other.firstDue);
    },
    /** Returns notifications that wait, due or not, oldest first. */
    listWaiting: (endpointId: string, limit: number): Promise<NotificationKey[]> =>
      listWaiting.all(store, { endpointId, limit }),
    /** Returns the notifications of an endpoint, newest first. `before` is the last one of the page before. */
    list: (endpointId: string, limit: number, before?: Notification): Promise<Notification[]> =>
      store.read
        .select()
        .from(notification)
        .where(
          and(
            eq(notification.endpointId, endpointId),
            before && sql`(${notification.at}, ${notification.eventId}) < (${before.at}, ${before.eventId})`,
          ),
        )
        .orderBy(desc(notification.at), desc(notification.eventId))
        .limit(limit),
    listDue: (endpointId: string, now: EpochMs, limit: number): Promise<Notification[]> =>
      listDue.all(store, { endpointId, now, limit }),
    /** Returns the last attempts of a notification, newest first. */
    listAttempts: ({ endpointId, eventId }: NotificationKey, limit: number): Promise<NotificationAttempt[]> =>
      store.read
        .select()
        .from(notificationAttempt)
        .where(and(eq(notificationAttempt.endpointId, endpointId), eq(notificationAttempt.eventId, eventId)))
        .orderBy(desc(notificationAttempt.number))
        .limit(limit),
    apply: store.apply,
  };
}

export const notificationWrites = {
  /** Makes what a clock far ahead has postponed due now. */
  limitDelays: (now: EpochMs): Write => limitDelays({ now, latest: now + maxWaitMs }),
  insert,
  claim,
  finish,
  resend,
  cancel,
  insertAttempt,
  setAnswer,
};
