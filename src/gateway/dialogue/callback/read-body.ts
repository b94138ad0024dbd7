import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const decompress = promisify(gunzip);

const decoder = new TextDecoder();

/** The headers of a body that need more than its bytes as text. */
export type BodyHeaders = { type: string | undefined; encoding: string | undefined };

/** Returns whether the body is its bytes as text. A dialect recognises JSON, XML and forms by their content. */
export function isPlainBody({ type, encoding }: BodyHeaders): boolean {
  return (encoding === undefined || /^identity$/i.test(encoding)) && !/^multipart\//i.test(type ?? '');
}

/**
 * Reads the body of a callback as the text that dialects parse. A body with `content-encoding: gzip` is decompressed, and the
 * fields of `multipart/form-data` become those of an ordinary form; files are ignored. A body that is something else than its
 * headers state is its bytes as text.
 *
 * @param maxBytes upper bound of the decompressed body.
 */
export async function readBodyText(
  bytes: Uint8Array<ArrayBuffer>,
  headers: BodyHeaders,
  maxBytes: number,
): Promise<string> {
  const { type = '', encoding = '' } = headers;
  try {
    const isCompressed = /^(?:x-)?gzip$/i.test(encoding);
    const plain = isCompressed ? await decompress(bytes, { maxOutputLength: maxBytes }) : bytes;
    if (!/^multipart\//i.test(type)) return decoder.decode(plain);
    const form = await new Response(new Uint8Array(plain), { headers: { 'content-type': type } }).formData();
    const fields = new URLSearchParams();
    for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value);
    return fields.toString();
  } catch {
    return decoder.decode(bytes);
  }
}
