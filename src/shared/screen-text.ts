/* No library: codecs of the GSM alphabet encode messages, and here a text must fit a screen with the rules of its aggregator. */

/** The characters of one septet: the GSM 7-bit alphabet (3GPP TS 23.038) without CR, ESC and accents, which aggregators reject. */
const oneSeptet = new Set(
  '\n !"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz£¥¤§¡¿ΔΦΓΛΩΠΨΣΘΞ',
);

/** The extension table of the alphabet. Each character is sent after an escape code and has two septets. */
const twoSeptets = new Set('^{}\\[~]|€');

/** Replacements for characters that Unicode's compatibility decomposition does not bring into the alphabet. */
const substitutes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ "'": '‘’‚‛′`', '"': '“”„«»', '-': '‐‒–—―−•', '.': '·', '/': '⁄÷', ' ': '\t' },
    ...{ x: '×', c: '¢', e: 'ɛ', E: 'Ɛ', o: 'ɔø', O: 'ƆØ', n: 'ŋ', N: 'Ŋ', d: 'ɖđ', D: 'ƉĐ' },
    ...{ f: 'ƒ', F: 'Ƒ', g: 'ɣ', G: 'Ɣ', v: 'ʋ', V: 'Ʋ', ae: 'æ', AE: 'Æ', oe: 'œ', OE: 'Œ', ss: 'ß' },
  }).flatMap(([plain, characters]) => Array.from(characters, (character) => [character, plain] as const)),
);

function inAlphabet(character: string): boolean {
  return oneSeptet.has(character) || twoSeptets.has(character);
}

function transliterate(character: string): string {
  if (inAlphabet(character)) return character;
  const substitute = substitutes.get(character);
  if (substitute !== undefined) return substitute;
  // A letter of another script is replaced visibly; marks, emoji and control characters are removed.
  return /[\p{L}\p{N}]/u.test(character) ? '?' : '';
}

function normalizeLineEnds(text: string): string {
  // The decomposition would turn a single acute accent into a blank.
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll('´', "'");
}

/** Separates accents from their letters, and writes the cedi sign as `GHS `. */
function decompose(text: string): string {
  return normalizeLineEnds(text)
    .replace(/(?:ghs? ?)?₵ ?|gh¢ ?/gi, 'GHS ')
    .normalize('NFKD');
}

/** Converts a text to what every handset displays: `₵20` to `GHS 20`, `Ɔdɔ` to `Odo`, without accents and emoji, line ends as `\n`. */
function toGsm(text: string): string {
  return Array.from(decompose(text), transliterate).join('');
}

/** Characters that stay as they are in UCS-2: letters, their marks, numbers and currency signs. */
const ucs2Letter = /^[\p{L}\p{Mn}\p{Mc}\p{N}\p{Sc}]$/u;

function toUcs2Character(character: string): string {
  if (inAlphabet(character)) return character;
  // A character outside the basic plane has two units, which UCS-2 does not combine.
  const fits = character.length === 1 && !/\p{Variation_Selector}/u.test(character);
  if (fits && ucs2Letter.test(character)) return character;
  // One curly quote would make the whole text UCS-2, which leaves less than half of the screen.
  if (!substitutes.has(character) && fits && /[\p{P}\p{Sm}]/u.test(character)) return character;
  return transliterate(character);
}

/** Converts a text to UCS-2: letters of every script and accents stay, emoji and controls go, and line ends become `\n`. */
function toUcs2(text: string): string {
  // A removed character may have separated a letter from its accent.
  return Array.from(normalizeLineEnds(text).normalize('NFKC'), toUcs2Character).join('').normalize('NFC');
}

/**
 * Returns whether every handset can display the text without loss: each character is in the GSM alphabet or has an
 * equivalent there (`₵`, `ɛ`, `ŋ`, accented letters, curly quotes, dashes). Characters that would become `?` or be removed
 * have none.
 */
export function hasGsmForm(text: string): boolean {
  const withoutAccents = decompose(text).replace(/(\p{L})\p{M}+/gu, '$1');
  return Array.from(withoutAccents).every((character) => inAlphabet(character) || substitutes.has(character));
}

function septetsOfCharacter(character: string): 1 | 2 {
  return twoSeptets.has(character) ? 2 : 1;
}

/** Most texts: the conversion to the GSM alphabet does not change them. */
const plainAscii = /^[\n\x20-\x5f\x61-\x7e]*$/;
const twoSeptetsOfAscii = /[\^{}\\[~\]|]/g;

/** Returns the length of a text in septets after its conversion to the GSM alphabet. */
export function countGsmSeptets(text: string): number {
  if (plainAscii.test(text)) return text.length + (text.match(twoSeptetsOfAscii)?.length ?? 0);
  return createCounter().add(toGsm(text));
}

/** The characters that a channel accepts: those of the GSM 7-bit alphabet, or all of UCS-2. */
export const alphabets = ['gsm', 'unicode'] as const;
export type Alphabet = (typeof alphabets)[number];

