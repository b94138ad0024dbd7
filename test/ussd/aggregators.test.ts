import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { dialledSuffix, isDialString } from '../../src/ussd/aggregators/dialled.ts';
import { aggregatorNames, aggregators } from '../../src/ussd/aggregators/index.ts';
import { fitScreen } from '../../src/ussd/text.ts';
import type { Aggregator, UssdRequest } from '../../src/ussd/turn.ts';

const fixture = z.strictObject({
  about: z.string(),
  serviceCode: z.string(),
  request: z.strictObject({ contentType: z.string(), body: z.string() }),
  decoded: z.record(z.string(), z.unknown()).nullable(),
  reply: z.strictObject({ kind: z.enum(['continue', 'end']), text: z.string() }),
  answer: z.strictObject({ contentType: z.string(), body: z.string() }),
});

const folder = new URL('../../fixtures/aggregators/', import.meta.url);

function fixturesOf(name: string) {
  const files = readdirSync(new URL(`${name}/`, folder)).filter((file) => file.endsWith('.json'));
  return files.map((file) => ({
    file: `${name}/${file}`,
    ...fixture.parse(JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), 'utf8'))),
  }));
}

function named(name: string): Aggregator {
  const aggregator = aggregators[name];
  if (!aggregator) throw new Error(`no aggregator ${name}`);
  return aggregator;
}

test('every aggregator is listed under its own name and has fixtures', () => {
  expect(aggregatorNames).toEqual(Object.values(aggregators).map((one) => one.name));
  expect(readdirSync(folder).sort()).toEqual([...aggregatorNames].sort());
});

describe('a wire fixture', () => {
  test.each(aggregatorNames.flatMap(fixturesOf))('$file: $about', (one) => {
    const aggregator = named(one.file.split('/')[0] ?? '');
    const request = aggregator.decode({ body: one.request.body, query: {} }, one.serviceCode);
    expect(request ?? null).toEqual(one.decoded);
    expect(aggregator.encode(one.reply, request)).toEqual(one.answer);
  });
});

/** Bodies that nearly are requests: right names, wrong or hostile values. */
const nearlyRequest = fc
  .record(
    Object.fromEntries(
      [
        ...['sessionId', 'phoneNumber', 'networkCode', 'text', 'status'],
        ...['USERID', 'MSISDN', 'USERDATA', 'MSGTYPE', 'NETWORK', 'SESSIONID'],
      ].map((name) => [
        name,
        fc.oneof(
          fc.constantFrom(
            '0244123456',
            '+233201234567',
            '1',
            'true',
            true,
            '*920*45*5#',
            'x'.repeat(129),
            '',
          ),
          fc.jsonValue(),
          fc.string({ unit: 'binary' }),
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

const anyBody = fc.oneof(
  nearlyRequest,
  fc.json(),
  fc.webQueryParameters(),
  fc.string({ unit: 'binary', maxLength: 500 }),
);

describe.each(aggregatorNames)('%s', (name) => {
  const aggregator = named(name);

  it('reads any body without a throw, and what it reads is bounded', () => {
    fc.assert(
      fc.property(anyBody, fc.dictionary(fc.string(), fc.string()), (body, query) => {
        const request = aggregator.decode({ body, query }, '*920*45#');
        if (!request) return;
        expect(request.session).toMatch(/^[\x21-\x7e]{1,128}$/);
        expect(parseMsisdn(request.dialler)).toBe(request.dialler);
        expect(JSON.stringify(request.entry).length).toBeLessThan(5000);
        expect(JSON.stringify(request.echo).length).toBeLessThan(1000);
      }),
      { numRuns: 500 },
    );
  });

  it('writes any reply within its limit, and the same bytes for the same reply', () => {
    const request: UssdRequest = {
      session: 's1',
      dialler: parseMsisdn('0244123456') ?? fail(),
      operator: 'mtn',
      entry: { kind: 'typed', input: '1' },
      echo: { USERID: 'NALODEMO', MSISDN: '233244123456' },
    };
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.constantFrom('continue', 'end'),
        fc.constantFrom(request, undefined),
        (text, kind, asked) => {
          const { body } = aggregator.encode({ kind, text }, asked);
          const shown = fitScreen(text, aggregator.textLimit);
          expect(body).toContain(name === 'nalo' ? JSON.stringify(shown) : shown);
          expect(aggregator.encode({ kind, text }, asked && { ...asked }).body).toBe(body);
        },
      ),
    );
  });
});

function fail(): never {
  throw new Error('unreadable number');
}

describe('a dialled string', () => {
  test.each([
    ['*920*45#', '*920*45#', []],
    ['*920*45*5*20#', '*920*45#', ['5', '20']],
    ['*920*45*5#', '*920*45', ['5']],
    ['*920*45**5*#', '*920*45#', ['5']],
    ['*920*451#', '*920*45#', undefined],
    ['*713#', '*920*45#', undefined],
    ['*920#', '*920*45#', undefined],
  ])('%s on the code %s brings the answers %j', (dialled, code, suffix) => {
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
  ])('%s: %s', (text, expected) => {
    expect(isDialString(text)).toBe(expected);
  });
});
