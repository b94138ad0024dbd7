/** Returns the median; 0 for an empty list. */
export function median(all: readonly number[]): number {
  return quantile(all, 0.5);
}

/** Returns the value below which a share of the values lies; 0 for an empty list. */
export function quantile(all: readonly number[], share: number): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * share)] ?? 0;
}
