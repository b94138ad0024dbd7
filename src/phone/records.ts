import {
  findCollection,
  findLastCollection,
  loadCollectionRecord,
} from '../gateway/support/collection-query.ts';
import { findDialogues, loadSession } from '../gateway/support/session-query.ts';
import { loadDialogueHistory, loadSessionHistory } from '../gateway/support/transcript/history-query.ts';
import { type TranscriptHead, toTranscript } from '../gateway/support/transcript/transcript.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { Store } from '../sqlite/store.ts';
import { type LedgerEntry, toLedgerEntry } from './ledger-entry.ts';

/** The reads of the ledger for phones. */
export type PhoneRecords = {
  /** Returns the id of the newest payment that a number requested. */
  lastPaymentId(msisdn: Msisdn): Promise<string | undefined>;
  /** Returns a payment; the `known` one when it has not changed. */
  payment(
    by: { id: string } | { sessionId: string },
    known: LedgerEntry | undefined,
  ): Promise<LedgerEntry | undefined>;
  /** Returns the newest dialogue of a number as a transcript; `undefined` without a dialogue. */
  transcript(msisdn: Msisdn): Promise<string | undefined>;
};

/**
 * Creates the reads of the ledger.
 *
 * @param headOf returns the settings of a channel and its merchant for a transcript.
 */
export function createRecords(
  store: Store,
  livemode: 0 | 1,
  headOf: (channelId: string) => TranscriptHead,
): PhoneRecords {
  return {
    lastPaymentId: (msisdn) => findLastCollection(store, msisdn),
    async payment(by, known) {
      const row = await findCollection(store, by);
      if (!row) return undefined;
      if (known?.id === row.id && known.version === row.version) return known;
      const record = await loadCollectionRecord(store, row.id);
      return record && toLedgerEntry(record);
    },
    async transcript(msisdn) {
      const found = await findDialogues(store, msisdn, { limit: 1 });
      const newest = found === 'unknown_cursor' ? undefined : found.data[0];
      if (!newest) return undefined;
      const { dialogueId, collectionId, channel } = newest;
      const record = collectionId === null ? undefined : await loadCollectionRecord(store, collectionId);
      const history = record
        ? await loadDialogueHistory(store, record)
        : await loadSessionHistory(store, (await loadSession(store, dialogueId))?.turns ?? [], livemode);
      return history && toTranscript(history, headOf(channel), false);
    },
  };
}
