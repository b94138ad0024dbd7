/**
 * Reads the body of a response into memory.
 *
 * @returns `undefined` when the body exceeds `maxBytes`; the rest is not read.
 */
export async function readBounded(
  { body }: { body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null },
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
