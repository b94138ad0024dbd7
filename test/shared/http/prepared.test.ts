import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTill } from '../../kit/till.ts';
import { openBench } from '../../service/support.ts';

type Ask = (headers?: Record<string, string>, method?: string) => Promise<Response>;

const documents: [what: string, open: () => Promise<Ask>][] = [
  ...['/merchant/v1/openapi.json', '/merchant/v1/docs'].map((path): [string, () => Promise<Ask>] => [
    path,
    async () => {
      const till = await createTill();
      return async (headers = {}, method = 'GET') => till.gateway().app.request(path, { method, headers });
    },
  ]),
  ...['/openapi.json', '/docs', '/'].map((path): [string, () => Promise<Ask>] => [
    `${path} of the service`,
    async () => {
      const { app } = openBench().service;
      return async (headers = {}, method = 'GET') => app.request(path, { method, headers });
    },
  ]),
];

test.each(documents)(
  '%s is sent once to a client that keeps it, and compressed on request',
  async (_, open) => {
    const ask = await open();
    const first = await ask();
    const etag = String(first.headers.get('etag'));
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const text = await first.text();
    for (const tags of [etag, `"other", ${etag}`, '*']) {
      const again = await ask({ 'if-none-match': tags });
      expect([tags, again.status, await again.text(), again.headers.get('etag')]).toEqual([
        tags,
        304,
        '',
        etag,
      ]);
    }
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
    for (const [accepted, decode] of [
      ['gzip', gunzipSync],
      ['gzip, br', brotliDecompressSync],
      ['br;q=0, gzip;q=0.5', gunzipSync],
    ] as const) {
      const packed = await ask({ 'accept-encoding': accepted });
      expect(decode(await packed.arrayBuffer()).toString()).toBe(text);
    }
    const head = await ask({}, 'HEAD');
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  },
);
