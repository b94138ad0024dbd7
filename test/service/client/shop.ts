/*
 * A merchant's program on a client that is generated from the OpenAPI document. generated-client.test.ts compiles it
 * in a folder of its own, beside the generated types, and runs it against a service.
 */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

const body = {
  mode: 'offline',
  msisdn: '233244123901',
  amount_minor: 2_000,
  network: 'mtn',
  reference: 'INV-7',
} as const;
const header = { 'Idempotency-Key': 'order-7' };

const rejected = await client.POST('/v1/payments/sessions', {
  params: { header },
  body: { ...body, msisdn: '0244123901', reference: '' },
});
// The codes are a union: a misspelt one does not compile.
const faults = rejected.error?.error.faults?.map(({ code }) => code);
if (rejected.error?.error.code !== 'invalid_msisdn') throw new Error('the wrong number was not rejected');

const created = await client.POST('/v1/payments/sessions', { params: { header }, body });
if (created.error) throw new Error(created.error.error.message);
const path = { session_id: created.data.id };
const initiated = await client.POST('/v1/payments/sessions/{session_id}/initiate', {
  params: { path },
  body: {},
});
if (initiated.error) throw new Error(initiated.error.error.message);

let polls = 0;
let status = 'initiated';
for (let terminal = false; !terminal; polls++) {
  if (polls === 100) throw new Error(`the session is still ${status}`);
  const polled = await client.GET('/v1/payments/sessions/{session_id}/status', { params: { path } });
  if (polled.error) throw new Error(polled.error.error.message);
  ({ status, terminal } = polled.data);
  if (!terminal) await new Promise((resolve) => setTimeout(resolve, 50));
}

const events = await client.GET('/v1/events', { params: { query: { session_id: created.data.id } } });
// The type of an event selects its data.
const paid = events.data?.data.flatMap((event) =>
  event.type === 'payment.session.paid' ? [event.data.paid_minor] : [],
);
console.log(JSON.stringify({ faults, amount: created.data.amount_minor, status, paid }));
