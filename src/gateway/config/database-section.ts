import { z } from 'zod';
import type { DatabaseLocation } from '../database/database-location.ts';

/** A database of a server: PostgreSQL, with a host and the name of the database. */
function isServerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    /^postgres(ql)?:$/.test(url?.protocol ?? '') &&
    url?.hostname !== '' &&
    /^\/[^/]+$/.test(url?.pathname ?? '')
  );
}

/** The section `database` of the configuration: a file, or a server. */
export const databaseSection = z
  .strictObject({
    /** A SQLite file. Relative paths start at the folder of the configuration. */
    file: z.string().min(1, 'expected the path of a file').optional(),
    url: z.string().refine(isServerUrl, 'expected postgres://user:password@host:port/database').optional(),
    /** Connections to a server. A turn needs one for a few milliseconds. */
    maxConnections: z
      .int()
      .min(2, 'expected at least 2 connections')
      .max(200, 'expected at most 200 connections')
      .default(10),
  })
  .transform(({ file, url, maxConnections }, context): DatabaseLocation => {
    if (file !== undefined && url === undefined) return { file };
    if (url !== undefined && file === undefined) return { url, maxConnections };
    context.addIssue({ code: 'custom', message: 'expected either file or url' });
    return z.NEVER;
  });
