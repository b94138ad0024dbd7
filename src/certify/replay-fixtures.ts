import type { Aggregator } from '../aggregators/aggregator.ts';
import { messageOf, UserError } from '../shared/errors.ts';
import type { Problem, ReplayedFixture } from './certification.ts';
import { basicFixtures, type Fixture, loadFixtures } from './fixture.ts';
import { replayFixture } from './replay-fixture.ts';

type ReplayedFixtures = { fixtures: ReplayedFixture[]; problems: Problem[] };

/**
 * Replays all wire fixtures of an aggregator.
 *
 * @param folder the folder of all fixtures (default: the folder of this package).
 */
export function replayFixtures(aggregator: Aggregator, folder?: string): ReplayedFixtures {
  let fixtures: Fixture[];
  try {
    fixtures = loadFixtures(aggregator.name, folder);
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    return { fixtures: [], problems: [{ field: 'fixtures', message: fault.message }] };
  }
  const files = new Set(fixtures.map(({ file }) => file));
  const missing = basicFixtures
    .map((name) => `${aggregator.name}/${name}.json`)
    .filter((file) => !files.has(file));
  return {
    fixtures: fixtures.map((fixture) => ({
      file: fixture.file,
      about: fixture.about,
      problems: problemsOf(fixture, aggregator),
    })),
    problems: missing.map((file) => ({ field: 'fixtures', message: `expected ${file}, got no such file` })),
  };
}

function problemsOf(fixture: Fixture, aggregator: Aggregator): Problem[] {
  try {
    return replayFixture(fixture, aggregator).map(({ field, expected, got }) => ({
      field,
      message: `expected ${format(expected)}, got ${format(got)}`,
    }));
  } catch (fault) {
    // The aggregator rejects the fixture's settings, or its dialect throws.
    return [
      { field: 'fixture', message: `expected a fixture that can be replayed, got: ${messageOf(fault)}` },
    ];
  }
}

function format(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
