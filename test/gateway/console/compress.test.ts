import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createConsoleTill } from '../../kit/console.ts';

test('a page is compressed for a browser that accepts it, unless another site caused the request', async () => {
  const till = await createConsoleTill();
  const ask = async (headers: Record<string, string>) => {
    const answer = await till.gateway().app.request('https://pay.example/console/first-use', { headers });
    const encoding = answer.headers.get('content-encoding');
    const body = Buffer.from(await answer.arrayBuffer());
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[String(encoding)];
    return { encoding, page: String(decode?.(body) ?? body) };
  };
  const plain = await ask({});
  expect(plain.encoding).toBeNull();
  expect(plain.page).toContain('</html>');
  for (const [accepted, encoding] of [
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
  ] as const) {
    for (const site of ['none', 'same-origin']) {
      const found = await ask({ 'accept-encoding': accepted, 'sec-fetch-site': site });
      expect(found, site).toEqual({ encoding, page: plain.page });
    }
    for (const site of ['same-site', 'cross-site'])
      expect((await ask({ 'accept-encoding': accepted, 'sec-fetch-site': site })).encoding, site).toBeNull();
  }
});
