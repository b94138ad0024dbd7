import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readField, readFields, readScalar } from '../../src/aggregators/description/request-fields.ts';

const fieldsOf = (body: string, query: Record<string, string> = {}, path = '') =>
  readFields({ body, query, path });

const read = (body: string, query: Record<string, string> = {}, path = '') =>
  Object.fromEntries([...fieldsOf(body, query, path)].map(([name, { value }]) => [name, value]));

const moolre = { sessionid: '5512', new: 1, message: '50% & more=1+1' };

describe('the fields of a request', () => {
  test.each([
    [
      'a JSON object',
      '{"SESSIONID":"s1","MSGTYPE":true,"n":7,"x":null}',
      { sessionid: 's1', msgtype: true, n: 7, x: null },
    ],
    ['a JSON object after a byte-order mark', '\uFEFF {"a":"1"} ', { a: '1' }],
    [
      'a form',
      'sessionId=s1&text=1*2&phoneNumber=%2B233',
      { sessionid: 's1', text: '1*2', phonenumber: '+233' },
    ],
    ['a form that starts like JSON', '{a=1', { '{a': '1' }],
    ['JSON as the only key of a form', JSON.stringify(moolre), moolre],
    ['JSON as the only key of a form, with its =', `${JSON.stringify(moolre)}=`, moolre],
    [
      'JSON as the encoded key of a form',
      new URLSearchParams({ [JSON.stringify(moolre)]: '' }).toString(),
      moolre,
    ],
    ['JSON percent-encoded', encodeURIComponent(JSON.stringify(moolre)), moolre],
    [
      'nested objects',
      '{"payload":{"request_id":0,"deep":{"a":"1"}}}',
      { 'payload.request_id': 0, 'payload.deep.a': '1' },
    ],
    ['objects in up to two others', '{"a":{"b":{"c":{"d":"4"},"e":"3"}}}', { 'a.b.e': '3' }],
    ['a form with encoded JSON in a field', 'a=%7B%7D&b=1', { a: '{}', b: '1' }],
    ['a body that is not percent-encoded as a whole', '%7B%22a%22=1%', { '{"a"': '1%' }],
    ['an empty body', '', {}],
  ])('are read from %s', (_, body, fields) => {
    expect(read(body)).toEqual(fields);
  });

  it('are read from the query and the path if the body does not have them', () => {
    expect(read('{"a":"body"}', { a: 'query', b: 'query' })).toEqual({ a: 'body', b: 'query' });
    expect(read('{"a":"body"}', {}, 'session/s%201+/start')).toEqual({
      'path.0': 'session',
      'path.1': 's 1+',
      'path.2': 'start',
      a: 'body',
    });
    expect(read('', {}, 'session/50%/start')).toMatchObject({ 'path.1': '50%' });
  });

  it('belong to the body itself unless they are in an object, the query or the path', () => {
    const fields = fieldsOf('{"a":1,"b":{"c":2}}', { d: '3' }, 'e');
    expect([...fields].filter(([, { own }]) => own).map(([name]) => name)).toEqual(['a']);
    expect([...fieldsOf('f=1')].map(([, { own }]) => own)).toEqual([true]);
  });

  it('ignore case, the first of two spellings is used, and values are trimmed', () => {
    const fields = fieldsOf(
      '{"SessionId":" one ","sessionid":"two","empty":" ","no":null,"zero":0,"f":false}',
    );
    expect(readField(fields, ['SESSIONID'])).toBe('one');
    expect(readField(fields, ['empty', 'no', 'absent'])).toBeUndefined();
    expect(readField(fields, ['absent', 'zero'])).toBe('0');
    expect(readField(fields, ['f'])).toBe('false');
    expect(readScalar(fields, ['zero'])).toBe(0);
    expect(readScalar(fields, ['no', 'f'])).toBe(false);
    expect(readScalar(fieldsOf('{"none":"","blank":" "}'), ['none', 'blank'])).toBe(' ');
  });

  it('keep all digits of an integer beyond the exact range of JSON, and do not change texts', () => {
    expect(
      read('{"e":16590115252429751,"s":"a 16590115252429751 b","f":1.5,"n":[16590115252429751]}'),
    ).toEqual({
      e: '16590115252429751',
      s: 'a 16590115252429751 b',
      f: 1.5,
    });
  });

  it('do not change fractions and exponents of any length', () => {
    expect(
      read(
        '{"a":0.30000000000000004,"b":1e30,"c":-0.12345678901234567,"d":-1234567890123456,"e":1234567890123456.5}',
      ),
    ).toEqual({
      a: 0.30000000000000004,
      b: 1e30,
      c: -0.12345678901234566,
      d: '-1234567890123456',
      e: 1234567890123456.5,
    });
  });

  it.each([
    ['an unterminated number', `{${'1'.repeat(65_000)}e`],
    ['an unterminated fraction', `{${'1'.repeat(65_000)}.`],
    ['an unterminated text', `{"${'\\"'.repeat(32_000)}${'1'.repeat(16)}`],
    ['many unterminated texts', `{${'"\\'.repeat(21_000)}${'1'.repeat(16)}`],
    ['many long numbers', `{"a":[${'1234567890123456,'.repeat(3_800)}1]}`],
  ])('are read from %s in linear time', (_, body) => {
    const before = process.cpuUsage();
    expect(fieldsOf(body).size).toBeLessThanOrEqual(64);
    // Some milliseconds. A quadratic reader needs one to twenty seconds. Other programs do not use up the processor time of this one.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });

  it('never read a prototype', () => {
    const fields = fieldsOf('{"__proto__":"x","constructor":{"a":1}}');
    expect(readField(fields, ['__proto__'])).toBe('x');
    expect(readField(fields, ['constructor'])).toBeUndefined();
    expect(readField(fields, ['toString'])).toBeUndefined();
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('are limited to 64', () => {
    const body = Array.from({ length: 500 }, (_, n) => `f${n}=1`).join('&');
    expect(fieldsOf(body, { q: '1' }).size).toBe(64);
  });

  it('are read from any text without a throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.webQueryParameters()),
        fc.dictionary(fc.string(), fc.string()),
        fc.webPath(),
        (body, query, path) => {
          for (const [name, { value }] of fieldsOf(body, query, path)) {
            expect(name).toBe(name.toLowerCase());
            expect(typeof value === 'object' && value !== null).toBe(false);
          }
        },
      ),
    );
  });

  it('are read from a body of maximum nesting', () => {
    const depth = 32_000;
    expect(read(`{"a":"1","b":${'['.repeat(depth)}${']'.repeat(depth)}}`).a).toBe('1');
  });
});
