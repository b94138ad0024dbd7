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

/**
 * The same text in characters that every handset shows. `₵20` becomes `GHS 20`, `Ɔdɔ` becomes `Odo`, accents
 * and emoji go, line ends become `\n`.
 */
function toAlphabet(text: string): string {
  const plain = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/(?:ghs? ?)?₵ ?|gh¢ ?/gi, 'GHS ')
    // Decomposed, the acute accent alone would become a blank.
    .replaceAll('´', "'")
    .normalize('NFKD');
  return Array.from(plain, transliterate).join('');
}

function septetsOfCharacter(character: string): 1 | 2 {
  return twoSeptets.has(character) ? 2 : 1;
}

/** How many septets the text takes on the air, once written in the alphabet of handsets. */
export function septets(text: string): number {
  let count = 0;
  for (const character of toAlphabet(text)) count += septetsOfCharacter(character);
  return count;
}

/** How one channel wants its screens. */
export type TextStyle = {
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
 * The result has only characters of the GSM 7-bit alphabet that are not forbidden, and never exceeds the limit. What
 * is too long is cut, at the last line that fits, else at the last word, else within the word; menus are proven to
 * fit, so the cut is the last resort for texts that come from outside.
 */
export function fitScreen(text: string, { limit, lineBreak, forbidden }: TextStyle): string {
  // A character that means a line break cannot mean itself.
  const signs = forbidden + lineBreak.replaceAll('\n', '');
  return cut(withoutForbidden(toAlphabet(text), signs), limit).replaceAll('\n', lineBreak);
}

function cut(whole: string, septetLimit: number): string {
  let used = 0;
  let end = 0;
  for (const character of whole) {
    used += septetsOfCharacter(character);
    if (used > septetLimit) break;
    end += character.length;
  }
  if (end === whole.length) return whole;

  // A boundary in the first half would throw away more than it tidies.
  const head = whole.slice(0, end + 1);
  const boundary = [head.lastIndexOf('\n'), head.lastIndexOf(' ')].find((at) => at > end / 2);
  return whole.slice(0, boundary ?? end).trimEnd();
}
