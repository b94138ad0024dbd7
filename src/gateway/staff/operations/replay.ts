import type { z } from 'zod';
import { type replayAnswer, replayInput } from '../../../contract/staff/endpoint.ts';
import { actorWrites, staffActionWrite } from '../../access/action-store.ts';
import { replayWrite } from '../../notify/notification-store.ts';
import type { CollectionCursor } from '../../notify/replay-query.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { endpointSubject } from '../subjects.ts';
import { endpointAction, endpointDisabled, getNotify } from './endpoints.ts';

/** Payments of one call. The caller continues with `next`. */
const pageSize = 50;

const maxSpanMs = 92 * 24 * 3_600_000;

/**
 * Sends the notifications of the payments that were opened in a range again, also those that were never written, because the
 * endpoint was disabled or did not exist. They are derived from the facts, and have their first identifiers.
 */
export const replay = defineOperation({
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
