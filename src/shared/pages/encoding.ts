import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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
