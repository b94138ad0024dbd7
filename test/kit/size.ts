/*
 * Some tests have several sizes: `npm test` runs the quick one, `npm run test:all` (and so `npm run verify`) the whole one, and
 * the nightly workflow the largest one. All state the same guarantee; a larger size searches longer for a counterexample.
 */

const isWhole = process.env.TESTS === 'all';
const isNightly = process.env.NIGHTLY !== undefined;

/** Returns the value for the size of this run. */
export function sized<Value>({
  quick,
  all,
  nightly = all,
}: {
  quick: Value;
  all: Value;
  nightly?: Value;
}): Value {
  if (!isWhole) return quick;
  return isNightly ? nightly : all;
}

/** Returns a table of tests: all of its rows in a whole run, every `nth` of them in a quick one. */
export function rowsOf<Row>(table: readonly Row[], nth: number): Row[] {
  return table.filter((_, row) => isWhole || row % nth === 0);
}

/** Returns the CPU time of `work` in milliseconds: the least of three runs, so that other work of the machine counts little. */
export function cpuMsOf(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}
