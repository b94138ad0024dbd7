import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { type Prepared, prepare, sendPrepared } from './prepared.ts';

/** A file of the pages. Its name contains a hash of the content, so that browsers keep it for ever. */
export type Asset = Prepared & { name: string };

/** The style sheet and the script of an area, in `assets/<area>`. */
export type Assets = { css: Asset; js: Asset };

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** Reads the style sheet and the script of an area. The folder is at the same place for `src` and `dist`. */
export function readAssets(area: 'console' | 'phone'): Assets {
  return { css: readAsset(area, 'css'), js: readAsset(area, 'js') };
}

function readAsset(area: string, kind: keyof typeof types): Asset {
  const file = new URL(`../../../assets/${area}/${area}.${kind}`, import.meta.url);
  const content = readFileSync(file);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: `${area}.${hash}.${kind}`, ...prepare(types[kind], content) };
}

/** Sends the asset of the name in the path, `/assets/:name`. */
export function sendAsset(c: Context, { css, js }: Assets): Response | Promise<Response> {
  const asset = [css, js].find(({ name }) => name === c.req.param('name'));
  if (!asset) return c.notFound();
  c.header('cache-control', 'public, max-age=31536000, immutable');
  return sendPrepared(c, asset);
}
