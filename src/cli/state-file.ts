import { existsSync } from 'node:fs';
import type { z } from 'zod';
import { UserError } from '../shared/errors.ts';
import { readPrivately } from '../sqlite/private-file.ts';

/**
 * Reads a JSON file that a command has written for its user; `undefined` when there is none.
 *
 * @param remedy what the user does about a file that cannot be read, as a sentence.
 * @throws UserError when the file cannot be read.
 */
export function readStateFile<Value>(
  file: string,
  { schema, remedy }: { schema: z.ZodType<Value>; remedy: string },
): Value | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return schema.parse(JSON.parse(readPrivately(file)));
  } catch (cause) {
    throw new UserError(`cannot read ${file}. ${remedy}`, { cause });
  }
}
