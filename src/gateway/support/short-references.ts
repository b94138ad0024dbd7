import { countedId } from '../../shared/counted-ids.ts';
import {
  createShortReference,
  readShortReference,
  showShortReference,
} from '../../shared/short-reference.ts';
import { shortReferenceOf } from '../dialogue/prepare-collection.ts';
import { type DialogueHistory, stateOf } from './dialogue-query.ts';
import type { Private } from './mask.ts';

/** Puts those short references that a rehearsal makes in the place of those that payers were told. */
export type ShortReferences = {
  /** In a text, with the blank or without. */
  text(said: string): string;
  /** What was typed for one; `undefined` when it is none. */
  input(typed: string): string | undefined;
  /** Whether there was any to replace. */
  isUsed(): boolean;
};

/**
 * The short references of a story. A rehearsal makes others, since it has dialogues of its own: those of a dialogue stay
 * those of that dialogue. With `masked`, whatever was typed for one and is not of the story becomes another one as well.
 */
export function shortReferences(
  { turns, opened }: DialogueHistory,
  masked: Private | undefined,
): ShortReferences {
  const others = new Map<string, string>();
  const dialogues = [...new Set(turns.map(({ dialogueId }) => dialogueId))];
  for (const [i, id] of dialogues.entries()) {
    // A till counts its dialogues from 1.
    const rehearsed = shortReferenceOf(countedId('dlg', i + 1), 0);
    const own = opened.flatMap(({ row }) => (row.dialogueId === id ? row.shortReference : []));
    for (const one of [shortReferenceOf(id, 0), ...own]) others.set(one, rehearsed);
  }
  const standings = turns
    .map(stateOf)
    .flatMap(({ callerHistory: arrival, duplicate: twin }) => [arrival?.payment, twin]);
  for (const one of standings) if (one && masked) standIn(one.shortReference);
  let isUsed = false;

  function standIn(shortReference: string): string {
    const known = others.get(shortReference);
    if (known !== undefined) return known;
    const count = others.size;
    const made = createShortReference({ digits: (digits) => String(count).padStart(digits, '0') });
    others.set(shortReference, made);
    return made;
  }

  return {
    text: (said) =>
      said.replace(/(?<![\d.])\d{4} ?\d{4}(?![\d.]\d|\d)/g, (found) => {
        const digits = readShortReference(found);
        const other = digits && others.get(digits);
        if (!other) return found;
        isUsed = true;
        return found.includes(' ') ? showShortReference(other) : other;
      }),
    input(typed) {
      const digits = readShortReference(typed.trim());
      if (digits === undefined) return undefined;
      // Eight digits that a menu took for something else are the mask's.
      if (!others.has(digits) && (!masked || masked.texts.has(typed.trim()))) return undefined;
      isUsed = true;
      return standIn(digits);
    },
    isUsed: () => isUsed,
  };
}
