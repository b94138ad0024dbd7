import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** A file of the pages. Its name contains a hash of the content, so that browsers keep it for ever. */
export type Asset = { name: string; type: string; plain: Buffer<ArrayBuffer>; gzipped: Buffer<ArrayBuffer> };

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;

/** Reads the style sheet and the script. The folder is at the same place for `src` and `dist`. */
export function readAssets(): { css: Asset; js: Asset } {
  return { css: readAsset('css'), js: readAsset('js') };
}

function readAsset(kind: keyof typeof types): Asset {
  const plain = Buffer.from(readFileSync(new URL(`../../assets/phone/phone.${kind}`, import.meta.url)));
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  return { name: `phone.${hash}.${kind}`, type: types[kind], plain, gzipped: Buffer.from(gzipSync(plain)) };
}
