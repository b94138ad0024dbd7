/** Returned by an attempt whose batch was not applied, because of a conflict. */
export const conflict = Symbol('conflict');

/** A row that changes this often under one caller points to a bug, not to contention. */
const defaultMaxAttempts = 50;

/**
 * Repeats an optimistic write until its guards hold. An attempt reads a snapshot, decides, applies a guarded batch, and
 * returns `conflict` when the batch was not applied. The next attempt reads a fresh snapshot.
 *
 * @param subject names the row in the error, such as `session pay_1`.
 * @param maxAttempts attempts before the write fails.
 * @returns the result of the first attempt without a conflict.
 * @throws Error after `maxAttempts` conflicts, and whatever an attempt throws.
 */
export async function retryConflict<Result>(
  subject: string,
  attempt: () => Promise<Result | typeof conflict>,
  maxAttempts = defaultMaxAttempts,
): Promise<Result> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== conflict) return result;
  }
  throw new Error(`${subject} changed ${maxAttempts} times while it was written`);
}
