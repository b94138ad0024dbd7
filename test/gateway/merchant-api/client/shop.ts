/*
 * A merchant's program on a client that is generated from the OpenAPI document of the merchant API. generated-client.test.ts compiles it
 * in a folder of its own, beside the generated types, and runs it against a gateway.
 */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

/** Returns the header of a request that changes something. */
const once = (name: string) => ({ 'Idempotency-Key': name });

const page = await client.GET('/payments', { params: { query: { status: 'paid', limit: 10 } } });
if (page.error) throw new Error(page.error.error.message);
const [payment] = page.data.data;
if (!payment) throw new Error('no payment');

const note = await client.POST('/payments/{id}/notes', {
  params: { path: { id: payment.id }, header: once('note-1') },
  body: { text: 'Delivered' },
});
if (note.error) throw new Error(note.error.error.message);

const add = () =>
  client.POST('/endpoints', {
    params: { header: once('endpoint-1') },
    body: { url: 'https://shop.example/hooks', whole_payer: false },
  });
const [first, second] = [await add(), await add()];
if (first.error || second.error) throw new Error('the endpoint was not added');

const unknown = await client.GET('/payments/{id}', { params: { path: { id: 'col_1' } } });
const events = await client.GET('/events', { params: { query: { limit: 10 } } });
if (events.error) throw new Error(events.error.error.message);

console.log(
  JSON.stringify({
    price: payment.price_minor,
    note: note.data.text,
    isRepeated: first.data.endpoint.id === second.data.endpoint.id,
    unknown: unknown.error?.error.code,
    types: events.data.data.map(({ type }) => type),
  }),
);
