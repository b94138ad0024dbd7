import { createHash } from 'node:crypto';
import type { Intent, Step } from '../../menu/state/state.ts';
import { endStates } from '../../menu/state/state.ts';
import { type RefusalMessage, refusalText, sessionLostText } from '../../menu/text/messages.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { createShortReference } from '../../shared/short-reference.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import type { Write } from '../../sqlite/store.ts';
import type { CollectionIntent } from '../collection/collection.ts';
import { type Limits, limitsOfAttendant } from '../collection/opening/limits.ts';
import { prepareIntent } from '../collection/opening/prepare-intent.ts';
import type { Rejection } from '../collection/opening/rejection.ts';
import type { Quotes } from '../collection/quote/quote.ts';
import type { Channel } from './dialogue.ts';

export type PrepareDeps = { ids: Ids; quotes: Pick<Quotes, 'find'> };

export type PrepareSettings = {
  promptDeadlineMs: number;
  /** The service's network code for each operator. */
  networks: Readonly<Record<Operator, string>>;
  limits: Limits;
};

/** A collection that is about to be opened, and the limits that it must keep to. */
export type PreparedCollection = { intent: CollectionIntent; limits: Limits; writes: Write[] };

/** Makes the collection that a payer agreed to. What the screen named as the total is what may be taken, or nothing. */
export async function prepareCollection(
  { ids, quotes }: PrepareDeps,
  settings: PrepareSettings,
  { id: channelId, merchant, promptDelayMs }: Channel,
  { dialler, operator }: UssdRequest,
  dialogueId: string,
  intent: Intent,
  now: EpochMs,
): Promise<PreparedCollection> {
  const { payer, quote } = intent;
  const named = intent.operatorHint ?? (payer === dialler ? operator : 'unknown');
  const network = named === 'unknown' ? operatorByPrefix(payer) : named;
  const create = quote && (await quotes.find(quote.id));
  const isAttendant = merchant.attendants.has(dialler);
  const limits = isAttendant ? limitsOfAttendant(settings.limits) : settings.limits;
  const { row, writes } = prepareIntent(ids, {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    channel: channelId,
    dialogueId,
    dialler,
    payer,
    network: settings.networks[network],
    goodsMinor: intent.amountMinor,
    reference: intent.reference ?? quote?.reference,
    shortReference: intent.shortReference,
    retryOf: intent.retryOf ?? null,
    shownTotalMinor: quote?.totalMinor ?? intent.shownTotalMinor ?? null,
    ...(create && { create }),
    limits,
    now,
    promptDelayMs: promptDelayMs[network],
    promptDeadlineMs: settings.promptDeadlineMs,
  });
  return { intent: row, limits, writes };
}

/**
 * The short reference of whatever a dialogue comes to collect: the same on each of its screens, in each process, and to
 * be guessed from nothing that is seen. `tries` counts those that other collections had already.
 */
export function shortReferenceOf(dialogueId: string, tries: number): string {
  const digest = createHash('sha256').update(`${dialogueId} ${tries}`).digest();
  return createShortReference({
    digits: (count) => String(digest.readUIntBE(0, 6) % 10 ** count).padStart(count, '0'),
  });
}

const refusals: Readonly<Partial<Record<Rejection, RefusalMessage>>> = {
  // Somebody else's payment is under way: which, is nobody's business.
  open: 'rejectedTooMany',
  opted_out: 'rejectedBlocked',
  cool_down: 'rejectedCoolDown',
  dialler_limit: 'rejectedTooMany',
  payer_limit: 'rejectedTooMany',
  merchant_limit: 'rejectedTooMany',
};

/** The last screen of a payer whose collection was refused: nothing is asked of anybody's wallet. */
export function refuse({ merchant }: Channel, taken: Step, intent: Intent, refusal: Rejection): Step {
  const { language } = taken.state;
  const name = refusals[refusal];
  const text = name
    ? refusalText(merchant.menu, language, name, { merchant: merchant.name, payer: intent.payer })
    : sessionLostText(merchant.menu, language);
  return { state: { ...taken.state, screen: endStates.rejected }, reply: { kind: 'end', text } };
}
