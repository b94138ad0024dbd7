import type { ChainedFact } from '../ledger/chain.ts';
import { digestAnswers } from './answers.ts';
import type { CollectionIntent } from './collection.ts';
import type { RecordedFact } from './fact.ts';
import { toCreateBody } from './opening/create-call.ts';

/** The first fact in its row, without what other columns of the row contain. */
type AcceptedData = Omit<CollectionIntent, 'id' | 'merchantId' | 'openedAt' | 'createBody' | 'answers'> & {
  answersDigest?: string;
};

/**
 * Returns what the row of the first fact stores. The bytes of the create call are left out, because they follow from the
 * payment: the audit compares those of the collection with them. Answers are personal data, which retention deletes: a fact
 * stays, and has their digest.
 */
export function acceptedData(intent: CollectionIntent): AcceptedData {
  const { id: _id, merchantId: _merchant, openedAt: _at, createBody: _body, answers, ...data } = intent;
  return answers === null ? data : { ...data, answersDigest: digestAnswers(answers) };
}

/** Returns a fact of a collection as the gateway recorded it, without answers: only the row of the collection has them. */
export function readFact({
  subjectId: id,
  merchantId,
  kind,
  data: text,
  at,
}: Pick<ChainedFact, 'subjectId' | 'merchantId' | 'kind' | 'data' | 'at'>): RecordedFact {
  const data = JSON.parse(text);
  if (kind !== 'accepted') return { kind, data, at } as RecordedFact;
  const intent = { ...data, id, merchantId, openedAt: at, createBody: toCreateBody(data), answers: null };
  return { kind, data: intent as CollectionIntent, at };
}
