import type { CollectionRow } from '../gateway/collection/collection.ts';
import { readFact } from '../gateway/collection/fact-row.ts';
import { type CollectionSummary, summarizePayment } from '../gateway/collection/payment-summary.ts';
import { describeStatus, showAmount } from '../gateway/console/parts/format.ts';
import {
  type CollectionRecord,
  type FactRow,
  findCollection,
  findLastCollection,
  loadCollectionRecord,
} from '../gateway/support/collection-query.ts';
import { findDialogues, loadSession } from '../gateway/support/session-query.ts';
import { factEntry } from '../gateway/support/timeline.ts';
import { loadDialogueHistory, loadSessionHistory } from '../gateway/support/transcript/history-query.ts';
import { type TranscriptHead, toTranscript } from '../gateway/support/transcript/transcript.ts';
import type { EpochMs } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { Store } from '../sqlite/store.ts';
import type { WiredPayment } from './wire-log.ts';

/** A step of a payment. Without a time it is still to come. */
export type LedgerStep = { text: string; at: EpochMs | undefined; tone: 'good' | 'bad' | 'review' | 'next' };

/** What the ledger has about a payment of a phone. */
export type LedgerEntry = Pick<
  CollectionSummary,
  'id' | 'state' | 'payer' | 'chargeMinor' | 'shortReference'
> &
  WiredPayment & {
    version: number;
    /** Null until the service has stated it. */
    feeMinor: number | null;
    /** The status in words, and its tone. */
    status: ReturnType<typeof describeStatus>;
    steps: readonly LedgerStep[];
    postings: readonly { account: string; amountMinor: number }[];
  };

/** The newest steps that a page shows: a payment has about six. */
const maxSteps = 16;
const maxPostings = 16;

/** Returns what a page shows of a payment. */
function toLedgerEntry({ collection, facts, postings }: CollectionRecord): LedgerEntry {
  const { id, state, payer, chargeMinor, shortReference } = summarizePayment(collection);
  const { version, sessionId, createKey, feeMinor } = collection;
  return {
    ...{ id, state, payer, chargeMinor, shortReference, version, sessionId, createKey, feeMinor },
    status: describeStatus(collection),
    steps: [
      ...facts.flatMap((row) => readStep(row, collection)).slice(-maxSteps),
      ...listNextSteps(collection),
    ],
    postings: postings.slice(-maxPostings).map(({ account, amountMinor }) => ({ account, amountMinor })),
  };
}

/** Returns the step of a fact; none for one that a newcomer needs not see, such as a poll without a result. */
function readStep(row: FactRow, collection: CollectionRow): LedgerStep[] {
  const fact = readFact(row);
  const step = (text: string, tone: LedgerStep['tone'] = 'good') => [{ text, at: row.at, tone }];
  switch (fact.kind) {
    case 'accepted': {
      const { shownTotalMinor, goodsMinor } = fact.data;
      return step(
        shownTotalMinor === null
          ? `Confirmed: price ${showAmount(goodsMinor)}`
          : `Confirmed: total ${showAmount(shownTotalMinor)}`,
      );
    }
    case 'created':
      return step(`Session created, fee ${showAmount(fact.data.feeMinor)}`);
    case 'initiated':
      return step('Prompt sent');
    case 'paid':
      return step(fact.data.source === 'webhook' ? 'Paid, says the webhook' : 'Paid, says a check');
    case 'confirmed':
      return step('Confirmed by a check');
    case 'amounts_confirmed':
      return step('Amounts confirmed by the webhook');
    case 'failure_reported':
      return step(`Not paid, says the webhook (${fact.data.reason})`, 'bad');
    case 'failed':
    case 'expired':
    case 'abandoned':
      return step(describeStatus(collection).words, 'bad');
    case 'polled':
    case 'event':
    case 'prompt_requested':
      return [];
    case 'called':
      return fact.data.call === 'status' ? [] : step(factEntry(row).text, 'bad');
    default:
      return step(factEntry(row).text, 'review');
  }
}

/** Returns the steps that are still to come. */
function listNextSteps({ status, lapsedAt, confirmedAt }: CollectionRow): LedgerStep[] {
  const next = (...texts: string[]) => texts.map((text) => ({ text, at: undefined, tone: 'next' }) as const);
  const result = 'Result, and a check of it';
  switch (status) {
    case 'accepted':
      return next('Session at the service', 'Prompt on the phone of the payer', result);
    case 'created':
    case 'initiating':
      return next('Prompt on the phone of the payer', result);
    case 'initiated':
      return next(lapsedAt === null ? 'PIN of the payer' : 'A late result', result);
    case 'paid':
      return confirmedAt === null ? next('Check of the result') : [];
    default:
      return [];
  }
}

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

/** Creates the reads of the ledger. @param headOf returns the settings of a channel and its merchant for a transcript. */
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
