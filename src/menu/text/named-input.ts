import type { MessageName } from '../schema.ts';
import { defaultMessages } from './default-messages.ts';

/** Names of options that every language has. */
const named = ['yes', 'no', 'back', 'more'] as const satisfies readonly MessageName[];

/** An option or a key on a screen: `1. Yes`, `0. Back`, `#. More`. */
const optionLine = /^(#|\d{1,3})\. (.+)$/;

/**
 * Returns the input of a phone for an input of a script. The label of an option on the screen stands for its key, regardless of
 * case. So do `yes`, `no`, `back` and `more`, for the default labels of any language. Every other input is typed as it is.
 *
 * Scripts then hold when a confirm screen chooses other keys, because the payer has typed the usual ones before.
 */
export function typedInput(screen: string, input: string): string {
  const name = folded(input.trim());
  const message = named.find((one) => one === name);
  const labels = new Set([
    name,
    ...(message ? Object.values(defaultMessages).map((texts) => folded(texts[message])) : []),
  ]);
  const keys = screen.split('\n').flatMap((line) => {
    const [, key = '', label = ''] = optionLine.exec(line) ?? [];
    return labels.has(folded(label)) ? key : [];
  });
  return keys.length === 1 ? (keys[0] ?? input) : input;
}

/** In lower case and without accents, which most channels drop. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
