import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Context } from 'hono';

/** The encodings in which a prepared document is sent, the shortest first. */
const encodings = { br: brotliCompressSync, gzip: gzipSync } as const;

type Encoding = keyof typeof encodings;

/** A document that was rendered once: its bytes, the same compressed, and the tag by which browsers recognise them. */
export type Prepared = {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  compressed: Record<Encoding, Uint8Array<ArrayBuffer>>;
  etag: string;
};

/** Prepares a document of public content. A page with a secret must not be compressed beside what a caller has chosen. */
export function prepare(type: string, content: string | Buffer): Prepared {
  const plain = new Uint8Array(Buffer.from(content));
  // Weak: all encodings have the same tag.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const compressed = {
    br: new Uint8Array(encodings.br(plain)),
    gzip: new Uint8Array(encodings.gzip(plain)),
  };
  return { type, plain, compressed, etag };
}

/**
 * Sends a prepared document; 304 without a body to a client that has it. Browsers ask again before each use, unless the caller
 * has set another `cache-control`.
 */
export function sendPrepared(c: Context, { type, plain, compressed, etag }: Prepared): Response {
  c.header('etag', etag);
  c.header('vary', 'accept-encoding');
  if (c.res.headers.get('cache-control') === null) c.header('cache-control', 'no-cache');
  if (hasTag(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  c.header('content-type', type);
  const encoding = chooseEncoding(c.req.header('accept-encoding'));
  if (!encoding) return c.body(plain);
  c.header('content-encoding', encoding);
  return c.body(compressed[encoding]);
}

function chooseEncoding(accepted = ''): Encoding | undefined {
  return (['br', 'gzip'] as const).find((encoding) =>
    new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted),
  );
}

function hasTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*') ?? false;
}

/** A file of the pages. Its name contains a hash of the content, so that browsers keep it for ever. */
export type Asset = Prepared & { name: string };

/** The style sheet and the script of an area, in `assets/<area>`. */
export type Assets = { css: Asset; js: Asset };

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** Reads the style sheet and the script of an area. The folder is at the same place for `src` and `dist`. */
export function readAssets(area: 'console' | 'phone'): Assets {
  return { css: readAsset(area, 'css'), js: readAsset(area, 'js') };
}

/** The parts of a style sheet or a script, in their order. */
function listParts(area: string, kind: keyof typeof types): string[] {
  const own = `${area}/${area}.${kind}`;
  return kind === 'css' ? ['base.css', own] : [own];
}

/** Removes comments and indentation of a style sheet. In a script, only comments that have their lines to themselves. */
function strip(text: string, kind: keyof typeof types): string {
  const comments = kind === 'css' ? /\/\*[\s\S]*?\*\//g : /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)$/gm;
  return text.replaceAll(comments, '').replaceAll(/\n\s*/g, '\n');
}

function readAsset(area: string, kind: keyof typeof types): Asset {
  const text = listParts(area, kind)
    .map((part) => readFileSync(new URL(`../../../assets/${part}`, import.meta.url), 'utf8'))
    .join('');
  const content = strip(text, kind);
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
