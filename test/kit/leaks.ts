/**
 * What no log line may contain (invariant I11). The patterns match the form of a secret, not one value, so that the watch
 * also finds the number of another test. Identifiers are single words of letters and digits and do not match.
 */
const patterns: Readonly<Record<string, RegExp>> = {
  'a phone number': /(?<![0-9a-z])(?:\+?(?:00)?233[ -]?|0)?[25]\d[ -]?\d{3}[ -]?\d{4}(?![0-9a-z])/i,
  'a secret key': /\bsk_(?:test|live)_[\w-]{4}/,
  'a signing secret': /\bwhsec_\w/,
  'a token': /\bBearer +[^\s"…]{4}|admin-token/i,
  'a signature': /\bv1=[0-9a-f]{8}/i,
  'the secret of a callback': /\/ussd\/[\w-]+\/\w|secret-of-/,
  'a body':
    /\\?"(?:msisdn|payer_msisdn|amount_minor|goods_minor|pin|code|phoneNumber|USERDATA|sessionId)\\?" *:|\b(?:msisdn|phoneNumber|sessionId|networkCode|USERDATA)=/i,
};

/** Returns the names of the patterns that match a log line. */
export function findLeaks(line: string): string[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => (pattern.test(line) ? [name] : []));
}
