import type { z } from 'zod';
import type { testAnswer } from '../../../contract/endpoint.ts';
import type { resendOfCollectionInput } from '../../../contract/staff.ts';
import { notificationWrites } from '../../notify/notification-store.ts';
import { staffActionWrite } from '../action-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { unknownCollection } from './add-note.ts';
import { findEndpoint } from './endpoints.ts';

/** Sends a notification about a collection again, and records it with the collection. It is otherwise as `resend`. */
export async function resendOfCollection(
  deps: StaffDeps,
  { actor, id, input: { endpointId, eventId } }: StaffCall<z.infer<typeof resendOfCollectionInput>>,
): Promise<StaffAnswer<z.infer<typeof testAnswer>>> {
  const row = await deps.collections.find(id);
  if (!row) return unknownCollection(id);
  const found = await findEndpoint(deps, endpointId);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const notification = await notify.notifications.find({ endpointId, eventId });
  if (notification?.collectionId !== id)
    return refuse('not_found', `the endpoint has no event ${eventId} of this payment`);
  if (endpoint.disabledAt !== null) return refuse('conflict', 'the endpoint is disabled: enable it first');
  const { merchantId, livemode } = row;
  const now = deps.clock.now();
  const subject = { kind: 'collection', id, merchantId, livemode } as const;
  const detail = { type: notification.type, url: endpoint.url, endpoint: endpointId, event: eventId };
  const sent = await notify.endpoints.apply([
    notificationWrites.resend({ endpointId, eventId, now }),
    staffActionWrite({ actor, action: 'resend', subject, detail }, now),
  ]);
  if (!sent) return refuse('not_found', `the endpoint has no event ${eventId} of this payment`);
  notify.queue.expect();
  deps.onDue();
  return { ok: true, value: { endpointId, eventId } };
}
