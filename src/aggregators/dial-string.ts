const dialString = /^\*\d[\d*]*#$/;

/** The length of one USSD string. */
const maxDialStringLength = 182;

/** Returns whether a text can be dialled to open a session: `*713*5#`, `*713*5*20#`. */
export function isDialString(text: string): boolean {
  return text.length <= maxDialStringLength && dialString.test(text);
}

/**
 * Returns the dialled suffix as a list of answers: `*713*5*20#` with the service code `*713*5#` gives `['20']`. The
 * sub-code of a shared code is part of the service code, so the suffix cannot be found without it.
 *
 * @returns `undefined` when another code was dialled.
 */
export function dialledSuffix(dialled: string, serviceCode: string): readonly string[] | undefined {
  const base = serviceCode.replace(/#$/, '');
  const code = dialled.replace(/#$/, '');
  if (code === base) return [];
  if (!code.startsWith(`${base}*`)) return undefined;
  return code
    .slice(base.length + 1)
    .split('*')
    .filter((answer) => answer !== '');
}
