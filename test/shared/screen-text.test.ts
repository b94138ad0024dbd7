import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  countGsmSeptets,
  countSeptets,
  fitScreen,
  hasGsmForm,
  type TextStyle,
} from '../../src/shared/screen-text.ts';

/** 3GPP TS 23.038, basic table and extension table, without the characters that the gateway never sends. */
const screenCharacters =
  /^[\n !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z£¥¤§¡¿\u0394\u03A6\u0393\u039B\u03A9\u03A0\u03A8\u03A3\u0398\u039E^{}\\[~\]|€]*$/;

const within = (limit: number): TextStyle => ({ alphabet: 'gsm', limit, lineBreak: '\n', forbidden: '' });
const withinUnicode = (limit: number): TextStyle => ({ ...within(limit), alphabet: 'unicode' });

/** Generates any text, and screen-like texts with problematic characters. */
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
    expect(countGsmSeptets(text)).toBe(count);
  });

  it('count a line break of two characters twice, also in UCS-2', () => {
    expect(countSeptets('a\nb\nc', 'gsm', '\r\n')).toBe(7);
    expect(countSeptets('a\nb', 'unicode', '\r\n')).toBe(4);
    expect(countSeptets('ɛ\nb', 'unicode', '\r\n')).toBe(Math.floor((4 * 16) / 7));
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

  it('never exceeds the limit and has only characters of the alphabet', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, limit) => {
        const shown = fitScreen(text, within(limit));
        expect(countGsmSeptets(shown)).toBeLessThanOrEqual(limit);
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

  it('is complete when it fits, and otherwise a prefix of the complete text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, limit) => {
        const whole = fitScreen(text, within(Number.MAX_SAFE_INTEGER));
        const shown = fitScreen(text, within(limit));
        expect(whole.startsWith(shown)).toBe(true);
        if (countGsmSeptets(text) <= limit) expect(shown).toBe(whole);
      }),
    );
  });

  test.each([
    ["Auntie's & Co | <b>", "&|<>'", 'Aunties + Co / (b)'],
    ['a{b}[c]~d_e\\f"g', '{}[]~_\\"', "a(b)(c)-d-e/f'g"],
    ['5^2 costs $3', '^$', '52 costs 3'],
  ])('%j without %j is shown as %j', (text, forbidden, shown) => {
    expect(fitScreen(text, { ...within(182), forbidden })).toBe(shown);
  });

  it("uses the channel's line break, whose character has no other meaning", () => {
    const shown = fitScreen('one ^\ntwo\nthree', { ...within(11), lineBreak: '^', forbidden: '|' });
    expect(shown).toBe('one ^two');
  });

  test.each(['<br/>', '\\n', '%0A'])('keeps the letters and digits of the line break %s', (lineBreak) => {
    const shown = fitScreen('brand 0\nAn', { ...within(182), lineBreak });
    expect(shown).toBe(`brand 0${lineBreak}An`);
  });

  it('counts each character of the line break', () => {
    const style = { ...within(12), lineBreak: '\r\n' };
    expect(fitScreen('one\ntwo\nsix', style)).toBe('one\r\ntwo');
    expect(fitScreen('one\ntwo\nsix', { ...style, limit: 13 })).toBe('one\r\ntwo\r\nsix');
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 182 }), (text, limit) => {
        for (const alphabet of ['gsm', 'unicode'] as const) {
          const shown = fitScreen(text, { ...style, alphabet, limit });
          expect(countSeptets(shown, alphabet, '\r\n')).toBeLessThanOrEqual(limit);
          expect(shown.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never has a forbidden character, and omitting one never makes it longer', () => {
    const signs = fc.string({ unit: fc.constantFrom(...'!"$%&\'+;<=>@[\\]_`{|}~'), maxLength: 12 });
    fc.assert(
      fc.property(anyText, signs, fc.nat(200), (text, forbidden, limit) => {
        const shown = fitScreen(text, { ...within(limit), forbidden });
        expect(Array.from(shown).filter((character) => forbidden.includes(character))).toEqual([]);
        expect(countGsmSeptets(shown)).toBeLessThanOrEqual(Math.min(limit, countGsmSeptets(text)));
      }),
    );
  });
});

