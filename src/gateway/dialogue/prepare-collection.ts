import { hash } from 'node:crypto';
import type { Intent } from '../../menu/state/state.ts';
import { type Msisdn, type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { createShortReference } from '../../shared/short-reference.ts';
import type { Write } from '../../sqlite/store.ts';
import { toAnswers } from '../collection/answers.ts';
import type { CollectionIntent, RequestedBy } from '../collection/collection.ts';
import type { Limits } from '../collection/opening/limits.ts';
import { prepareIntent } from '../collection/opening/prepare-intent.ts';
import type { DialogueDeps, Turn } from './types.ts';

/** The payer's operator, and the service's code of its network; null when the service does not offer it. */
export type PayerNetwork = { operator: Operator; network: string | null };

/** Returns the payer's network, as the aggregator, the payer or the prefix of the number names it. */
export function getPayerNetwork(
  { networks }: Pick<DialogueDeps['settings'], 'networks'>,
  { request: { dialler, operator } }: Turn,
  { payer, operatorHint }: Pick<Intent, 'payer' | 'operatorHint'>,
): PayerNetwork {
  const known = operatorHint ?? (payer === dialler ? operator : 'unknown');
  const payerOperator = known === 'unknown' ? operatorByPrefix(payer) : known;
  return { operator: payerOperator, network: networks[payerOperator] };
}

/** A collection intent, its limits, and the guarded writes that open it. */
export type PreparedCollection = { intent: CollectionIntent; limits: Limits; writes: Write[] };

type PrepareDeps = Pick<DialogueDeps, 'ids' | 'quotes' | 'settings' | 'notifyOpened' | 'collections'>;

/** Prepares the collection that a payer confirmed. It collects the total that the screen named, or nothing. */
export async function prepareCollection(
  { ids, quotes, settings, notifyOpened, collections }: PrepareDeps,
  { channel, request: { dialler }, dialogueId, now }: Turn,
  { intent, operator, network }: { intent: Intent; operator: Operator; network: string },
): Promise<PreparedCollection> {
  const { merchant, promptDelayMs } = channel;
  const { payer, quote } = intent;
  const create = quote && (await quotes.find(quote.id));
  const repeated = intent.retryOf === undefined ? undefined : await collections.find(intent.retryOf);
  const { limits } = settings;
  const { row, writes } = prepareIntent(ids, {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    channel: channel.id,
    dialogueId,
    dialler,
    payer,
    requestedBy: getRequestedBy(merchant, dialler, payer),
    network,
    goodsMinor: intent.amountMinor,
    reference: intent.reference ?? quote?.reference,
    shortReference: intent.shortReference,
    answers: intent.answers ?? (repeated ? toAnswers(repeated, 'whole') : []),
    retryOf: intent.retryOf ?? null,
    shownTotalMinor: quote?.totalMinor ?? intent.shownTotalMinor ?? null,
    ...(create && { create }),
    limits,
    now,
    promptDelayMs: promptDelayMs[operator],
    promptDeadlineMs: settings.promptDeadlineMs,
    home: settings.home,
  });
  return { intent: row, limits, writes: [...writes, ...(notifyOpened?.(row) ?? [])] };
}

export function getRequestedBy(
  { attendants }: Turn['channel']['merchant'],
  dialler: Msisdn,
  payer: Msisdn,
): RequestedBy {
  if (payer === dialler) return 'payer';
  return attendants.has(dialler) ? 'attendant' : 'other';
}

/**
 * The short reference of the collection that a dialogue may open: the same on each screen and in each process, and not
 * predictable from anything that a payer sees. `takenReferences` counts earlier candidates that were in use.
 */
export function getShortReference(dialogueId: string, takenReferences: number): string {
  const digest = hash('sha256', `${dialogueId} ${takenReferences}`, 'buffer');
  return createShortReference({
    digits: (count) => String(digest.readUIntBE(0, 6) % 10 ** count).padStart(count, '0'),
  });
}
