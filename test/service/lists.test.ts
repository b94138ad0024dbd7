import { expect, test } from 'vitest';
import { z } from 'zod';
import { servedDocument } from '../kit/api-document.ts';
import { ask } from './admin-client.ts';
import { json, openMerchant } from './support.ts';

type Schema = { type?: string; $ref?: string; properties?: Record<string, Schema>; required?: string[] };
type Operation = {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Lists that have few rows by their nature, and one page. */
const onePage = ['listFees'];

/** Resources that contain short lists. They are no lists. */
const records = ['findSession', 'getDelivery', 'getOwnDelivery'];

test('every list of the API has the same shape and pages', async () => {
  const api: Document = JSON.parse(await servedDocument());
  const resolve = (schema: Schema | undefined): Schema =>
    schema?.$ref ? resolve(api.components.schemas[schema.$ref.split('/').at(-1) ?? '']) : (schema ?? {});
  const lists = Object.values(api.paths).flatMap(({ get }) => {
    const schema = resolve(get?.responses['200']?.content?.['application/json']?.schema);
    const parts = Object.values(schema.properties ?? {}).map(resolve);
    const isList = get?.operationId.startsWith('list') || parts.some(({ type }) => type === 'array');
    return get && isList && !records.includes(get.operationId) ? [{ get, schema }] : [];
  });
  expect(lists.length).toBeGreaterThan(13);
  for (const { get, schema } of lists) {
    const { operationId, parameters = [] } = get;
    expect(Object.keys(schema.properties ?? {}), operationId).toEqual(['data', 'has_more', 'next_cursor']);
    expect(schema.required, operationId).toEqual(['data', 'has_more', 'next_cursor']);
    const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name);
    const expected = onePage.includes(operationId) ? [] : ['limit', 'cursor'];
    expect(query, operationId).toEqual(expect.arrayContaining(expected));
  }
});

const pageSchema = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

test('the pages of a list contain each row once', async () => {
  const { bench, merchantId } = await openMerchant();
  const merchant = `/merchants/${merchantId}`;
  for (const n of [1, 2, 3]) {
    await ask(bench, 'POST', '/merchants', { name: `Shop ${n}` });
    const platform = await json(await ask(bench, 'POST', `${merchant}/platforms`, { name: `Till ${n}` }));
    await ask(bench, 'POST', `${merchant}/keys`, { livemode: false });
    await ask(bench, 'PUT', `${merchant}/senders/TILL ${n}`);
    const url = `https://shop.example/${n}`;
    for (const livemode of [true, false]) {
      await ask(bench, 'PUT', `${merchant}/webhook`, { livemode, platform_id: platform.id, url });
    }
  }
  for (const path of [
    '/merchants',
    `${merchant}/platforms`,
    `${merchant}/keys`,
    `${merchant}/senders`,
    `${merchant}/webhooks`,
    '/actions',
  ]) {
    const read = async (query: string) => pageSchema.parse(await json(await ask(bench, 'GET', path + query)));
    const all = await read('?limit=100');
    expect(all, path).toMatchObject({ has_more: false, next_cursor: null });
    expect(all.data.length, path).toBeGreaterThan(2);
    const rows: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await read(`?limit=2${from}`);
      expect(page.has_more, path).toBe(page.next_cursor !== null);
      rows.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(rows, path).toEqual(all.data);
  }
});
