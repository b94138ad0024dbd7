import type { FactRow } from '../ledger/chain.ts';
import type { CollectionIntent } from './collection.ts';
import type { RecordedFact } from './fact.ts';
import { createBodyOf } from './opening/create-body.ts';

/** The first fact in its row, without what other columns of the row contain. */
type AcceptedData = Omit<CollectionIntent, 'id' | 'merchantId' | 'openedAt' | 'createBody'>;

/**
 * Returns what the row of the first fact stores. The bytes of the create call are left out, because they follow from the
 * payment: the audit compares those of the collection with them.
 */
export function acceptedData(intent: CollectionIntent): AcceptedData {
  const { id: _id, merchantId: _merchant, openedAt: _at, createBody: _body, ...data } = intent;
  return data;
}

/** Returns a fact of a collection as the gateway recorded it. */
export function readFact({
  subjectId: id,
  merchantId,
  kind,
  data: text,
  at,
}: Pick<FactRow, 'subjectId' | 'merchantId' | 'kind' | 'data' | 'at'>): RecordedFact {
  const data = JSON.parse(text);
  if (kind !== 'accepted') return { kind, data, at } as RecordedFact;
  const intent = { ...data, id, merchantId, openedAt: at, createBody: createBodyOf(data) };
  return { kind, data: intent as CollectionIntent, at };
}
