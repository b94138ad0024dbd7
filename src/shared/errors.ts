/**
 * A fault that a person can act on: what happened, where, and what to do.
 *
 * Thrown at start-up and by commands, whose outermost caller prints `message` and exits with 1. Expected
 * failures inside the program are members of returned unions instead; anything else thrown is a bug.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/**
 * The text of anything that was thrown. A failed query's own text repeats its parameters, numbers of payers among
 * them, and texts end up in logs: what is told of it is its cause.
 */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error && 'query' in thrown && 'params' in thrown) {
    return `a query failed: ${thrown.cause === undefined ? 'no cause' : messageOf(thrown.cause)}`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The machine's or the network's own word for a fault, such as `ECONNREFUSED`; `undefined` where it has none. */
export function codeOf(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** Marks the end of an exhaustive mapping: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
