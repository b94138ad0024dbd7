import { messageOf, UserError } from '../../shared/errors.ts';
import type { Aggregator } from '../aggregator.ts';
import type { PlayedFixture, Wrong } from './certified.ts';
import type { Difference } from './difference.ts';
import { basicFixtures, type Fixture, loadFixtures } from './fixture.ts';
import { replay } from './replay.ts';

/** Plays all wire fixtures of an aggregator, those that ship unless another folder is given. */
export function playFixtures(
  aggregator: Aggregator,
  folder?: string,
): { fixtures: PlayedFixture[]; wrong: Wrong[] } {
  let fixtures: Fixture[];
  try {
    fixtures = loadFixtures(aggregator.name, folder);
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    return { fixtures: [], wrong: [{ field: 'fixtures', message: fault.message }] };
  }
  const played = fixtures.map((one) => ({ file: one.file, about: one.about, wrong: play(one, aggregator) }));
  const there = new Set(fixtures.map(({ file }) => file));
  const missing = basicFixtures.filter((name) => !there.has(`${aggregator.name}/${name}.json`));
  const wrong = missing.map((name) => ({ field: 'fixtures', message: `expected ${name}.json among them` }));
  return { fixtures: played, wrong };
}

function play(fixture: Fixture, aggregator: Aggregator): Wrong[] {
  try {
    return replay(fixture, aggregator).map(({ field, expected, got }: Difference) => {
      return { field, message: `expected ${inWords(expected)}, got ${inWords(got)}` };
    });
  } catch (fault) {
    // Settings that the aggregator refuses, or a dialect that throws.
    return [{ field: 'fixture', message: `expected one that can be played, got: ${messageOf(fault)}` }];
  }
}

function inWords(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
