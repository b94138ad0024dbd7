const dialString = /^\*\d[\d*]*#$/;
/** Some networks drop the `#`, or the `*`. */
const dialStringInParts = /^\*?\d[\d*]*#?$/;

/** The length of one USSD string. */
const maxDialStringLength = 182;

/** Returns whether a text can be dialled to open a session: `*713*5#`, `*713*5*20#`. */
export function isDialString(text: string): boolean {
  return text.length <= maxDialStringLength && dialString.test(text);
}

/**
 * Returns the dialled suffix as a list of answers: `*713*5*20#` with the service code `*713*5#` gives `['20']`, also without
 * its `*` or `#`. The sub-code of a shared code is part of the service code, so the suffix cannot be found without it.
 *
 * @returns `undefined` when another code was dialled, or the text is no dialled string.
 */
export function dialledSuffix(dialled: string, serviceCode: string): readonly string[] | undefined {
  if (dialled.length > maxDialStringLength || !dialStringInParts.test(dialled)) return undefined;
  return answersAfter(digitsOf(serviceCode), digitsOf(dialled));
}

/**
 * Returns the answers of a cumulative text that begins with the end of the service code, as shared codes send it: `33*1`
 * with the service code `*415*33#` gives `['1']`. The whole code counts too.
 */
export function suffixAfterSubCode(text: string, serviceCode: string): readonly string[] | undefined {
  const parts = digitsOf(serviceCode).split('*');
  for (const at of parts.keys()) {
    const suffix = answersAfter(parts.slice(at).join('*'), digitsOf(text));
    if (suffix) return suffix;
  }
  return undefined;
}

/** True when a text that begins with the service code is no answer of a payer: `*713`, `713*5`, but not `713`. */
export function isDistinctDial(text: string, serviceCode: string): boolean {
  return text.startsWith('*') || digitsOf(serviceCode).includes('*');
}

function digitsOf(dialled: string): string {
  return dialled.replace(/^\*|#$/g, '');
}

function answersAfter(code: string, dialled: string): readonly string[] | undefined {
  if (dialled === code) return [];
  if (!dialled.startsWith(`${code}*`)) return undefined;
  return dialled
    .slice(code.length + 1)
    .split('*')
    .filter((answer) => answer !== '');
}
