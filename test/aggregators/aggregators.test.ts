import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { dialledSuffix, isDialString } from '../../src/aggregators/dial-string.ts';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { basicFixtures, loadFixtures, replayFixture } from '../../src/certify/fixture.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { aggregatorOf, createDialect, demoChannelOf } from '../kit/dialects.ts';
import { sized } from '../kit/size.ts';

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

/** Values of fixtures, and values that can break a parser. */
const anyValue = fc.oneof(
  fc.constantFrom(
    '0244123456',
    '+233201234567',
    '1',
    'true',
    true,
    0,
    '*920*45*5#',
    'x'.repeat(300),
    '',
    null,
  ),
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
);

/** Bodies with an aggregator's own field names and with wrong or hostile values. */
function malformedRequests(name: string): fc.Arbitrary<string> {
  const names = loadFixtures(name).flatMap(({ request: { body, query } }) =>
    typeof body === 'string' ? Object.keys(query) : Object.keys(body),
  );
  const fields = Object.fromEntries([...new Set(names)].map((field) => [field, anyValue]));
  return fc.record(fields, { requiredKeys: [] }).map((value) => JSON.stringify(value));
}

describe.each(aggregatorNames)('%s', (name) => {
  const dialect = createDialect(name, '*920*45#');
  const anyBody = fc.oneof(
    malformedRequests(name),
    fc.json(),
    fc.webQueryParameters(),
    fc.string({ unit: 'binary', maxLength: 500 }),
  );

  it('reads any request without an error and within bounds, and answers it with the same bytes each time', () => {
    const query = fc.dictionary(fc.string(), fc.string());
    const anyReply = fc.record({
      kind: fc.constantFrom('continue', 'end'),
      text: fc.string({ maxLength: 182 }),
    });
    fc.assert(
      fc.property(anyBody, query, fc.webPath(), anyReply, (body, fields, path, reply) => {
        const reading = dialect.decode({ body, query: fields, path });
        const written = dialect.encode(reply, reading, 1);
        expect(dialect.encode({ ...reply }, { ...reading }, 1)).toEqual(written);
        expect(written.body.length).toBeLessThan(40_000);
        if (reading.kind !== 'request') return;
        const { request } = reading;
        expect(request.session).toMatch(/^[\x21-\x7e]{1,128}$/);
        expect(parseMsisdn(request.dialler)).toBe(request.dialler);
        expect(JSON.stringify(request).length).toBeLessThan(5_000);
      }),
      { numRuns: sized({ quick: 60, all: 300 }) },
    );
  });
});

describe('a dialled string', () => {
  test.each([
    ['*920*45#', '*920*45#', []],
    ['*920*45*5*20#', '*920*45#', ['5', '20']],
    ['*920*45*5#', '*920*45', ['5']],
    ['*920*45**5*#', '*920*45#', ['5']],
    ['*920*451#', '*920*45#', undefined],
    ['*713#', '*920*45#', undefined],
    ['*920#', '*920*45#', undefined],
  ])('%s on the service code %s has the suffix %j', (dialled, code, suffix) => {
    expect(dialledSuffix(dialled, code)).toEqual(suffix);
  });

  test.each([
    ['*713*5#', true],
    ['*170#', true],
    ['713#', false],
    ['*713', false],
    ['**#', false],
    ['*713*a#', false],
    [`*713*${'1'.repeat(200)}#`, false],
  ])('%s can be dialled: %s', (text, expected) => {
    expect(isDialString(text)).toBe(expected);
  });
});
