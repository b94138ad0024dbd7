import { countedId } from '../../../shared/counted-ids.ts';
import { readShortReference, showShortReference } from '../../../shared/short-reference.ts';
import { getShortReference } from '../../dialogue/prepare-collection.ts';
import type { DialogueHistory } from './history-query.ts';

/** Replaces the short references of payments with those that a rehearsal creates. */
export type RehearsedReferences = {
  /** Replaces them in a screen, with or without a space between their halves. */
  inScreen(text: string): string;
  /** Returns the replacement for an input that is one of them; `undefined` for another input. */
  forInput(text: string): string | undefined;
  /** True when any was replaced. */
  areUsed(): boolean;
};

/** The dialogues of a rehearsal have ids of their own, from which their short references follow. */
export function rehearsedReferences({ turns, opened }: DialogueHistory): RehearsedReferences {
  const replacements = new Map<string, string>();
  const dialogueIds = [...new Set(turns.map(({ dialogueId }) => dialogueId))];
  for (const [i, dialogueId] of dialogueIds.entries()) {
    // A till counts its dialogues from 1.
    const rehearsed = getShortReference(countedId('dlg', i + 1), 0);
    replacements.set(getShortReference(dialogueId, 0), rehearsed);
    for (const { row } of opened)
      if (row.dialogueId === dialogueId && row.shortReference)
        replacements.set(row.shortReference, rehearsed);
  }
  let areUsed = false;
  const findReplacement = (text: string) => {
    const replacement = replacements.get(readShortReference(text) ?? '');
    if (replacement !== undefined) areUsed = true;
    return replacement;
  };
  return {
    inScreen: (text) =>
      text.replace(/(?<![\d.])\d{4} ?\d{4}(?![\d.]\d|\d)/g, (found) => {
        const replacement = findReplacement(found);
        if (replacement === undefined) return found;
        return found.includes(' ') ? showShortReference(replacement) : replacement;
      }),
    forInput: (text) => findReplacement(text.trim()),
    areUsed: () => areUsed,
  };
}
