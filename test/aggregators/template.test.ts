import { describe, expect, test } from 'vitest';
import { readFields } from '../../src/aggregators/description/request-fields.ts';
import {
  escapeXml,
  isXml,
  type Template,
  unescapeXml,
  writeTemplate,
} from '../../src/aggregators/description/template.ts';

const long = 'x'.repeat(257);
const body = {
  ...{ Id: 'a|b^c\u0007d', n: 7, on: true, no: null, none: '', in: { deep: 'e' } },
  ...{ long, fits: long.slice(1), list: ['f'] },
};
const values = {
  fields: readFields({ body: JSON.stringify(body), query: { q: 'g' }, path: '' }),
  text: '<A> {n} | ^',
  at: '2026-03-06T09:00:00.000Z',
};
const write = (template: Template, echo = false) =>
  writeTemplate(template, { ...values, isXml: false }, echo);

describe('a reply', () => {
  test.each<[string, string]>([
    ['CON {text}', 'CON <A> {n} | ^'],
    ['{text}', '<A> {n} | ^'],
    ['{at}', '2026-03-06T09:00:00.000Z'],
    // A line has the values without the characters that would end a field or the line.
    ['{id}|{ID}', 'abcd|abcd'],
    ['{id}', 'abcd'],
    ['{n}|{on}|{no}|{none}|{absent}|{in.deep}|{q}', '7|true||||e|g'],
    ['{long}|{fits}', `|${body.fits}`],
    ['{n {n} {!n}', '{n 7 {!n}'],
  ])('of the text %s is %s', (template, line) => {
    expect(write(template)).toBe(line);
    expect(write(template, true)).toBe(line);
  });

  test.each<[Template, unknown]>([
    [
      { a: '{text}', b: { c: '{at}' } },
      { a: '<A> {n} | ^', b: { c: '2026-03-06T09:00:00.000Z' } },
    ],
    [
      { a: 1, b: true, c: null, d: '' },
      { a: 1, b: true, c: null, d: '' },
    ],
    // A text of one placeholder keeps the type of the field.
    [
      { a: '{n}', b: '{on}', c: '{no}', d: '{absent}', e: '{Id}' },
      { a: 7, b: true, c: '', d: '', e: body.Id },
    ],
    [
      { a: ' {n}', b: '{n} ', c: '{n}{on}' },
      { a: ' 7', b: '7 ', c: '7true' },
    ],
    [
      { a: '{long}', b: '{fits}', c: '-{long}-' },
      { a: '', b: body.fits, c: '--' },
    ],
  ])('of the map %j is %j', (template, json) => {
    expect(JSON.parse(write(template))).toEqual(json);
  });

  test('starts with the fields of the body, which those of the template replace under the names of the request', () => {
    const { in: _, list: __, ...own } = body;
    const echo = { ...own, Id: 'other', long: '' };
    expect(write({ ID: 'other', new: '{text}' }, true)).toBe(JSON.stringify({ ...echo, new: values.text }));
  });

  test('echoes no field whose name is too long', () => {
    const fields = readFields({ body: `${long}=1&${body.fits}=2`, query: {}, path: '' });
    expect(JSON.parse(writeTemplate({}, { ...values, fields, isXml: false }, true))).toEqual({
      [body.fits]: '2',
    });
  });

  test('in XML has every value escaped', () => {
    const fields = readFields({ body: 'id=%22%26', query: {}, path: '' });
    const given = { ...values, fields, isXml: true };
    expect(writeTemplate('<m id="{id}">{text}</m>', given, false)).toBe(
      '<m id="&quot;&amp;">&lt;A&gt; {n} | ^</m>',
    );
  });
});

test.each([
  ['text/xml', true],
  ['application/xml; charset=utf-8', true],
  ['application/soap+xml', true],
  ['application/json', false],
  ['text/xml2', false],
  ['text/plain; xml', false],
])('%s is XML: %s', (contentType, expected) => {
  expect(isXml(contentType)).toBe(expected);
});

test.each([
  [`<a b="c">'&`, '&lt;a b=&quot;c&quot;&gt;&apos;&amp;'],
  ['&lt;', '&amp;lt;'],
  ['\t\n\r \uD7FF\uE000\uFFFD\u{10000}\u{10FFFF}', '\t\n\r \uD7FF\uE000\uFFFD\u{10000}\u{10FFFF}'],
])('%j in XML is %j, and the reverse', (text, xml) => {
  expect(escapeXml(text)).toBe(xml);
  expect(unescapeXml(xml)).toBe(text);
});

test('a text in XML has no character that XML cannot contain, and an unknown entity stays', () => {
  expect(escapeXml('a\u0000\u000B\u001Fb\uD800\uFFFE\uFFFFc')).toBe('abc');
  expect(unescapeXml('&nbsp;&&amp;amp;')).toBe('&nbsp;&&amp;');
});
