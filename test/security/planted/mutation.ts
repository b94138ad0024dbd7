import { bugsIn, type Changes, type PlantedBug } from '../../kit/plant.ts';

/** A protection of docs/security.md that is removed, and the tests of its row that must notice. */
export type Mutation = PlantedBug & {
  /** The first number of the row, such as `ASVS 6.5.2`, `S34` or `CWE-345`. */
  requirement: string;
  tests: readonly string[];
};

/** Returns the mutations that remove protections of one requirement and are noticed by the same tests. */
export function removed(
  requirement: string,
  tests: string | readonly string[],
  changes: Changes,
): Mutation[] {
  return bugsIn(changes).map((bug) => ({ ...bug, requirement, tests: [tests].flat() }));
}
