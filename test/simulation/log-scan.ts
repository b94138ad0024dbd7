/** What a log line must not contain (I11), with the name for reports. */
const secrets: readonly (readonly [string, RegExp])[] = [
  ['a phone number', /(?<!\d)(?:233|0)(?:2|5)\d{8}(?!\d)/],
  ['a key', /sk_(?:test|live)_/],
  ['a secret', /whsec_|secret-of-/],
  ['a body', /amount_minor|goods_minor/],
];

/** Identifiers and SHA-256 hashes can look like numbers. */
const identifier = /\b(?:[a-z]{2,4}_[0-9a-z]{26}|[0-9a-f]{64})\b/g;

/** Returns the name of the secret that a line contains, or `undefined`. */
export function findSecret(line: string): string | undefined {
  const words = line.replaceAll(identifier, 'id');
  return secrets.find(([, pattern]) => pattern.test(words))?.[0];
}
