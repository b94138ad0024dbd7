/**
 * The characters that screens may hold: the GSM 7-bit default alphabet (3GPP TS 23.038) without its accented
 * letters, which aggregators refuse although the alphabet has them, and without CR and ESC.
 */
const oneSeptet = new Set(
  '\n !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz£¥¤§¡¿ΔΦΓΛΩΠΨΣΘΞ',
);

/** The extension table: each of these is sent behind an escape code and takes two septets. */
const twoSeptets = new Set('^{}\\[~]|€');

/** What Unicode's own compatibility decomposition leaves outside the alphabet, by what is written instead. */
const substitutes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "'": '‘’‚‛′`',
    '"': '“”„«»',
    '-': '‐‒–—―−•',
    '.': '·',
    '/': '⁄÷',
    ' ': '\t',
    x: '×',
    c: '¢',
    e: 'ɛ',
    E: 'Ɛ',
    o: 'ɔø',
    O: 'ƆØ',
    n: 'ŋ',
    N: 'Ŋ',
    d: 'ɖđ',
    D: 'ƉĐ',
    f: 'ƒ',
    F: 'Ƒ',
    g: 'ɣ',
    G: 'Ɣ',
    v: 'ʋ',
    V: 'Ʋ',
    ae: 'æ',
    AE: 'Æ',
    oe: 'œ',
    OE: 'Œ',
    ss: 'ß',
  }).flatMap(([plain, characters]) => Array.from(characters, (character) => [character, plain] as const)),
);

function inAlphabet(character: string): boolean {
  return oneSeptet.has(character) || twoSeptets.has(character);
}

function transliterate(character: string): string {
  if (inAlphabet(character)) return character;
  const substitute = substitutes.get(character);
  if (substitute !== undefined) return substitute;
  // A letter of another script leaves a visible gap; marks, emoji and control characters leave none.
  return /[\p{L}\p{N}]/u.test(character) ? '?' : '';
}

function withLineEnds(text: string): string {
  // Decomposed, the acute accent alone would become a blank.
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll('´', "'");
}

/** Decomposed, so that accents stand behind their letters; the cedi sign written out. */
function decompose(text: string): string {
  return withLineEnds(text)
    .replace(/(?:ghs? ?)?₵ ?|gh¢ ?/gi, 'GHS ')
    .normalize('NFKD');
}

/**
 * The same text in characters that every handset shows. `₵20` becomes `GHS 20`, `Ɔdɔ` becomes `Odo`, accents
 * and emoji go, line ends become `\n`.
 */
function toAlphabet(text: string): string {
  return Array.from(decompose(text), transliterate).join('');
}

/** What UCS-2 can say and a line of text needs: a letter, a mark on it, a number, a currency. */
const ucs2Letter = /^[\p{L}\p{Mn}\p{Mc}\p{N}\p{Sc}]$/u;

function inUcs2(character: string): string {
  if (inAlphabet(character)) return character;
  // Outside the basic plane a character is two units, which UCS-2 does not read as one.
  const fits = character.length === 1 && !/\p{Variation_Selector}/u.test(character);
  if (fits && ucs2Letter.test(character)) return character;
  // One curly quote would more than halve the room of its screen, and says no more than a straight one.
  if (!substitutes.has(character) && fits && /[\p{P}\p{Sm}]/u.test(character)) return character;
  return transliterate(character);
}

/**
 * The same text in characters that UCS-2 can hold. Letters of every script, accents and the cedi sign stay; emoji and
 * control characters go; quotes and dashes become those of the GSM alphabet, line ends `\n`.
 */
function toUcs2(text: string): string {
  // What is left out may have parted a letter and its accent.
  return Array.from(withLineEnds(text).normalize('NFKC'), inUcs2).join('').normalize('NFC');
}

/**
 * Whether a text can be shown everywhere without loss: each character is in the GSM alphabet or has a faithful likeness
 * there (`₵`, `ɛ`, `ŋ`, accented letters, curly quotes, dashes). False for what would become `?` or vanish.
 */
export function hasGsmForm(text: string): boolean {
  const withoutAccents = decompose(text).replace(/(\p{L})\p{M}+/gu, '$1');
  return Array.from(withoutAccents).every((character) => inAlphabet(character) || substitutes.has(character));
}

function septetsOfCharacter(character: string): 1 | 2 {
  return twoSeptets.has(character) ? 2 : 1;
}

