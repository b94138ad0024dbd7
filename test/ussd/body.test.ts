import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { field, readFields } from '../../src/ussd/body.ts';

const read = (body: string, query: Record<string, string> = {}) =>
  Object.fromEntries(readFields({ body, query }));

describe('the fields of a request', () => {
  test.each([
    [
      'a JSON object',
      '{"SESSIONID":"s1","MSGTYPE":true,"n":7}',
      { sessionid: 's1', msgtype: 'true', n: '7' },
    ],
    ['a JSON object after a byte-order mark', '\uFEFF {"a":"1"} ', { a: '1' }],
    [
      'a form',
      'sessionId=s1&text=1*2&phoneNumber=%2B233',
      { sessionid: 's1', text: '1*2', phonenumber: '+233' },
    ],
    ['a form that begins like JSON', '{a=1', { '{a': '1' }],
    ['nothing', '', {}],
  ])('are read from %s', (_, body, fields) => {
    expect(read(body)).toEqual(fields);
  });

  it('come from the query where the body lacks them', () => {
    expect(read('{"a":"body"}', { a: 'query', b: 'query' })).toEqual({ a: 'body', b: 'query' });
  });

  it('are found without regard to case, the first of two spellings wins, blanks around a value go', () => {
    const fields = readFields({ body: '{"SessionId":" one ","sessionid":"two","empty":" "}', query: {} });
    expect(field(fields, 'SESSIONID')).toBe('one');
    expect(field(fields, 'empty')).toBeUndefined();
    expect(field(fields, 'absent')).toBeUndefined();
  });

  it('leave out objects, lists, nulls, and numbers that JSON cannot carry exactly', () => {
    expect(read('{"a":{"b":1},"c":[1],"d":null,"e":16590115252429751,"f":1.5,"g":false}')).toEqual({
      f: '1.5',
      g: 'false',
    });
  });

  it('do not reach into prototypes', () => {
    const fields = readFields({ body: '{"__proto__":"x","constructor":{"a":1}}', query: {} });
    expect(field(fields, '__proto__')).toBe('x');
    expect(field(fields, 'constructor')).toBeUndefined();
    expect(field(fields, 'toString')).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('are at most 64', () => {
    const body = Array.from({ length: 500 }, (_, n) => `f${n}=1`).join('&');
    expect(readFields({ body, query: { q: '1' } }).size).toBe(64);
  });

  it('are read from any text without a throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.webQueryParameters()),
        fc.dictionary(fc.string(), fc.string()),
        (body, query) => {
          for (const [name, value] of readFields({ body, query })) {
            expect(name).toBe(name.toLowerCase());
            expect(typeof value).toBe('string');
          }
        },
      ),
    );
  });

  it('survive nesting as deep as a body can be', () => {
    const depth = 32_000;
    expect(read(`{"a":"1","b":${'['.repeat(depth)}${']'.repeat(depth)}}`).a).toBe('1');
  });
});
