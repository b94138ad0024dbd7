import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fitScreen, septets, type TextStyle } from '../../src/shared/screen-text.ts';

/** 3GPP TS 23.038, basic table and extension table, without the characters that we never send. */
const screenCharacters =
  /^[\n !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z£¥¤§¡¿\u0394\u03A6\u0393\u039B\u03A9\u03A0\u03A8\u03A3\u0398\u039E^{}\\[~\]|€]*$/;

const within = (limit: number): TextStyle => ({ limit, lineBreak: '\n', forbidden: '' });

/** Any text, and texts that look like screens with the characters that go wrong. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom('Pay', '₵', 'GH₵', ' ', '\r\n', '\r', '\n', '’', 'ɛ', 'É', '🎉', '€', '|', '\t', 'é'),
    )
    .map((parts) => parts.join('')),
);

describe('septets', () => {
  test.each([
    ['', 0],
    ['1. Pay\n2. Exit', 14],
    ['€', 2],
    ['^{}\\[~]|', 16],
    ['₵20', 6],
    ['…', 3],
    ['🎉', 0],
  ])('counts %j as %i', (text, count) => {
    expect(septets(text)).toBe(count);
  });
});

describe('a text on a screen', () => {
  test.each([
    ['₵20.50', 'GHS 20.50'],
    ['GH₵20', 'GHS 20'],
    ['GH₵ 20', 'GHS 20'],
    ['GHS 20', 'GHS 20'],
    ['gh¢5', 'GHS 5'],
    ['‘Auntie’s’ “Chop Bar” – Osu…', "'Auntie's' \"Chop Bar\" - Osu..."],
    ['Ɛyɛ! Medɔ wo. Ŋutɔ ɖe ƒe', 'Eye! Medo wo. Nuto de fe'],
    ['Café Élan, Ñandú', 'Cafe Elan, Nandu'],
    ['a`b\tc', "a'b c"],
    ['Pay 🎉👩🏾‍🍳now', 'Pay now'],
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['\u0000a\u001bb\u007f\u0085c', 'abc'],
    ['ﬁne № ½', 'fine No 1/2'],
    ['Магазин 7', '??????? 7'],
  ])('%j is shown as %j', (text, shown) => {
    expect(fitScreen(text, within(182))).toBe(shown);
  });

  test.each([
    ['one line\nsecond line\nthird', 22, 'one line\nsecond line'],
    ['one line\nsecond line\nthird', 20, 'one line\nsecond line'],
    ['Pay GHS 20.50 to Demo', 12, 'Pay GHS'],
    ['Pay GHS 20.50 to Demo', 13, 'Pay GHS 20.50'],
    ['a\nverylongwordwithoutanyblank', 20, 'a\nverylongwordwithou'],
    ['€€€', 5, '€€'],
    ['anything', 0, ''],
  ])('%j is cut to %i septets at a line, a word or a character', (text, limit, shown) => {
    expect(fitScreen(text, within(limit))).toBe(shown);
  });

  it('never exceeds the limit and holds only characters of the alphabet', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, limit) => {
        const shown = fitScreen(text, within(limit));
        expect(septets(shown)).toBeLessThanOrEqual(limit);
        expect(shown).toMatch(screenCharacters);
      }),
    );
  });

  it('is the same when it is fitted again', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, limit) => {
        const once = fitScreen(text, within(limit));
        expect(fitScreen(once, within(limit))).toBe(once);
      }),
    );
  });

  it('is whole when there is room, and else a beginning of the whole', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, limit) => {
        const whole = fitScreen(text, within(Number.MAX_SAFE_INTEGER));
        const shown = fitScreen(text, within(limit));
        expect(whole.startsWith(shown)).toBe(true);
        if (septets(text) <= limit) expect(shown).toBe(whole);
      }),
    );
  });

  test.each([
    ["Auntie's & Co | <b>", "&|<>'", 'Aunties + Co / (b)'],
    ['a{b}[c]~d_e\\f"g', '{}[]~_\\"', "a(b)(c)-d-e/f'g"],
    ['5^2 costs $3', '^$', '52 costs 3'],
  ])('%j without %j is shown as %j', (text, forbidden, shown) => {
    expect(fitScreen(text, { limit: 182, lineBreak: '\n', forbidden })).toBe(shown);
  });

  it('breaks lines as the channel does, and a character that means a break means nothing else', () => {
    const shown = fitScreen('one ^\ntwo\nthree', { limit: 11, lineBreak: '^', forbidden: '|' });
    expect(shown).toBe('one ^two');
  });

  it('never holds a forbidden character, and never grows by leaving one out', () => {
    const signs = fc.string({ unit: fc.constantFrom(...'!"$%&\'+;<=>@[\\]_`{|}~'), maxLength: 12 });
    fc.assert(
      fc.property(anyText, signs, fc.nat(200), (text, forbidden, limit) => {
        const shown = fitScreen(text, { limit, lineBreak: '\n', forbidden });
        expect(Array.from(shown).filter((character) => forbidden.includes(character))).toEqual([]);
        expect(septets(shown)).toBeLessThanOrEqual(Math.min(limit, septets(text)));
      }),
    );
  });
});
