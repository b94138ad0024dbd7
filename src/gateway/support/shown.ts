import { fitScreen } from '../../shared/screen-text.ts';

const style = { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' } as const;

/** A text as handsets show it. What a channel forbids besides is not known to the ledger. */
export function asShown(text: string): string {
  return fitScreen(text, style);
}
