import { describe, expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { bodyDifferences, type Fixture, loadFixtures, replayFixture } from '../../src/certify/fixture.ts';
import { aggregatorOf } from '../kit/dialects.ts';

type Path = readonly string[];

/** Returns the paths of all values. An empty object is a value. */
function leaves(value: unknown, path: Path = []): Path[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return inner.length === 0 ? [path] : inner.flatMap(([name, one]) => leaves(one, [...path, name]));
}

/** Returns another value of the same type. */
function other(value: unknown): unknown {
  if (value === 'continue') return 'end';
  if (value === 'end') return 'continue';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return ['x'];
  return typeof value === 'string' ? `x${value}` : { x: 'x' };
}

function changed(fixture: Fixture, path: Path): Fixture {
  const change = (value: unknown, [name, ...rest]: Path): unknown => {
    if (name === undefined) return other(value);
    const inner = Object(value);
    const now = { ...inner, [name]: change(inner[name], rest) };
    return Array.isArray(value) ? Object.values(now) : now;
  };
  return change(fixture, path) as Fixture;
}

/** Returns whether a field reports a changed value. A change of the reply is reported in the body. */
function named(path: Path, field: string): boolean {
  const expected = path[0] === 'reply' ? 'answer.body' : path.join('.');
  return field === expected || field.startsWith(`${expected}.`);
}

/**
 * Returns false for values that the body does not contain: the answer to a notice or to a probe has no text, and a first
 * screen of Infobip cannot end the session.
 */
function isOnTheWire({ reading, request }: Fixture, path: Path): boolean {
  if (path.join('.') === 'reply.kind' && request.path.endsWith('/start')) return false;
  return path[0] !== 'reply' || reading.kind === 'request' || reading.kind === 'unreadable';
}

describe.each(aggregatorNames)('%s', (name) => {
  const fixtures = loadFixtures(name);

  test.each(fixtures)('every change of an expected value of $file is reported', (fixture) => {
    const { reading, reply, answer } = fixture;
    const paths = leaves({ reading, reply, answer }).filter((path) => isOnTheWire(fixture, path));
    expect(paths.length).toBeGreaterThan(3);
    const unnoticed = paths.filter((path) => {
      const found = replayFixture(changed(fixture, path), aggregatorOf(name));
      return !found.some(({ field }) => named(path, field));
    });
    expect(unnoticed.map((path) => path.join('.'))).toEqual([]);
  });
});

test.each([
  ['a field that is missing', { a: 1, b: 2 }, { a: 1 }, ['body.b']],
  ['a field too many', { a: 1 }, { a: 1, b: 2 }, ['body.b']],
  ['a value of another type', { a: true }, { a: 'true' }, ['body.a']],
  ['a field within', { a: { b: 1 } }, { a: { b: 2 } }, ['body.a.b']],
  ['another order of the fields', { a: 1, b: 2 }, { b: 2, a: 1 }, ['body']],
  ['nothing', { a: 1 }, { a: 1 }, []],
])('of two bodies, %s is reported', (_, expected, got, fields) => {
  const found = bodyDifferences('body', JSON.stringify(expected), JSON.stringify(got));
  expect(found.map(({ field }) => field)).toEqual(fields);
});
