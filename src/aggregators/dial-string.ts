const dialString = /^\*\d[\d*]*#$/;

/** True for what a phone dials to open a session: `*713*5#`, `*713*5*20#`. */
export function isDialString(text: string): boolean {
  return text.length <= 182 && dialString.test(text);
}

/**
 * The answers dialled along with a service code: `*713*5*20#` on `*713*5#` gives `['20']`. `undefined` when
 * another code was dialled. The sub-code of a shared code is part of the code, which is why only the configured
 * code can tell where the suffix begins.
 */
export function dialledSuffix(dialled: string, serviceCode: string): readonly string[] | undefined {
  const base = serviceCode.replace(/#$/, '');
  const said = dialled.replace(/#$/, '');
  if (said === base) return [];
  if (!said.startsWith(`${base}*`)) return undefined;
  return said
    .slice(base.length + 1)
    .split('*')
    .filter((answer) => answer !== '');
}
