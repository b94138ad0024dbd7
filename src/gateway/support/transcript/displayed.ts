import { fitScreen } from '../../../shared/screen-text.ts';

const style = { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' } as const;

/** Returns a text in the characters of a handset. Further characters that a channel forbids are not in the ledger. */
export function asDisplayed(text: string): string {
  return fitScreen(text, style);
}
