import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { basicFixtures, loadFixtures, replayFixture } from '../../src/certify/fixture.ts';
import { aggregatorOf, demoChannelOf } from '../kit/dialects.ts';

const folder = new URL('../../fixtures/aggregators/', import.meta.url);
const fixtures = aggregatorNames.flatMap((name) => loadFixtures(name).map((one) => ({ name, ...one })));

test('every aggregator has fixtures and a channel in the demo with a unique code', () => {
  expect(readdirSync(folder).sort()).toEqual([...aggregatorNames].sort());
  const codes = aggregatorNames.map((name) => demoChannelOf(name).serviceCode);
  expect(new Set(codes).size).toBe(aggregatorNames.length);
});

test.each(aggregatorNames)('%s has every basic fixture', (name) => {
  const files = fixtures.map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(basicFixtures.map((one) => `${name}/${one}.json`)));
});

describe('a wire fixture', () => {
  test.each(fixtures)('$file: $about', ({ name, ...fixture }) => {
    expect(replayFixture(fixture, aggregatorOf(name))).toEqual([]);
  });
});
