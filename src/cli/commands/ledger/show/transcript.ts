import type { CollectionRecord } from '../../../../gateway/support/collection-query.ts';
import { loadDialogueHistory } from '../../../../gateway/support/transcript/history-query.ts';
import { type TranscriptHead, transcriptOf } from '../../../../gateway/support/transcript/transcript.ts';
import { UserError } from '../../../../shared/errors.ts';
import type { Store } from '../../../../sqlite/store.ts';

/** Returns the dialogue of a collection as a transcript. @throws UserError when retention has deleted the dialogue. */
export async function transcriptOfCollection(
  store: Store,
  record: CollectionRecord,
  head: TranscriptHead,
  masked: boolean,
): Promise<string> {
  if (record.turns.length === 0) {
    throw new UserError(
      `the dialogue of ${record.collection.id} was deleted by retention (retention.dialoguesDays)`,
    );
  }
  return transcriptOf(await loadDialogueHistory(store, record), head, masked);
}
