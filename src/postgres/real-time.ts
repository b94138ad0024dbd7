import type { Client, ClientBase, Connection } from 'pg';

/* Limits of waiting for a server, whose time no clock of this process advances. */

/** Returns a function that returns whether this time, in milliseconds, has passed since the call. */
export function timeLimit(ms: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - since >= ms;
}

export type AnswerLimit = {
  /** The time for an answer, in milliseconds. */
  maxMs: number;
  /** Returns whether the server still works for this connection. The time then begins again. */
  isWorking?: () => Promise<boolean>;
};

/**
 * Runs the work of a connection, and closes the connection when there is no answer in time. Its statements then fail as those of a
 * lost connection do. The limits of the server do not help when the network has lost the connection without a sign.
 */
export async function withinTime<Result>(
  client: ClientBase,
  { maxMs, isWorking = async () => false }: AnswerLimit,
  work: () => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    const isServed = await isWorking();
    if (isOver) return;
    if (isServed) wait();
    else accessStream(client).destroy(new Error(`no answer for ${maxMs} ms`));
  };
  const wait = () => {
    timer = setTimeout(() => void check(), maxMs);
  };
  wait();
  try {
    return await work();
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Time in which a server confirms that a connection ends, in milliseconds. */
const endMs = 1_000;

/** Ends a connection, also when the server does not answer. */
export async function closeClient(client: Client): Promise<void> {
  const timer = setTimeout(() => accessStream(client).destroy(), endMs);
  try {
    await client.end();
  } catch {
    // It has ended already.
  } finally {
    clearTimeout(timer);
  }
}

/** The types of a client do not show its connection, which every statement is given. */
function accessStream(client: ClientBase): Connection['stream'] {
  return (client as unknown as { connection: Connection }).connection.stream;
}
