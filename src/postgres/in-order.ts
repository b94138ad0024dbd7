/** The end of the last work of each connection. */
const lastOf = new WeakMap<object, Promise<unknown>>();

/**
 * Begins the work of a connection when its earlier work has ended, also when that failed: callers can ask at the same time, and
 * pg 9 no longer accepts a query beside another one.
 *
 * @param client the connection, which is the same object in each call.
 */
export function inOrder<Result>(client: object, work: () => Promise<Result>): Promise<Result> {
  const result = (lastOf.get(client) ?? Promise.resolve()).then(work);
  lastOf.set(
    client,
    result.catch(() => {}),
  );
  return result;
}
