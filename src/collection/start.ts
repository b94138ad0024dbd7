import type { CreateSessionRequest } from '../contract/session.ts';
import type { Write } from '../db/store.ts';
import type { EpochMs } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { AmountMinor } from '../shared/money.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { CollectionRow, Opening } from './collection.ts';
import { openingWrites } from './collection-store.ts';
import { opened } from './fact.ts';

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
  /** The merchant's own reference; made from the id when the menu asked for none. */
  reference: string | undefined;
  now: EpochMs;
  /** From the END screen to the prompt: the USSD session must be gone from the handset first. */
  promptDelayMs: number;
  /** From the END screen to the moment after which nothing is pushed any more. */
  promptDeadlineMs: number;
};

/**
 * Opens a collection: makes its keys and the exact bytes of its create call, once. Nothing is written here; the
 * caller applies `writes` in the same batch as the turn that shows END, so that the payer is never told of a
 * collection that does not exist. The batch is refused while the payer has an open one at this merchant.
 */
export function start(ids: Ids, request: StartRequest): { row: CollectionRow; writes: Write[] } {
  const { now, promptDelayMs, promptDeadlineMs, reference: asked, ...fixed } = request;
  const id = ids.next('col');
  const reference = asked ?? id.slice(-10).toUpperCase();
  const body: CreateSessionRequest = {
    msisdn: request.payer,
    amount_minor: request.goodsMinor,
    network: request.network,
    mode: 'offline',
    reference,
  };
  const opening: Opening = {
    id,
    ...fixed,
    reference,
    createKey: `${id}.create.${ids.secret().slice(0, 16)}`,
    createBody: JSON.stringify(body),
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
  return { row, writes: openingWrites(row, { kind: 'accepted', data: opening }) };
}