/** Generates texts in Ghanaian and other languages, with problematic sequences of letters. */
const anyLetters = fc.oneof(
  anyText,
  fc
    .array(
      fc.constantFrom(
        ...['Tua', 'ɛ', 'ɔ', 'Ŋ', 'ɛ\u0303', 'e\u0301', ...'₵ € ^ & < دفع ห ᄀ ᅡ ﬁ “ – ½'.split(' ')],
        ...[
          ' ',
          '\n',
          '\r',
          '🎉',
          '\u200d',
          '\u0000',
          '\u0301',
          '\u0338',
          '\ufe0f',
          '\ud83c',
          '☎',
          'क़',
          '´',
          '\u037e',
        ],
      ),
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: fc.constantFrom('a', 'ɔ', ' ', '\n', '€'), maxLength: 220 }),
);

/** Returns the octets on the air: 7 bits for each septet in the GSM alphabet, otherwise two octets for each UTF-16 unit. */
function octets(text: string): number {
  if (!screenCharacters.test(text)) return text.length * 2;
  const extended = text.match(/[\^{}\\[~\]|€]/g)?.length ?? 0;
  return Math.ceil(((text.length + extended) * 7) / 8);
}

describe('the size of a text on a screen', () => {
  test.each([
    ['', 0, 0],
    ['1. Pay', 6, 6],
    ['€|', 4, 4],
    ['x'.repeat(182), 182, 182],
    ['Tua ₵20', 10, 16],
    ['Akwaaba, medɔ', 13, 29],
    ['ɔ'.repeat(80), 80, 182],
    ['ɔ'.repeat(81), 81, 185],
    ['“Auntie’s” – Osu…', 19, 19],
    ['🎉', 0, 0],
    ['e\u200d\u0301', 1, 2],
  ])('%j has %i septets on a GSM channel and %i on a Unicode channel', (text, gsm, unicode) => {
    expect(countSeptets(text, 'gsm')).toBe(gsm);
    expect(countSeptets(text, 'unicode')).toBe(unicode);
  });

  it('equals the size of the displayed text', () => {
    fc.assert(
      fc.property(anyLetters, fc.constantFrom('gsm', 'unicode'), (text, alphabet) => {
        const shown = fitScreen(text, { ...within(Number.MAX_SAFE_INTEGER), alphabet });
        expect(countSeptets(text, alphabet)).toBe(countSeptets(shown, alphabet));
      }),
    );
  });
});

