/**
 * A fault that a person can act on: what happened, where, and what to do.
 *
 * Thrown at start-up and by commands, whose outermost caller prints `message` and exits with 1. Expected
 * failures inside the program are members of returned unions instead; anything else thrown is a bug.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Marks the end of an exhaustive mapping: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