/**
 * Returns the part of a screen's limit that a text needs after its conversion to an alphabet, in septets.
 *
 * In `unicode`, one letter outside the GSM alphabet makes the whole text UCS-2, with 16 bits for each character: 160 octets
 * contain 182 septets or 80 such characters (3GPP TS 23.038).
 *
 * @param lineBreak the line break on the wire. CR LF counts as two characters.
 */
export function countSeptets(text: string, alphabet: Alphabet, lineBreak = '\n'): number {
  if (alphabet === 'gsm' && lineBreak.length === 1) return countGsmSeptets(text);
  return createCounter(lineBreak).add(alphabet === 'gsm' ? toGsm(text) : toUcs2(text));
}

/** Counts the septets of a converted text. `add` returns the length of all pieces so far. */
function createCounter(lineBreak = '\n'): { add(piece: string): number } {
  let count = 0;
  let units = 0;
  let isGsm = true;
  return {
    add(piece) {
      const extra = (lineBreak.length - 1) * (piece.match(/\n/g)?.length ?? 0);
      units += piece.length + extra;
      count += extra;
      for (const character of piece) {
        count += septetsOfCharacter(character);
        isGsm &&= inAlphabet(character);
      }
      // Rounded down, because an incomplete last septet needs no octet of its own.
      return isGsm ? count : Math.floor((units * 16) / 7);
    },
  };
}

/** The texts that aggregators show as a line break. Screens do not contain the first character of any but the first. */
export const lineBreaks = ['\n', '\r\n', '\r', '^', '<br>', '<br/>', '%0A', '\\n'] as const;

/** The form of the screens of one channel. */
export type TextStyle = {
  readonly alphabet: Alphabet;
  /** Maximum length of one screen, in septets of the GSM 7-bit alphabet. */
  readonly limit: number;
  /** The text that replaces a line break on the wire. Each of its characters counts as one septet. */
  readonly lineBreak: string;
  /** Characters that must not occur, in addition to those outside the alphabet. */
  readonly forbidden: string;
};

/** Replacements of forbidden characters, none longer than its original. Characters without one are removed. */
const forbiddenReplacements: Readonly<Record<string, string>> = {
  ...{ '&': '+', '|': '/', '\\': '/', '<': '(', '>': ')', '[': '(', ']': ')', '{': '(', '}': ')' },
  ...{ '~': '-', _: '-', '"': "'" },
};

function withoutForbidden(text: string, forbidden: string): string {
  if (forbidden === '') return text;
  return Array.from(text, (character) => {
    if (!forbidden.includes(character)) return character;
    const replacement = forbiddenReplacements[character] ?? '';
    return forbidden.includes(replacement) ? '' : replacement;
  }).join('');
}

/**
 * Converts a text to one screen of a style.
 *
 * The result contains only characters of the style's alphabet that are not forbidden, and never exceeds the limit. In
 * `unicode`, a text that fits only in the GSM alphabet is converted to that, if nothing is lost. A text that is still too
 * long is cut after the last line that fits, otherwise after the last word, otherwise within the word. The screens of a
 * checked menu always fit, so only texts from outside are cut.
 */
export function fitScreen(text: string, { alphabet, limit, lineBreak, forbidden }: TextStyle): string {
  // A character that begins a line break cannot also represent itself.
  const excluded = forbidden + lineBreak.charAt(0).replace('\n', '');
  if (isUnchanged(text, excluded) && countSeptets(text, 'gsm', lineBreak) <= limit)
    return text.replaceAll('\n', lineBreak);
  const gsmForm = () => withoutForbidden(toGsm(text), excluded);
  const ucs2Form = () => withoutForbidden(toUcs2(text), excluded).normalize('NFC');
  const usesGsm =
    alphabet === 'gsm' || (createCounter(lineBreak).add(ucs2Form()) > limit && hasGsmForm(text));
  return cut(usesGsm ? gsmForm() : ucs2Form(), limit, lineBreak).replaceAll('\n', lineBreak);
}

/** Returns whether no alphabet changes the text, and it contains no excluded character: true for most screens. */
function isUnchanged(text: string, excluded: string): boolean {
  if (!plainAscii.test(text)) return false;
  for (const character of excluded) if (text.includes(character)) return false;
  return true;
}

function cut(whole: string, limit: number, lineBreak: string): string {
  const { add } = createCounter(lineBreak);
  let end = 0;
  for (const character of whole) {
    if (add(character) > limit) break;
    end += character.length;
  }
  if (end === whole.length) return whole;

  // A boundary in the first half would remove more than half of the text.
  const head = whole.slice(0, end + 1);
  const boundary = [head.lastIndexOf('\n'), head.lastIndexOf(' ')].find((at) => at > end / 2);
  return whole.slice(0, boundary ?? end).trimEnd();
}
