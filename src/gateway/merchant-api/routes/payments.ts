import {
  eventQuery,
  paymentEventPage,
  paymentPage,
  paymentQuery,
  timelineView,
} from '../../../contract/merchant/merchant-api.ts';
import {
  checked,
  noBody,
  noteBody,
  noted,
  replayBody,
  replayed,
} from '../../../contract/merchant/merchant-operations.ts';
import { payment } from '../../../contract/merchant/notification.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { type PaymentEvent, viewPayment } from '../../notify/payment-events.ts';
import { eventsOfCollection } from '../../notify/replay-query.ts';
import { addNote, checkNow } from '../../staff/operations/collections.ts';
import { replayNotifications } from '../../staff/operations/deliveries.ts';
import {
  answerWith,
  defineMerchantRoute,
  type MerchantAnswer,
  notFoundAnswer,
  unknownCursor,
} from '../define-route.ts';
import {
  firstEvent,
  lastEvent,
  listMerchantEvents,
  newestEventCursor,
  readEventCursor,
  readScreens,
  type SeenScreen,
} from '../event-query.ts';
import { findPayment, listPayments } from '../payment-query.ts';
import { findUnknownValue } from '../unknown-value.ts';

/** A key that reads masked numbers could find a whole one by trying the digits that the mask hides. */
const numberNeedsScope: MerchantAnswer = {
  ok: false,
  code: 'scope_required',
  message: 'reference: to search for a phone number, the key needs the scope payers:read',
};

export const paymentRoutes = [
  defineMerchantRoute({
    name: 'GET /payments',
    operationId: 'listPayments',
    summary: 'Lists payments, newest first.',
    tag: 'payments',
    needs: 'payments:read',
    query: paymentQuery,
    answer: paymentPage,
    async read({ store, channelIds }, { owner, wholePayer, query }) {
      const { limit, after, from, to, late, ...equal } = query;
      if (!wholePayer && maskNumbers(query.reference ?? '') !== (query.reference ?? ''))
        return numberNeedsScope;
      const filter = {
        ...equal,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        late: late === undefined ? undefined : late === 'true',
      };
      const found = await listPayments(store, owner, filter, { limit, after });
      if (!found) return unknownCursor;
      const message =
        found.rows.length > 0 ? undefined : await findUnknownValue(store, owner, filter, channelIds);
      if (message !== undefined) return { ok: false, code: 'invalid_request', message };
      const data = found.rows.map((row) => viewPayment(row, { wholePayer }));
      return { ok: true, value: { data, next: found.next } };
    },
  }),
  defineMerchantRoute({
    name: 'GET /payments/:id',
    operationId: 'getPayment',
    summary: 'Returns a payment.',
    tag: 'payments',
    needs: 'payments:read',
    answer: payment,
    async read({ store }, { owner, id, wholePayer }) {
      const row = await findPayment(store, owner, id);
      return row ? { ok: true, value: viewPayment(row, { wholePayer }) } : notFoundAnswer('payment', id);
    },
  }),
  defineMerchantRoute({
    name: 'POST /payments/:id/check',
    operationId: 'checkPayment',
    summary: 'Asks the payment service for the status now. It never charges.',
    tag: 'payments',
    needs: 'payments:write',
    body: noBody,
    answer: checked,
    async run({ operations }, { id, actor }) {
      const answer = await checkNow(operations, { actor, id });
      return answerWith(
        answer,
        ({ status, pollAt }) => ({ payment: id, status, poll_at: pollAt }),
        notFoundAnswer('payment', id),
      );
    },
  }),
  defineMerchantRoute({
    name: 'POST /payments/:id/notes',
    operationId: 'addNote',
    summary: 'Adds a note that support staff reads.',
    tag: 'payments',
    needs: 'payments:write',
    body: noteBody,
    answer: noted,
    async run({ operations }, { id, actor, body }) {
      const answer = await addNote(operations, { actor, id, input: body });
      return answerWith(answer, ({ at, text }) => ({ payment: id, at, text }), notFoundAnswer('payment', id));
    },
  }),
];

const unknownEvent: MerchantAnswer = {
  ok: false,
  code: 'invalid_request',
  message:
    'after: expected "next" of a page, or the id of the last event that you have processed; cursors that are only a number are of an earlier version',
};

export const paymentEventRoutes = [
  defineMerchantRoute({
    name: 'GET /payments/:id/timeline',
    operationId: 'getTimeline',
    summary: 'Returns the events of a payment, oldest first, and the screens of its dialogue.',
    tag: 'payments',
    needs: 'events:read',
    answer: timelineView,
    async read({ store }, { owner, id, wholePayer, seesScreens }) {
      const payment = await findPayment(store, owner, id);
      if (!payment) return notFoundAnswer('payment', id);
      const events = await eventsOfCollection(store, id);
      const screens = seesScreens ? await readScreens(store, payment.dialogueId) : null;
      return {
        ok: true,
        value: {
          data: events.map((event) => viewEvent(event, wholePayer)),
          screens: screens?.map((screen) => viewScreen(screen, wholePayer)) ?? null,
        },
      };
    },
  }),
  defineMerchantRoute({
    name: 'GET /events',
    operationId: 'listEvents',
    summary: 'Lists events in the order in which they were recorded, to catch up after an outage.',
    tag: 'payments',
    needs: 'events:read',
    query: eventQuery,
    readsFacts: true,
    answer: paymentEventPage,
    async read({ store, settledFact }, { owner, wholePayer, query: { limit, after } }) {
      if (after === lastEvent) {
        const next = await newestEventCursor(store, owner, settledFact);
        return { ok: true, value: { data: [], next } };
      }
      const cursor = after ?? firstEvent;
      const start = await readEventCursor(store, owner, cursor);
      if (start === undefined) return unknownEvent;
      const { events, next = cursor } = await listMerchantEvents(store, owner, {
        ...{ after: start, end: settledFact, limit },
      });
      const data = events.map((event) => viewEvent(event, wholePayer));
      return { ok: true, value: { data, next } };
    },
  }),
  defineMerchantRoute({
    name: 'POST /events/replay',
    operationId: 'replayEvents',
    summary: 'Sends the notifications of a range of payments to an endpoint again, page by page.',
    tag: 'endpoints',
    needs: 'endpoints:write',
    body: replayBody,
    answer: replayed,
    async run({ operations }, { actor, body }) {
      const { endpoint: id, failed_only: undelivered, ...range } = body;
      const answer = await replayNotifications(operations, { actor, id, input: { ...range, undelivered } });
      return answerWith(answer, (page) => page, notFoundAnswer('endpoint', id));
    },
  }),
];

function viewScreen({ at, input, text, ends }: SeenScreen, wholePayer: boolean) {
  const shown = (words: string) => (wholePayer ? words : maskNumbers(words));
  return {
    at: new Date(at).toISOString(),
    input: input === null ? null : shown(input),
    text: shown(text),
    ends,
  };
}

function viewEvent({ id, type, at, collection }: PaymentEvent, wholePayer: boolean) {
  return { id, type, timestamp: new Date(at).toISOString(), data: viewPayment(collection, { wholePayer }) };
}
