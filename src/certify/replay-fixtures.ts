import type { Aggregator, Reading } from '../aggregators/aggregator.ts';
import { errorMessage, UserError } from '../shared/errors.ts';
import { fitScreen } from '../shared/screen-text.ts';
import type { Problem, ReplayedFixture } from './certification.ts';
import { basicFixtures, bodyText, type Fixture, loadFixtures } from './fixture.ts';

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
      problems: listProblems(fixture, aggregator),
    })),
    problems: missing.map((file) => ({ field: 'fixtures', message: `expected ${file}, got no such file` })),
  };
}

function listProblems(fixture: Fixture, aggregator: Aggregator): Problem[] {
  try {
    return replayFixture(fixture, aggregator).map(({ field, expected, got }) => ({
      field,
      message: `expected ${format(expected)}, got ${format(got)}`,
    }));
  } catch (fault) {
    // The aggregator rejects the fixture's settings, or its dialect throws.
    return [
      { field: 'fixture', message: `expected a fixture that can be replayed, got: ${errorMessage(fault)}` },
    ];
  }
}

function format(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The time of the reply in all fixtures. */
const repliedAt = Date.parse('2026-03-06T09:00:00.000Z');

/** Reads the fixture's request and writes its reply through the aggregator's dialect, and returns every difference. */
export function replayFixture(fixture: Fixture, aggregator: Aggregator): Difference[] {
  const { serviceCode, request, reply, answer, lineBreak = aggregator.style.lineBreak } = fixture;
  const settings = aggregator.settings.parse(fixture.settings ?? {});
  const dialect = aggregator.createDialect({ serviceCode, operators: new Map(), settings });
  const { query, path } = request;
  const reading = dialect.decode({ body: bodyText(request.body), query, path });
  const text = fitScreen(reply.text, { ...aggregator.style, lineBreak });
  const written = dialect.encode({ ...reply, text }, reading, repliedAt);
  return [
    ...differences('reading', fixture.reading, withoutFields(reading)),
    ...differences('answer.contentType', answer.contentType, written.contentType),
    ...bodyDifferences('answer.body', bodyText(answer.body), written.body),
  ];
}

/** Returns a reading in the form of the fixtures, without the fields of the request. */
function withoutFields(reading: Reading): Record<string, unknown> {
  switch (reading.kind) {
    case 'request':
      return { kind: reading.kind, ...reading.request };
    case 'notice':
      return { kind: reading.kind, session: reading.session, ending: reading.ending };
    case 'probe':
      return { kind: reading.kind, session: reading.session };
    case 'unreadable':
      return { kind: reading.kind };
  }
}

/** One field whose value differs from the expected one. */
type Difference = { field: string; expected: unknown; got: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns every field in which two JSON values differ, by its path below `field`. */
function differences(field: string, expected: unknown, got: unknown): Difference[] {
  if (isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    return names.flatMap((name) => differences(`${field}.${name}`, expected[name], got[name]));
  }
  return Object.is(expected, got) ? [] : [{ field, expected, got }];
}

/** Returns the differences of two bodies: by field if both are JSON objects, otherwise as a whole. */
export function bodyDifferences(field: string, expected: string, got: string): Difference[] {
  if (expected === got) return [];
  const found = differences(field, parseObject(expected), parseObject(got));
  // Equal fields in different bytes, such as another order, are a difference of the whole body.
  return found.length > 0 && parseObject(expected) && parseObject(got) ? found : [{ field, expected, got }];
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
