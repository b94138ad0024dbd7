import type { MessageName } from '../schema.ts';
import { defaultMessages } from './default-messages.ts';

/** Names of options that every language has. */
const named = ['yes', 'no', 'back', 'more'] as const satisfies readonly MessageName[];

/** An option or a key on a screen: `1. Yes`, `0. Back`, `#. More`. */
const optionLine = /^(#|\d{1,3})\. (.+)$/;

/**
 * Returns what a phone types for an input of a script. The label of an option on the screen stands for its key, regardless of
 * case, and so do `yes`, `no`, `back` and `more` for the default labels of any language. Every other input is typed as it is.
 *
 * Scripts then hold when a confirm screen chooses other keys, because the payer has typed the usual ones before.
 */
export function typedInput(screen: string, input: string): string {
  const name = input.trim().toLowerCase();
  const message = named.find((one) => one === name);
  const labels = new Set([
    name,
    ...(message ? Object.values(defaultMessages).map((texts) => texts[message].toLowerCase()) : []),
  ]);
  const keys = screen.split('\n').flatMap((line) => {
    const [, key = '', label = ''] = optionLine.exec(line) ?? [];
    return labels.has(label.toLowerCase()) ? key : [];
  });
  return keys.length === 1 ? (keys[0] ?? input) : input;
}
