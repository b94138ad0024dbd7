import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createConsoleTill } from '../../kit/console.ts';

test('a page is compressed for a browser that accepts it, unless another site caused the request', async () => {
  const till = await createConsoleTill();
  const ask = async (headers: Record<string, string>) => {
    const answer = await till.gateway().app.request('https://pay.example/console/first-use', { headers });
    const encoding = answer.headers.get('content-encoding');
    const body = Buffer.from(await answer.arrayBuffer());
    return { encoding, page: String(encoding === 'gzip' ? gunzipSync(body) : body) };
  };
  const plain = await ask({});
  expect(plain.encoding).toBeNull();
  expect(plain.page).toContain('</html>');
  for (const site of ['none', 'same-origin']) {
    const found = await ask({ 'accept-encoding': 'gzip, br', 'sec-fetch-site': site });
    expect(found, site).toEqual({ encoding: 'gzip', page: plain.page });
  }
  for (const site of ['same-site', 'cross-site'])
    expect((await ask({ 'accept-encoding': 'gzip', 'sec-fetch-site': site })).encoding, site).toBeNull();
});
