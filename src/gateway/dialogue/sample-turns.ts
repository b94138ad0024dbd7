import { createHash } from 'node:crypto';

/**
 * Returns whether the turns of a dialogue are logged. All turns of a dialogue are logged, or none.
 *
 * @param share of all dialogues, from 0 to 1.
 */
export function isSampled(dialogueId: string, share: number): boolean {
  if (share >= 1) return true;
  // Ids of one millisecond follow each other; their hashes do not.
  return createHash('sha256').update(dialogueId).digest().readUInt32BE() < share * 2 ** 32;
}
