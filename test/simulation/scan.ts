/** What no log line may hold (I11), by the name of what it is. */
const secrets: readonly (readonly [string, RegExp])[] = [
  ['a phone number', /(?<!\d)(?:233|0)(?:2|5)\d{8}(?!\d)/],
  ['a key', /sk_(?:test|live)_/],
  ['a secret', /whsec_|secret-of-/],
  ['a body', /amount_minor|goods_minor/],
];

/** What was drawn at random may look like a number. */
const identifier = /\b[a-z]{2,4}_[0-9a-z]{26}\b/g;

/** The name of what a line holds and must not; nothing when it is clean. */
export function scanLine(line: string): string | undefined {
  const words = line.replaceAll(identifier, 'id');
  return secrets.find(([, pattern]) => pattern.test(words))?.[0];
}
