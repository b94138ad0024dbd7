import type { EpochMs } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { AmountMinor } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { createShortReference } from '../../../shared/short-reference.ts';
import type { Write } from '../../../sqlite/store.ts';
import type { CollectionIntent, CollectionRow } from '../collection.ts';
import { intentWrites } from '../collection-store.ts';
import { opened } from '../fact.ts';
import { createBodyOf } from './create-body.ts';
import type { Limits } from './limits.ts';

export type StartRequest = {
  merchantId: string;
  livemode: 0 | 1;
  channel: string;
  dialogueId: string;
  dialler: Msisdn;
  payer: Msisdn;
  /** The service's code for the payer's network. */
  network: string;
  goodsMinor: AmountMinor;
  /** The merchant's own reference; the short one stands in where the menu asked for none. */
  reference: string | undefined;
  /** As the screen has shown it; made here when no screen has. */
  shortReference?: string;
  /** The collection that is asked for again. */
  retryOf: string | null;
  /** Goods and fee as the screen named them; null when it named no fee. */
  shownTotalMinor: number | null;
  /** The call that a quote came from: sent again as it was, it opens no second session. */
  create?: { key: string; body: string };
  limits: Limits;
  now: EpochMs;
  /** From the END screen to the prompt: the USSD session must be gone from the handset first. */
  promptDelayMs: number;
  /** From the END screen to the moment after which nothing is pushed any more. */
  promptDeadlineMs: number;
};

/**
 * Opens a collection: makes its keys and the exact bytes of its create call, once, unless a quote has made them.
 * Nothing is written here; the caller applies `writes` in the same batch as the turn that shows END, so that the payer
 * is never told of a collection that does not exist. The batch is refused while anything is in the way, also when
 * others open theirs at the same time: `refusalOf` tells what.
 */
export function start(ids: Ids, request: StartRequest): { row: CollectionRow; writes: Write[] } {
  const { now, promptDelayMs, promptDeadlineMs, reference: asked, create, limits, ...fixed } = request;
  const id = ids.next('col');
  const shortReference = request.shortReference ?? createShortReference(ids);
  const reference = asked ?? shortReference;
  const createBody = createBodyOf({ ...request, reference });
  // A quote of anything else than what was agreed to is none.
  const quoted = create?.body === createBody ? create : undefined;
  const opening: CollectionIntent = {
    id,
    ...fixed,
    reference,
    shortReference,
    createKey: quoted?.key ?? `${id}.create.${ids.secret().slice(0, 16)}`,
    createBody,
    initiateKey: `${id}.initiate.${ids.secret().slice(0, 16)}`,
    openedAt: now,
    promptNotBefore: now + promptDelayMs,
    promptDeadline: now + promptDeadlineMs,
  };
  const row: CollectionRow = {
    ...opened(opening),
    nextAt: now,
    leaseUntil: 0,
    fence: 0,
    attempts: 0,
    updatedAt: now,
  };
  return { row, writes: intentWrites(row, { kind: 'accepted', data: opening }, limits) };
}
