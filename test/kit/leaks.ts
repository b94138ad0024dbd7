/**
 * What must stand in no line of a log (invariant I11), by its form: a test that logs the number of another test is caught
 * too. Identifiers are letters and digits in one word, in which no number is seen.
 */
const forms: Readonly<Record<string, RegExp>> = {
  'a phone number': /(?<![0-9a-z])(?:\+?(?:00)?233[ -]?|0)?[25]\d[ -]?\d{3}[ -]?\d{4}(?![0-9a-z])/i,
  'a secret key': /\bsk_(?:test|live)_[\w-]{4}/,
  'a signing secret': /\bwhsec_\w/,
  'a token': /\bBearer +[^\s"…]{4}|admin-token/i,
  'a signature': /\bv1=[0-9a-f]{8}/i,
  'the secret of a callback': /\/ussd\/[\w-]+\/\w|secret-of-/,
  'a body':
    /\\?"(?:msisdn|payer_msisdn|amount_minor|goods_minor|pin|code|phoneNumber|USERDATA|sessionId)\\?" *:|\b(?:msisdn|phoneNumber|sessionId|networkCode|USERDATA)=/i,
};

/** Which of these a line holds. */
export function leaksIn(line: string): string[] {
  return Object.entries(forms).flatMap(([what, form]) => (form.test(line) ? [what] : []));
}
