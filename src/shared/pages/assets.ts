import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'hono';
import { once } from '../once.ts';

/** A document that was rendered once: its bytes, the same compressed, and the tag by which browsers recognise them. */
export type Prepared = {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  encoded: Readonly<Record<Encoding, () => Promise<Uint8Array<ArrayBuffer>>>>;
  etag: string;
};

/** Prepares a document of public content. A page with a secret must not be compressed beside what a caller has chosen. */
export function prepare(type: string, content: string | Buffer): Prepared {
  const plain = new Uint8Array(Buffer.from(content));
  // Weak: all encodings have the same tag.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  const encoded = { br: once(() => encode(plain, 'br')), gzip: once(() => encode(plain, 'gzip')) };
  return { type, plain, encoded, etag };
}

/** Sends a prepared document; 304 to a client that has it. Browsers ask before each use, unless `cache-control` says otherwise. */
export async function sendPrepared(c: Context, { type, plain, encoded, etag }: Prepared): Promise<Response> {
  c.header('etag', etag);
  c.header('vary', 'accept-encoding');
  if (c.res.headers.get('cache-control') === null) c.header('cache-control', 'no-cache');
  if (hasTag(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  c.header('content-type', type);
  const encoding = chooseEncoding(c.req.header('accept-encoding'));
  if (encoding === undefined) return c.body(plain);
  c.header('content-encoding', encoding);
  return c.body(await encoded[encoding]());
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

/** Removes comments and indentation. A comment begins a line, or is between slashes and stars. */
function strip(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/\s*\n\s*/g, '\n');
}

/** Removes the spaces of a style sheet that mean nothing. */
function stripSpaces(css: string): string {
  return css.replaceAll(/\s*([{};,>])\s*/g, '$1').replaceAll(': ', ':');
}

function readAsset(area: string, kind: keyof typeof types): Asset {
  const text = strip(
    listParts(area, kind)
      .map((part) => readFileSync(new URL(`../../../assets/${part}`, import.meta.url), 'utf8'))
      .join(''),
  );
  const content = kind === 'css' ? stripSpaces(text) : text;
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

/** An encoding of the content of an answer. Browsers accept Brotli over TLS, and on the machine itself. */
export type Encoding = 'br' | 'gzip';

/** Returns the encoding of an answer to a client with the `accept-encoding`: the one that gives the fewest bytes. `q=0` refuses one. */
export function chooseEncoding(accepted = ''): Encoding | undefined {
  const wanted = accepted.split(',').filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one));
  const names = new Set(wanted.map((one) => one.replace(/;.*$/, '').trim().toLowerCase()));
  return (['br', 'gzip'] as const).find((one) => names.has(one));
}

/** Takes as long as gzip. A window of 64 KiB has room for a page; with a larger one, this quality takes 100 times as long. */
const brotli = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

const encoders = {
  br: (content: Uint8Array) => promisify(brotliCompress)(content, brotli),
  gzip: (content: Uint8Array) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

/** Compresses content in a thread. */
export async function encode(content: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await encoders[encoding](content));
}
