import { z } from 'zod';
import {
  eventPage,
  eventQuery,
  type MerchantScope,
  paymentPage,
  paymentQuery,
  timeline,
} from '../../contract/merchant-api.ts';
import { payment } from '../../contract/notification.ts';
import type { Store } from '../../sqlite/store.ts';
import type { PaymentEvent } from '../notify/payment-events.ts';
import { eventsOfCollection } from '../notify/replay-query.ts';
import { viewPayment } from '../notify/view-payment.ts';
import { listEvents, readEventCursor } from './event-query.ts';
import { findPayment, listPayments, type Owner } from './payment-query.ts';

/** One call: whose payments it may see, the id in the path, and whether it may see whole numbers. */
export type MerchantCall = { owner: Owner; id: string; wholePayer: boolean };

export type MerchantAnswer =
  | { ok: true; value: object }
  | { ok: false; code: 'invalid_request' | 'not_found'; message: string };

/** A route: what is served and what is documented come from the same place. */
export type MerchantRoute = {
  /** Below `/merchant/v1`; an id in the path is called `{id}`. */
  path: string;
  operationId: string;
  summary: string;
  scope: MerchantScope;
  query: z.ZodObject;
  answer: { name: string; schema: z.ZodType };
  run(store: Store, call: MerchantCall, query: unknown): Promise<MerchantAnswer>;
};

/** Creates a route whose `run` gets the validated query. */
function createRoute<Query extends z.ZodObject>(
  route: Omit<MerchantRoute, 'query' | 'run'> & {
    query: Query;
    run(store: Store, call: MerchantCall, query: z.infer<Query>): Promise<MerchantAnswer>;
  },
): MerchantRoute {
  return { ...route, run: (store, call, query) => route.run(store, call, route.query.parse(query)) };
}

const noQuery = z.strictObject({});

const unknownPayment = (id: string): MerchantAnswer => ({
  ok: false,
  code: 'not_found',
  message: `no payment ${id}`,
});

const unknownCursor: MerchantAnswer = {
  ok: false,
  code: 'invalid_request',
  message: 'after: expected "next" of the previous page',
};

/** Every route of merchants' own systems. */
export const merchantRoutes: readonly MerchantRoute[] = [
  createRoute({
    path: '/payments',
    operationId: 'listPayments',
    summary: 'Lists payments, newest first.',
    scope: 'payments:read',
    query: paymentQuery,
    answer: { name: 'PaymentPage', schema: paymentPage },
    async run(store, { owner, wholePayer }, { limit, after, from, to, status, reference }) {
      const last = after === undefined ? undefined : await findPayment(store, owner, after);
      if (after !== undefined && !last) return unknownCursor;
      const filter = { from: timeOf(from), to: timeOf(to), status, reference };
      const rows = await listPayments(store, owner, filter, { limit: limit + 1, after: last });
      const data = rows.slice(0, limit).map((row) => viewPayment(row, { wholePayer }));
      return { ok: true, value: { data, next: rows.length > limit ? (data.at(-1)?.id ?? null) : null } };
    },
  }),
  createRoute({
    path: '/payments/{id}',
    operationId: 'getPayment',
    summary: 'Returns a payment.',
    scope: 'payments:read',
    query: noQuery,
    answer: { name: 'Payment', schema: payment },
    async run(store, { owner, id, wholePayer }) {
      const row = await findPayment(store, owner, id);
      return row ? { ok: true, value: viewPayment(row, { wholePayer }) } : unknownPayment(id);
    },
  }),
  createRoute({
    path: '/payments/{id}/timeline',
    operationId: 'getTimeline',
    summary: 'Returns the events of a payment, oldest first.',
    scope: 'events:read',
    query: noQuery,
    answer: { name: 'Timeline', schema: timeline },
    async run(store, { owner, id, wholePayer }) {
      if (!(await findPayment(store, owner, id))) return unknownPayment(id);
      const events = await eventsOfCollection(store, id);
      return { ok: true, value: { data: events.map((event) => viewEvent(event, wholePayer)) } };
    },
  }),
  createRoute({
    path: '/events',
    operationId: 'listEvents',
    summary: 'Lists events in the order in which they were recorded, to catch up after an outage.',
    scope: 'events:read',
    query: eventQuery,
    answer: { name: 'EventPage', schema: eventPage },
    async run(store, { owner, wholePayer }, { limit, after }) {
      const start = after === undefined ? 0 : await readEventCursor(store, owner, after);
      if (start === undefined) return unknownCursor;
      const { events, next } = await listEvents(store, owner, { after: start, limit });
      const data = events.map((event) => viewEvent(event, wholePayer));
      return { ok: true, value: { data, next: String(next) } };
    },
  }),
];

function viewEvent({ id, type, at, collection }: PaymentEvent, wholePayer: boolean) {
  return { id, type, timestamp: new Date(at).toISOString(), data: viewPayment(collection, { wholePayer }) };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
