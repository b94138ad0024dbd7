import type { AnswerView } from '../../../contract/merchant/notification.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createShortReference } from '../../../shared/short-reference.ts';
import type { Write } from '../../../sqlite/store.ts';
import { storeAnswers } from '../answers.ts';
import type { CollectionIntent, CollectionWithJob } from '../collection.ts';
import { acceptedCollection } from '../fact.ts';
import { callKey, toCreateBody } from './create-call.ts';
import type { Limits } from './limits.ts';
import { openingWrites } from './opening-store.ts';

type Payment = Pick<
  CollectionIntent,
  | ('merchantId' | 'livemode' | 'channel' | 'dialogueId' | 'dialler' | 'payer' | 'requestedBy')
  | ('network' | 'goodsMinor' | 'retryOf' | 'shownTotalMinor')
>;

export type IntentRequest = Payment & {
  /** The payer's own reference. The short reference replaces it when it is undefined. */
  reference: string | undefined;
  /** The answers and choices of the payer. */
  answers?: readonly AnswerView[];
  /** The short reference that a screen has shown. A new one is generated when it is absent. */
  shortReference?: string;
  /** The create call of a quote. Sent again with the same key and bytes, it creates no second session. */
  create?: { key: string; body: string };
  limits: Limits;
  now: EpochMs;
  /** Delay from the END screen to the prompt: the USSD session must have left the handset. */
  promptDelayMs: number;
  /** Time from the END screen after which no prompt is requested. */
  promptDeadlineMs: number;
  /** The name of this gateway, where several use one database. */
  home?: string | null;
};

/**
 * Prepares a collection: generates its keys and the exact bytes of its create call, unless a quote has generated them.
 * Writes nothing. The caller applies `writes` in the batch of the turn that shows END, so that a payer never sees END for
 * a collection that does not exist. The database rejects the batch while a guard of `openingWrites` does not hold.
 */
export function prepareIntent(ids: Ids, request: IntentRequest): { row: CollectionWithJob; writes: Write[] } {
  const {
    now,
    promptDelayMs,
    promptDeadlineMs,
    reference: own,
    answers = [],
    create,
    limits,
    home = null,
    ...payment
  } = request;
  const id = ids.next('col');
  const shortReference = request.shortReference ?? createShortReference(ids);
  const reference = own ?? shortReference;
  const createBody = toCreateBody({ ...request, reference });
  // The quote of another payment is ignored.
  const quoted = create?.body === createBody ? create : undefined;
  const intent: CollectionIntent = {
    id,
    ...payment,
    reference,
    shortReference,
    answers: storeAnswers(ids, answers),
    createKey: quoted?.key ?? callKey(ids, 'create'),
    createBody,
    initiateKey: callKey(ids, 'initiate'),
    openedAt: now,
    promptNotBefore: now + promptDelayMs,
    promptDeadline: now + promptDeadlineMs,
  };
  const row: CollectionWithJob = {
    ...acceptedCollection(intent),
    nextAt: now,
    leaseUntil: 0,
    fence: 0,
    home,
    attempts: 0,
    updatedAt: now,
  };
  return { row, writes: openingWrites(row, intent, limits) };
}
