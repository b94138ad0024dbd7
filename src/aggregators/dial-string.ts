const dialString = /^\*\d[\d*]*#$/;
/** A text that was dialled, with or without its `#`, in a session that is not known: `*999*1`, `**713`. */
const dialStart = /^[*#]+ *\d{3}/;

/** The length of one USSD string. */
const maxDialStringLength = 182;

/** Returns whether a text can be dialled to open a session: `*713*5#`, `*713*5*20#`. */
export function isDialString(text: string): boolean {
  return text.length <= maxDialStringLength && dialString.test(text);
}

/**
 * Returns the dialled suffix as a list of answers: `*713*5*20#` with the service code `*713*5#` gives `['20']`. Networks drop the
 * `*` or the `#`, repeat them, and put blanks or a `#` between the parts: `713*5#*20##`. The service code includes the sub-code of
 * a shared code.
 *
 * @returns `undefined` when another code was dialled, or the text is no dialled string.
 */
export function dialledSuffix(dialled: string, serviceCode: string): readonly string[] | undefined {
  if (dialled.length > maxDialStringLength) return undefined;
  const answers = textAfter(trimCode(serviceCode), splitParts(dialled).join('*'));
  return answers === undefined ? undefined : splitParts(answers);
}

/** Returns the parts of a dialled string, without blanks and empty parts. */
export function splitParts(dialled: string): string[] {
  return dialled
    .split(/[*#]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns whether a text that opens no session by its code looks dialled. */
export function beginsLikeDial(text: string): boolean {
  return dialStart.test(text);
}

/** A cumulative text as its answers, and the dialled answers of one that begins with the service code or its end. */
type CumulativeText = { readonly text: string; readonly suffix?: readonly string[] };

/** The `#` of a dialled string, or one that a payer typed behind an answer. A `#` alone is an answer. */
const hashBehindAnswer = /(?<=[^*#])#+(?=\*|$)/g;
/** The `#` of a dialled string that the next answer follows at once. */
const hashBetweenDigits = /(?<=\d)#+(?=\d)/g;

/**
 * Reads a cumulative text. The whole service code is removed: `*415*33*1#` with the service code `*415*33#` is `1`. Shared codes
 * send its end, `33*1`, which can also be two answers and stays in the text.
 *
 * @param hasSubCode whether a text can begin with the end of the service code.
 */
export function readCumulativeText(text: string, serviceCode: string, hasSubCode: boolean): CumulativeText {
  if (text.trim() === '') return { text: '' };
  const code = trimCode(serviceCode);
  const plain = text
    .replace(/^\s+|(?<=#)\s+$/g, '')
    .replace(hashBehindAnswer, '')
    .replace(hashBetweenDigits, '*');
  const dialled = plain.replace(/^[*#](?=\d)/, '');
  const answers = textAfter(code, plain.replace(/^[*#\s]+/, ''));
  if (answers !== undefined && isDistinctDial(plain, serviceCode))
    return { text: answers, suffix: splitParts(answers) };
  const suffix = hasSubCode ? suffixAfterSubCode(dialled, serviceCode) : undefined;
  if (suffix) return { text: dialled, suffix };
  return { text: hasSubCode ? plain : text };
}

/** Returns the answers of a dialled string, or of one that begins with the end of the service code, as shared codes send it. */
export function dialledAnswers(dialled: string, serviceCode: string): readonly string[] | undefined {
  return (
    dialledSuffix(dialled, serviceCode) ?? suffixAfterSubCode(splitParts(dialled).join('*'), serviceCode)
  );
}

/** Returns the answers after the end of the service code: `33*1` for `*415*33#` gives `['1']`. The whole code counts too. */
function suffixAfterSubCode(text: string, serviceCode: string): readonly string[] | undefined {
  const parts = trimCode(serviceCode).split('*');
  for (const at of parts.keys()) {
    const answers = textAfter(parts.slice(at).join('*'), text);
    if (answers !== undefined) return splitParts(answers);
  }
  return undefined;
}

/** True when a text that begins with the service code is no answer of a payer: `*713`, `713*5`, but not `713`. */
export function isDistinctDial(text: string, serviceCode: string): boolean {
  return /^[*#]/.test(text) || trimCode(serviceCode).includes('*');
}

function trimCode(dialled: string): string {
  return dialled.replace(/^\*|#$/g, '');
}

function textAfter(code: string, dialled: string): string | undefined {
  if (dialled === code) return '';
  return dialled.startsWith(`${code}*`) ? dialled.slice(code.length + 1) : undefined;
}
