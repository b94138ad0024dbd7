import type { ClientBase, Connection } from 'pg';

/* Limits of waiting for a server, whose time no clock of this process advances. */

/** Returns a function that tells whether this time, in milliseconds, has passed since. */
export function timeLimit(ms: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - since >= ms;
}

/**
 * Runs the work of a connection, and closes the connection when the work lasts longer: its statements fail then as those of a lost
 * connection do. A network can lose a connection without a sign, and the limits of the server do not reach a client that it cannot reach.
 */
export async function withinTime<Result>(
  client: ClientBase,
  maxMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  // The types of the client do not show its connection, which every statement is given.
  const { connection } = client as unknown as { connection: Connection };
  const end = () => connection.stream.destroy(new Error(`no answer for ${maxMs} ms`));
  const timer = setTimeout(end, maxMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
