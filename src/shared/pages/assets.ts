import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

/** A file of the pages. Its name contains a hash of the content, so that browsers keep it for ever. */
export type Asset = { name: string; type: string; plain: Buffer<ArrayBuffer>; gzipped: Buffer<ArrayBuffer> };

/** The style sheet and the script of an area, in `assets/<area>`. */
export type Assets = { css: Asset; js: Asset };

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** Reads the style sheet and the script of an area. The folder is at the same place for `src` and `dist`. */
export function readAssets(area: 'console' | 'phone'): Assets {
  return { css: readAsset(area, 'css'), js: readAsset(area, 'js') };
}

function readAsset(area: string, kind: keyof typeof types): Asset {
  const file = new URL(`../../../assets/${area}/${area}.${kind}`, import.meta.url);
  const plain = Buffer.from(readFileSync(file));
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  return { name: `${area}.${hash}.${kind}`, type: types[kind], plain, gzipped: Buffer.from(gzipSync(plain)) };
}

/** Sends the asset of the name in the path, `/assets/:name`. */
export function sendAsset(c: Context, { css, js }: Assets): Response | Promise<Response> {
  const asset = [css, js].find(({ name }) => name === c.req.param('name'));
  if (!asset) return c.notFound();
  c.header('content-type', asset.type);
  c.header('cache-control', 'public, max-age=31536000, immutable');
  c.header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(c.req.header('accept-encoding') ?? '')) return c.body(asset.plain);
  c.header('content-encoding', 'gzip');
  return c.body(asset.gzipped);
}
