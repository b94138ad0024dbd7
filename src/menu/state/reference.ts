/** What a reference may contain wherever a menu composes it: a small set, because networks and statements differ in what they show. */
export const referenceCharacters = 'A-Za-z0-9 ./-';

const allowed = new RegExp(`^[${referenceCharacters}]*$`);

/** Returns whether a text has only the characters of references. */
export function hasReferenceCharacters(text: string): boolean {
  return allowed.test(text);
}

/** The service accepts references of up to 64 characters. */
export const maxReferenceLength = 64;

/** Letters that have no decomposition in Unicode. */
const letters: Readonly<Record<string, string>> = { ɛ: 'e', Ɛ: 'E', ɔ: 'o', Ɔ: 'O', ŋ: 'n', Ŋ: 'N' };

const other = new RegExp(`[^${referenceCharacters}]`, 'gu');

/**
 * Converts a text to a reference: letters lose their accents, each other character that references cannot have becomes a
 * dash, and the text is cut. The result has no more characters than the text, so that the lengths of screens hold.
 */
export function toReference(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .replace(/[ɛƐɔƆŋŊ]/g, (letter) => letters[letter] ?? '-')
    .replace(/\s/g, ' ')
    .replace(other, '-')
    .slice(0, maxReferenceLength)
    .trim();
}
