import { existsSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../../shared/errors.ts';
import { readPrivately, replacePrivately } from '../../../sqlite/private-file.ts';

/**
 * How far the events were forwarded, and the secret that signs them. Identifiers ascend with time, but an event can be
 * committed shortly after a later one: those of the last minute are kept one by one.
 */
const cursor = z.object({
  /** Every event up to this identifier was forwarded, or is older than the first start. */
  after: z.string(),
  /** Later events that were forwarded. */
  recent: z.array(z.object({ id: z.string(), createdAt: z.number() })).max(1_000),
  secret: z.string(),
});
export type Cursor = z.infer<typeof cursor>;

const recentMs = 60_000;
const maxRecent = 1_000;

/** @throws UserError if the file is not readable. */
export function readCursor(file: string): Cursor | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return cursor.parse(JSON.parse(readPrivately(file)));
  } catch (cause) {
    throw new UserError(`cannot read ${file}. Remove it to forward the events from now on.`, { cause });
  }
}

export function saveCursor(file: string, value: Cursor): void {
  replacePrivately(file, `${JSON.stringify(value)}\n`);
}

/** Returns the cursor after an event was forwarded. */
export function afterEvent(value: Cursor, event: { id: string; createdAt: number }): Cursor {
  const recent = [...value.recent, event].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const newest = Math.max(...recent.map(({ createdAt }) => createdAt));
  let { after } = value;
  while (recent.length > maxRecent || (recent[0]?.createdAt ?? newest) < newest - recentMs) {
    after = recent.shift()?.id ?? after;
  }
  return { ...value, after, recent };
}
