import type { z } from 'zod';
import type { NotificationType } from '../../../contract/merchant/notification.ts';
import {
  type DeliveryView,
  type deliveryList,
  listDeliveriesInput,
  type replayAnswer,
  replayInput,
  resendInput,
  type testAnswer,
} from '../../../contract/staff/merchant-system.ts';
import { resendOfCollectionInput } from '../../../contract/staff/staff.ts';
import { maxExcerptBytes } from '../../../shared/http/webhook-fetch.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import type { Write } from '../../../sqlite/store.ts';
import { actorWrites, staffActionWrite } from '../../access/action-store.ts';
import { can } from '../../access/permissions.ts';
import {
  type Notification,
  type NotificationStore,
  notificationWrites,
  replayWrite,
} from '../../notify/notification-store.ts';
import type { CollectionCursor } from '../../notify/replay-query.ts';
import {
  defineOperation,
  type EndpointReadDeps,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../operation.ts';
import { collectionSubject, endpointSubject, notificationsOff } from '../subjects.ts';
import { actionWrite, endpointAction, endpointDisabled, getNotify } from './endpoints.ts';

/** Attempts that are listed of one notification. */
const maxAttempts = 5;

/** Lists what was sent to an endpoint, newest first, with the last attempts. */
export const listDeliveries = defineOperation({
  route: 'GET /endpoints/:id/deliveries',
  permission: 'endpoints.read',
  input: listDeliveriesInput,
  subject: endpointSubject,
  async run(
    deps: EndpointReadDeps,
    { actor, id, input: { limit, after } },
  ): Promise<StaffAnswer<z.infer<typeof deliveryList>>> {
    const { notifications } = getNotify(deps);
    const last =
      after === undefined ? undefined : await notifications.find({ endpointId: id, eventId: after });
    if (after !== undefined && !last)
      return refuse('not_found', `after: no event ${after}: use "next" of the previous page`);
    const rows = await notifications.list(id, limit + 1, last);
    const data = await Promise.all(
      rows.slice(0, limit).map((row) => viewDelivery(notifications, row, can(actor, 'numbers.receive'))),
    );
    return { ok: true, value: { data, next: rows.length > limit ? (data.at(-1)?.eventId ?? null) : null } };
  },
});

type Sent = z.infer<typeof testAnswer>;

/** Sends a notification again, in any state, with the same identifier and body. Its retry plan starts again. */
export const resend = defineOperation({
  route: 'POST /endpoints/:id/resend',
  permission: 'endpoints.write',
  input: resendInput,
  subject: endpointSubject,
  async run(
    deps: StaffDeps,
    { actor, id, subject: endpoint, input: { eventId } },
  ): Promise<StaffAnswer<Sent>> {
    if (endpoint.disabledAt !== null) return endpointDisabled;
    const sent = await sendAgain(
      deps,
      { endpointId: id, eventId },
      actionWrite(deps, { actor, action: 'resend', endpoint, detail: { event: eventId } }),
    );
    return sent ?? refuse('not_found', `the endpoint has no event ${eventId}`);
  },
});

/** Sends a notification about a collection again, and records it with the collection. It is otherwise as `resend`. */
export const resendOfCollection = defineOperation({
  route: 'POST /collections/:id/resend',
  permission: 'payments.work',
  input: resendOfCollectionInput,
  subject: collectionSubject,
  async run(
    deps: StaffDeps,
    { actor, id, subject: { merchantId, livemode }, input: { endpointId, eventId } },
  ): Promise<StaffAnswer<Sent>> {
    const { notifications } = deps;
    if (!notifications) return notificationsOff;
    const unknown = refuse('not_found', `the endpoint has no event ${eventId} of this payment`);
    const notification = await notifications.notifications.find({ endpointId, eventId });
    const endpoint = await notifications.endpoints.find(endpointId);
    if (notification?.collectionId !== id || !endpoint || endpoint.disabledReason === 'removed')
      return unknown;
    if (endpoint.disabledAt !== null) return refuse('conflict', 'the endpoint is disabled: enable it first');
    const subject = { kind: 'collection', id, merchantId, livemode } as const;
    const detail = { type: notification.type, url: endpoint.url, endpoint: endpointId, event: eventId };
    const action = staffActionWrite({ actor, action: 'resend', subject, detail }, deps.clock.now());
    return (await sendAgain(deps, { endpointId, eventId }, action)) ?? unknown;
  },
});

async function sendAgain(deps: StaffDeps, sent: Sent, action: Write): Promise<StaffAnswer<Sent> | undefined> {
  const notify = getNotify(deps);
  const write = notificationWrites.resend({ ...sent, now: deps.clock.now() });
  if (!(await notify.endpoints.apply([write, action]))) return undefined;
  notify.queue.expect();
  deps.onDue();
  return { ok: true, value: sent };
}

/** Returns a notification with its last attempts; numbers in its body and the answers are masked unless `wholeNumbers`. */
export async function viewDelivery(
  store: Pick<NotificationStore, 'listAttempts'>,
  row: Notification,
  wholeNumbers: boolean,
): Promise<DeliveryView> {
  const { endpointId, eventId, state, nextAt, body } = row;
  const show = (at: number) => new Date(at).toISOString();
  const attempts = await store.listAttempts(row, maxAttempts);
  return {
    ...{
      endpointId,
      eventId,
      state,
      body: wholeNumbers ? body : maskNumbers(body),
      type: row.type as NotificationType,
      paymentId: row.collectionId,
    },
    at: show(row.at),
    nextAt: nextAt === null ? null : show(nextAt),
    attempts: attempts.map(({ number, startedAt, durationMs, status, error, answer }) => ({
      ...{ number, at: show(startedAt), durationMs, status },
      error: wholeNumbers || error === null ? error : maskNumbers(error),
      answer: wholeNumbers || answer === null ? answer : maskExcerpt(answer),
    })),
  };
}

/** Masks the beginning of a body: digits at its end can be of a number that was cut. */
function maskExcerpt(text: string): string {
  const masked = maskNumbers(text);
  const isCut = Buffer.byteLength(text) > maxExcerptBytes - 4;
  return isCut ? masked.replace(/[\d+][\d\s+()./-]*$/, '…') : masked;
}

/** Payments of one call. The caller continues with `next`. */
const pageSize = 50;

const maxSpanMs = 92 * 24 * 3_600_000;

/** Sends the notifications of payments in a range again, derived from the facts: also those that were never written. */
export const replayNotifications = defineOperation({
  route: 'POST /endpoints/:id/replay',
  permission: 'endpoints.write',
  input: replayInput,
  subject: endpointSubject,
  async run(
    deps: StaffDeps,
    { actor, id, input, subject: endpoint },
  ): Promise<StaffAnswer<z.infer<typeof replayAnswer>>> {
    const notify = getNotify(deps);
    if (endpoint.disabledAt !== null) return endpointDisabled;
    const [from, to] = [Date.parse(input.from), Date.parse(input.to)];
    if (from >= to || to - from > maxSpanMs)
      return refuse('invalid_request', 'to: expected a time after "from", at most 92 days later');
    const after = readCursor(input.after);
    if (after === null) return refuse('invalid_request', 'after: expected "next" of the previous call');
    const { merchantId, livemode, wholePayer } = endpoint;
    const page = { after, limit: pageSize + 1 };
    const opened = await notify.replays.listOpened({ merchantId, livemode, from, to }, page);
    const payments = opened.slice(0, pageSize);
    const events = (await Promise.all(payments.map((one) => notify.replays.eventsOf(one.id)))).flat();
    const now = deps.clock.now();
    const target = { endpointId: id, wholePayer: wholePayer === 1, now, undelivered: input.undelivered };
    const writes = events.map((event) => replayWrite(event, target));
    const detail = { from: input.from, to: input.to, undelivered: input.undelivered };
    const action = endpointAction({ actor, action: 'replay', endpoint, detail });
    // One action for the whole replay, whatever the cursor with which it begins.
    const isContinued = after !== undefined && (await notify.replays.isRecorded(action, now));
    writes.push(...(isContinued ? actorWrites(actor) : [staffActionWrite(action, now)]));
    await notify.endpoints.apply(writes);
    notify.queue.expect();
    deps.onDue();
    const last = opened.length > pageSize ? payments.at(-1) : undefined;
    const next = last ? `${last.openedAt}.${last.id}` : null;
    return { ok: true, value: { payments: payments.length, next } };
  },
});

/** Returns `undefined` without a cursor, and null for a text that is none. */
function readCursor(text: string | undefined): CollectionCursor | undefined | null {
  if (text === undefined) return undefined;
  const [, openedAt, id] = /^(\d{1,15})\.([a-z0-9_]{1,40})$/.exec(text) ?? [];
  return openedAt === undefined || id === undefined ? null : { openedAt: Number(openedAt), id };
}
