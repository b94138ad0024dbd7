import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { loadFixtures } from '../../src/certify/fixture.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { createDialect } from '../kit/dialects.ts';
import { sized } from '../kit/size.ts';

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
