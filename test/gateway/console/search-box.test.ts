import { expect, test } from 'vitest';
import { isPrivateTerm, readSearchBox } from '../../../src/gateway/support/filter-text.ts';

test.each([
  ['', { kind: 'empty' }],
  ['  ', { kind: 'empty' }],
  ['KA 1024', { kind: 'term', term: 'KA 1024' }],
  ['status:paid', { kind: 'filters', texts: { status: 'paid' } }],
  ['on:2026-11-20', { kind: 'filters', texts: { from: '2026-11-20', to: '2026-11-20' } }],
  ['amount:20.50', { kind: 'filters', texts: { min: '20.50', max: '20.50' } }],
  ['amount:20..', { kind: 'filters', texts: { min: '20' } }],
  ['amount:..50 last4:3456', { kind: 'filters', texts: { max: '50', last4: '3456' } }],
])('%j is read as %j', (text, read) => {
  expect(readSearchBox(text, { now: 0 })).toMatchObject(read);
});

test.each([
  ...'late:yes status:done on:yesterday amount:50..20 merchant:0244123456'.split(' '),
  'status:paid ama',
])('%j is refused with the reason', (text) => {
  expect(readSearchBox(text, { now: 0 })).toEqual({
    kind: 'invalid',
    message: expect.stringMatching(/\w+.*\.$/),
  });
});

test.each(['0244123456', '+233 24 412 3456', '0302 123 456', '244-123-45', 'to 0244123456', '4821 7362'])(
  '%j does not stand in a URL',
  (term) => {
    expect(isPrivateTerm(term)).toBe(true);
  },
);

test.each(['KA1024', '3456', '20.50', 'col_01k8n2rm'])('%j can stand in a URL', (term) => {
  expect(isPrivateTerm(term)).toBe(false);
});