/** What stays as it is in the alphabet of handsets, as most texts do. */
const plainAscii = /^[\n\x20-\x5f\x61-\x7e]*$/;
const twoSeptetsOfAscii = /[\^{}\\[~\]|]/g;

/** How many septets the text takes on the air, once written in the alphabet of handsets. */
export function gsmSeptetsOf(text: string): number {
  if (plainAscii.test(text)) return text.length + (text.match(twoSeptetsOfAscii)?.length ?? 0);
  return scale().add(toAlphabet(text));
}

/** The letters that a channel takes: those of the GSM 7-bit alphabet, or any that UCS-2 can hold. */
export const alphabets = ['gsm', 'unicode'] as const;
export type Alphabet = (typeof alphabets)[number];

/**
 * How much of a screen's limit a text takes, in septets, once written in an alphabet.
 *
 * In `unicode` one letter outside the GSM alphabet makes the whole text UCS-2, of 16 bits a letter: 160 octets hold 182
 * septets or 80 such letters (3GPP TS 23.038).
 */
export function septetsOf(text: string, alphabet: Alphabet): number {
  return alphabet === 'gsm' ? gsmSeptetsOf(text) : scale().add(toUcs2(text));
}

/** Weighs a text that is already in its alphabet, piece by piece: `add` says what all pieces so far take together. */
function scale(): { add(piece: string): number } {
  let count = 0;
  let units = 0;
  let isGsm = true;
  return {
    add(piece) {
      units += piece.length;
      for (const character of piece) {
        count += septetsOfCharacter(character);
        isGsm &&= inAlphabet(character);
      }
      // Rounded down: a last septet that is only begun needs no octet of its own.
      return isGsm ? count : Math.floor((units * 16) / 7);
    },
  };
}

/** How one channel wants its screens. */
export type TextStyle = {
  readonly alphabet: Alphabet;
  /** Septets of the GSM 7-bit alphabet that one screen may hold. */
  readonly limit: number;
  /** What stands for a line break on the wire; it counts as one septet. */
  readonly lineBreak: string;
  /** Characters that must not appear, besides those outside the alphabet. */
  readonly forbidden: string;
};
/** What is written instead of a forbidden character; what is not listed is left out. None takes more room. */
const stand: Readonly<Record<string, string>> = {
  '&': '+',
  '|': '/',
  '\\': '/',
  '<': '(',
  '>': ')',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '~': '-',
  _: '-',
  '"': "'",
};

function withoutForbidden(text: string, forbidden: string): string {
  if (forbidden === '') return text;
  return Array.from(text, (character) => {
    if (!forbidden.includes(character)) return character;
    const instead = stand[character] ?? '';
    return forbidden.includes(instead) ? '' : instead;
  }).join('');
}

/**
 * Writes a text so that one screen of this style holds it.
 *
 * The result has only characters of the style's alphabet that are not forbidden, and never exceeds the limit. In
 * `unicode`, a text that fits only in the GSM alphabet is written in that, where it loses nothing by it. What is still
 * too long is cut, at the last line that fits, else at the last word, else within the word; menus are proven to fit,
 * so the cut is the last resort for texts that come from outside.
 */
export function fitScreen(text: string, { alphabet, limit, lineBreak, forbidden }: TextStyle): string {
  // A character that means a line break cannot mean itself.
  const signs = forbidden + lineBreak.replaceAll('\n', '');
  const written = (letters: string) => withoutForbidden(letters, signs);
  const inOwnLetters = () => written(toUcs2(text)).normalize('NFC');
  const isPlain = alphabet === 'gsm' || (scale().add(inOwnLetters()) > limit && hasGsmForm(text));
  return cut(isPlain ? written(toAlphabet(text)) : inOwnLetters(), limit).replaceAll('\n', lineBreak);
}

function cut(whole: string, limit: number): string {
  const { add } = scale();
  let end = 0;
  for (const character of whole) {
    if (add(character) > limit) break;
    end += character.length;
  }
  if (end === whole.length) return whole;

  // A boundary in the first half would throw away more than it tidies.
  const head = whole.slice(0, end + 1);
  const boundary = [head.lastIndexOf('\n'), head.lastIndexOf(' ')].find((at) => at > end / 2);
  return whole.slice(0, boundary ?? end).trimEnd();
}
