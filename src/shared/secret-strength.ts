/* No library: estimators rate passwords that people remember, and here a random text must have 128 bits. */

/** The number of random bits below which a secret can be guessed offline. */
const minSecretBits = 128;

/** Alphabets of random texts, the smallest first. A secret has the bits of the first one that contains all of it. */
const alphabets: readonly (readonly [RegExp, number])[] = [
  [/^[0-9]*$/, 10],
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 16],
  [/^(?:[a-z]*|[A-Z]*)$/, 26],
  [/^(?:[a-z0-9]*|[A-Z0-9]*)$/, 36],
];
/** The alphabet of base64, for everything else. */
const maxAlphabet = 64;

/**
 * Words of secrets that a person wrote. A random text of 128 bits and more contains none of them once in a hundred million
 * times: words of six letters count as a person writes them, and shorter ones only between other characters.
 */
const commonWords =
  `secret password passwd passphrase passw0rd changeme change-me change_me example default placeholder
  replace sample dialtill webhook qwerty letmein`.split(/\s+/);
const shortWords = ['pass', 'token', 'admin'];

/** Returns a word in lower case, in upper case and capitalised. */
const listCases = (word: string) => [
  word,
  word.toUpperCase(),
  word.replace(/^./, (letter) => letter.toUpperCase()),
];
const commonWord = new RegExp(
  [
    ...commonWords.flatMap(listCases),
    `(?<![A-Za-z0-9])(?:${shortWords.flatMap(listCases).join('|')})(?![A-Za-z0-9])`,
  ].join('|'),
);

const minDistinctCharacters = 6;
const minSequenceLength = 10;

/**
 * Returns why a secret can be guessed; `undefined` when it looks like at least 128 random bits. Each bound is so low that a
 * random text has the weakness less than once in a million times, and one of hexadecimal digits or base64 less than once in
 * a hundred million times.
 *
 * @param secret the secret, with or without the prefix `whsec_`.
 */
export function findWeakness(secret: string): string | undefined {
  const text = secret.replace(/^whsec_/, '').replace(/=+$/, '');
  const size = alphabets.find(([alphabet]) => alphabet.test(text))?.[1] ?? maxAlphabet;
  if (text.length * Math.log2(size) < minSecretBits) return `has fewer than ${minSecretBits} random bits`;
  if (new Set(text).size < minDistinctCharacters) return 'repeats a few characters';
  if (isRepetition(text)) return 'repeats the same part';
  if (commonWord.test(text)) return 'contains a common word';
  if (hasSequence(text)) return 'contains a sequence such as 0123456789';
  if (isEncodedText(text)) return 'is the base64 of a readable text';
  return undefined;
}

/** True for a text that consists of two or more equal parts, the last of which may be cut. */
function isRepetition(text: string): boolean {
  return text.indexOf(text.slice(0, Math.ceil(text.length / 2)), 1) > 0;
}

/** True when consecutive characters count up or down. */
function hasSequence(text: string): boolean {
  for (const direction of [1, -1]) {
    let length = 1;
    for (let at = 1; at < text.length; at++) {
      length = text.charCodeAt(at) - text.charCodeAt(at - 1) === direction ? length + 1 : 1;
      if (length >= minSequenceLength) return true;
    }
  }
  return false;
}

/** True for base64 of words. Other printable characters are too frequent in random bytes. */
function isEncodedText(text: string): boolean {
  return /^[A-Za-z0-9 ,.:'_-]+$/.test(Buffer.from(text, 'base64').toString('latin1'));
}
