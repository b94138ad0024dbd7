/**
 * An error that a person can act on. The message states what failed, where, and what to do.
 *
 * Start-up code and commands throw it; their outermost caller prints `message` and exits with 1. Inside the program,
 * expected failures are members of returned unions. Any other thrown error is a bug, except documented ones such as `StoreFault`.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** An invalid command line. The command exits with 2. */
export class UsageError extends UserError {}

/** Returns the message of a thrown value; of a failed query, that of its cause: its own repeats parameters, such as phone numbers. */
export function errorMessage(thrown: unknown): string {
  if (thrown instanceof Error && 'query' in thrown && 'params' in thrown) {
    return `a query failed: ${thrown.cause === undefined ? 'unknown cause' : errorMessage(thrown.cause)}`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns a UserError for a thrown value: the value itself if it is one, otherwise `<failed>: <message>`. */
export function toUserError(failed: string, thrown: unknown): UserError {
  if (thrown instanceof UserError) return thrown;
  return new UserError(`${failed}: ${errorMessage(thrown)}`, { cause: thrown });
}

/** Returns the result of `work`; `undefined` when it throws. */
export function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns the code of a system or network error or of its cause, such as `ECONNREFUSED`; `undefined` when there is none. */
export function errorCode(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** Marks the end of an exhaustive mapping: it does not compile while a case is missing. @throws Error always. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
