import type { PlantedBug } from '../../kit/plant.ts';

/** A protection of docs/security.md that is removed, and the tests of its row that must notice. */
export type Mutation = PlantedBug & {
  /** The first number of the row, such as `ASVS 6.5.2`, `S34` or `CWE-345`. */
  requirement: string;
  tests: readonly string[];
};
