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
const largestAlphabet = 64;

/** Words of secrets that a person wrote. Words of four letters also occur in random texts. */
const commonWords =
  /secret|passw|changeme|change[-_ ]me|example|default|placeholder|replace|sample|dialtill|token|admin|webhook|qwerty|letmein/i;

const minDistinctCharacters = 8;
const minSequenceLength = 8;

/**
 * Returns why a secret can be guessed; `undefined` when it looks like at least 128 random bits. The bounds are so low that
 * a random text of hexadecimal digits or base64 practically never has a weakness.
 *
 * @param secret the secret, with or without the prefix `whsec_`.
 */
export function weaknessOf(secret: string): string | undefined {
  const text = secret.replace(/^whsec_/, '').replace(/=+$/, '');
  const size = alphabets.find(([alphabet]) => alphabet.test(text))?.[1] ?? largestAlphabet;
  if (text.length * Math.log2(size) < minSecretBits) return `has fewer than ${minSecretBits} random bits`;
  if (new Set(text).size < minDistinctCharacters) return 'repeats a few characters';
  if (isRepetition(text)) return 'repeats the same part';
  if (commonWords.test(text)) return 'contains a common word';
  if (hasSequence(text)) return 'contains a sequence such as 01234567';
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

function isEncodedText(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(Buffer.from(text, 'base64').toString('latin1'));
}
