const formatCharacter = /\p{Cf}/gu;
const dash = /[\p{Pd}\u2212\u2043]/gu;
const foreignDigit = /(?![0-9])\p{Nd}/gu;
/** Quotes of any kind, as the class of a regular expression. */
export const quotes = `["'\`´‘’‚“”„«»‹›]`;
// The lookbehind lets a run of quotes be read once: otherwise a long one takes quadratic time.
const quotesAround = new RegExp(`^${quotes}+|(?<!${quotes})${quotes}+$`, 'g');

/** The decimal digits of a script stand in their order, ten at a time. */
function toDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** Returns a typed text in plain characters: digits as 0 to 9, dashes as `-`, blanks as one space, without quotes around it. */
export function normalizeTyped(text: string): string {
  return text
    .normalize('NFKC')
    .replace(formatCharacter, '')
    .replace(dash, '-')
    .replace(foreignDigit, toDigit)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(quotesAround, '')
    .trim();
}
