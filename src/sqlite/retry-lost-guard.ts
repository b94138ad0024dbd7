/** Returned by an attempt whose batch was not applied, because a guard lost. */
export const lostGuard = Symbol('lost guard');

/** A row that changes this often under one caller points to a bug, not to contention. */
const defaultMaxAttempts = 50;

/**
 * Repeats an optimistic write until its guards hold. An attempt reads a snapshot, decides, applies a guarded batch, and
 * returns `lostGuard` when the batch was not applied. The next attempt reads a fresh snapshot.
 *
 * @param subject names the row in the error, such as `session pay_1`.
 * @param maxAttempts attempts before the write fails.
 * @returns the result of the first attempt that does not lose.
 * @throws Error after `maxAttempts` lost attempts, and whatever an attempt throws.
 */
export async function retryLostGuard<Result>(
  subject: string,
  attempt: () => Promise<Result | typeof lostGuard>,
  maxAttempts = defaultMaxAttempts,
): Promise<Result> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== lostGuard) return result;
  }
  throw new Error(`${subject} changed ${maxAttempts} times while it was written`);
}