describe('a text on a Unicode screen', () => {
  test.each([
    ['Ɛyɛ! Medɔ wo. Ŋutɔ ɖe ƒe', 'Ɛyɛ! Medɔ wo. Ŋutɔ ɖe ƒe'],
    ['Tua ₵20.50', 'Tua ₵20.50'],
    ['Cafe\u0301 Élan', 'Café Élan'],
    ['Mɛ\u0303', 'Mɛ\u0303'],
    ['ادفع 20', 'ادفع 20'],
    ['‘Auntie’s’ “Chop Bar” – Osu…', "'Auntie's' \"Chop Bar\" - Osu..."],
    ['Medɔ 🎉👩🏾‍🍳wo ☎', 'Medɔ wo '],
    ['medɔ\r\nwo\u2028yɛ\u0000\u001b\u007f\u200f', 'medɔ\nwo\nyɛ'],
    ['𞤀 𝐀', '? A'],
  ])('%j is shown as %j', (text, shown) => {
    expect(fitScreen(text, withinUnicode(182))).toBe(shown);
  });

  test('is written in GSM letters instead of being cut when it is too long', () => {
    const text = `Medɔ wo\n${'a'.repeat(73)}`;
    expect(fitScreen(text.slice(0, -1), withinUnicode(182))).toBe(text.slice(0, -1));
    expect(fitScreen(text, withinUnicode(182))).toBe(text.replace('ɔ', 'o'));
  });

  test('is cut in GSM letters when these lose nothing, and in its own letters otherwise', () => {
    expect(fitScreen('ɔ'.repeat(100), withinUnicode(60))).toBe('o'.repeat(60));
    expect(fitScreen('ห'.repeat(100), withinUnicode(182))).toBe('ห'.repeat(80));
    expect(fitScreen(`${'a'.repeat(100)} ห`, withinUnicode(120))).toBe('a'.repeat(100));
  });

  test('has neither forbidden characters nor the character of the line break', () => {
    const style = { ...withinUnicode(182), forbidden: '&₵', lineBreak: '^' };
    expect(fitScreen('a^ɔ & ₵5\nb', style)).toBe('aɔ + 5^b');
    expect(fitScreen('e^\u0301', style)).toBe('é');
  });

  it('never exceeds the octets of the limit', () => {
    fc.assert(
      fc.property(anyLetters, fc.nat(200), (text, limit) => {
        const shown = fitScreen(text, withinUnicode(limit));
        expect(octets(shown)).toBeLessThanOrEqual(Math.ceil((limit * 7) / 8));
        expect(countSeptets(shown, 'unicode')).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('has only UCS-2 characters and no control characters', () => {
    fc.assert(
      fc.property(anyLetters, fc.nat(200), (text, limit) => {
        const shown = fitScreen(text, withinUnicode(limit));
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{C}\u{10000}-\u{10ffff}]/u);
      }),
    );
  });

  it('is the same when it is fitted again', () => {
    fc.assert(
      fc.property(anyLetters, fc.constantFrom('', '&', '^<'), fc.nat(200), (text, forbidden, limit) => {
        const style = { ...withinUnicode(limit), forbidden };
        const once = fitScreen(text, style);
        expect(fitScreen(once, style)).toBe(once);
      }),
    );
  });

  it('is never larger after fitting than before', () => {
    fc.assert(
      fc.property(anyLetters, fc.constantFrom('', '&', '^<'), fc.nat(200), (text, forbidden, limit) => {
        const shown = fitScreen(text, { ...withinUnicode(limit), forbidden });
        expect(countSeptets(shown, 'unicode')).toBeLessThanOrEqual(countSeptets(text, 'unicode'));
      }),
    );
  });

  it('is complete when it fits in one of the alphabets', () => {
    fc.assert(
      fc.property(anyLetters, fc.nat(200), (text, limit) => {
        const shown = fitScreen(text, withinUnicode(limit));
        const room = Number.MAX_SAFE_INTEGER;
        if (countSeptets(text, 'unicode') <= limit) expect(shown).toBe(fitScreen(text, withinUnicode(room)));
        else if (hasGsmForm(text)) expect(shown).toBe(fitScreen(text, within(limit)));
      }),
    );
  });
});

describe('a text', () => {
  test.each([
    '',
    'Pay GHS 20\n1. Yes',
    'Tua ₵20',
    'Ɛyɛ! Medɔ wo. Ŋutɔ ɖe ƒe',
    'Mɛ\u0303 Café É e\u0301',
    '‘Auntie’s’ “Chop Bar” – Osu…',
    '20 × 2 ÷ 4',
    'one\r\ntwo',
    'ﬁne № ½',
  ])('%j has a GSM form', (text) => {
    expect(hasGsmForm(text)).toBe(true);
  });

  test.each([
    'Pay 🎉',
    'ادفع',
    'Магазин',
    '元',
    'a\u0000b',
    'a\u001bb',
    'a\u007f',
    'a\u200db',
    '5 ☎',
    '1\ufe0f\u20e3',
    'a ≠ b',
    '\u0301',
    '\ud83c',
    'Łódź',
  ])('%j has no GSM form', (text) => {
    expect(hasGsmForm(text)).toBe(false);
  });

  it('has a GSM form exactly when no character is replaced by a question mark or removed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...'abɛɔŋŊ₵é“–…?×ห元🎉☎\u0000\u200d'), (character) => {
        const shown = fitScreen(`a${character}b`, within(182));
        const isLost = shown === 'ab' || (shown === 'a?b' && character !== '?');
        expect(hasGsmForm(`a${character}b`)).toBe(!isLost);
      }),
    );
  });
});
