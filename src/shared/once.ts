/** Returns a function that creates a value at its first call, and returns the same one ever after. */
export function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}
