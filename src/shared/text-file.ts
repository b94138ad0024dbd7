import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Files that people write: configurations, menus, transcripts. */
export const maxTextFileBytes = 256 * 1024;

/**
 * Reads a UTF-8 file of up to `maxTextFileBytes`. Longer files are cut one byte after the maximum, so that a parser which
 * has the same maximum rejects them and an endless file does not fill the memory.
 *
 * @param expect `regular` for a path that comes from a file: a named pipe would block the process.
 * @returns `undefined` for a file that cannot be read; with `regular`, also for one of another kind or that is too long.
 */
export function readTextFile(file: string, expect: 'any' | 'regular' = 'any'): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, expect === 'regular' ? constants.O_RDONLY | constants.O_NONBLOCK : 'r');
    if (expect === 'regular' && !isReadable(descriptor)) return undefined;
    const bytes = Buffer.alloc(maxTextFileBytes + 1);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString('utf8', 0, length);
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isReadable(descriptor: number): boolean {
  const found = fstatSync(descriptor);
  return found.isFile() && found.size <= maxTextFileBytes;
}
