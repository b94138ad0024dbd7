import type { z } from 'zod';
import type {
  DeliveryView,
  deliveryList,
  listDeliveriesInput,
  resendInput,
  testAnswer,
} from '../../../contract/endpoint.ts';
import type { NotificationType } from '../../../contract/notification.ts';
import {
  type Notification,
  type NotificationStore,
  notificationWrites,
} from '../../notify/notification-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { actionWrite, type EndpointReadDeps, findEndpoint } from './endpoints.ts';

/** Attempts that are listed of one notification. */
const maxAttempts = 5;

/** Lists what was sent to an endpoint, newest first, with the last attempts. */
export async function listDeliveries(
  deps: EndpointReadDeps,
  { id, input: { limit, after } }: StaffCall<z.infer<typeof listDeliveriesInput>>,
): Promise<StaffAnswer<z.infer<typeof deliveryList>>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notifications } = found.value.notify;
  const last = after === undefined ? undefined : await notifications.find({ endpointId: id, eventId: after });
  if (after !== undefined && !last)
    return refuse('not_found', `after: no event ${after}: use "next" of the previous page`);
  const rows = await notifications.list(id, limit + 1, last);
  const data = await Promise.all(rows.slice(0, limit).map((row) => viewDelivery(notifications, row)));
  return { ok: true, value: { data, next: rows.length > limit ? (data.at(-1)?.eventId ?? null) : null } };
}

/** Sends a notification again, in any state, with the same identifier and the same bytes. Its retry plan starts again. */
export async function resend(
  deps: StaffDeps,
  { actor, id, input: { eventId } }: StaffCall<z.infer<typeof resendInput>>,
): Promise<StaffAnswer<z.infer<typeof testAnswer>>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  if (endpoint.disabledAt !== null)
    return refuse(
      'conflict',
      'the endpoint is disabled: enable it with "dialtill merchant endpoints enable"',
    );
  const sent = await notify.endpoints.apply([
    notificationWrites.resend({ endpointId: id, eventId, now: deps.clock.now() }),
    actionWrite(deps, { actor, action: 'resend', endpoint, detail: { event: eventId } }),
  ]);
  if (!sent) return refuse('not_found', `the endpoint has no event ${eventId}`);
  notify.queue.expect();
  deps.onDue();
  return { ok: true, value: { endpointId: id, eventId } };
}

/** Returns a notification with its last attempts. */
export async function viewDelivery(
  store: Pick<NotificationStore, 'listAttempts'>,
  row: Notification,
): Promise<DeliveryView> {
  const { endpointId, eventId, state, nextAt, body } = row;
  const show = (at: number) => new Date(at).toISOString();
  const attempts = await store.listAttempts(row, maxAttempts);
  return {
    ...{ endpointId, eventId, state, body, type: row.type as NotificationType, paymentId: row.collectionId },
    at: show(row.at),
    nextAt: nextAt === null ? null : show(nextAt),
    attempts: attempts.map(({ number, startedAt, durationMs, status, error, answer }) => ({
      ...{ number, at: show(startedAt), durationMs, status, error, answer },
    })),
  };
}
