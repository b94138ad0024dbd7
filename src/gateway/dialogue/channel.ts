import { hash, timingSafeEqual } from 'node:crypto';
import type { Aggregator, RequestReading, WireReply } from '../../aggregators/aggregator.ts';
import type { RawRequest } from '../../aggregators/description/request-fields.ts';
import { type AddressList, createAddressList } from '../../shared/http/addresses.ts';
import { type Operator, perOperator } from '../../shared/msisdn.ts';
import { type Alphabet, fitScreen, type TextStyle } from '../../shared/screen-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type { Channel } from './types.ts';

/** A channel's configuration. An absent setting has the aggregator's value. */
export type ChannelSettings = {
  id: string;
  secret: string;
  /** The previous secret, while the aggregator still uses it. */
  previousSecret?: string | undefined;
  serviceCode: string;
  /** Addresses and networks that may send requests; all when absent. */
  allowFrom?: readonly string[] | undefined;
  alphabet?: Alphabet | undefined;
  textLimit?: number | undefined;
  lineBreak?: string | undefined;
  forbidden?: string | undefined;
  replyWithinMs?: number | undefined;
  /** `false` also ignores the aggregator's marks. */
  sequenced?: boolean | undefined;
  promptDelayMs?: Readonly<Partial<Record<Operator, number | undefined>>> | undefined;
  /** Operators by the channel's own spellings. */
  operators?: Readonly<Record<string, Operator>> | undefined;
  /** Settings of this aggregator's dialect. */
  settings?: unknown;
};

/** A channel as the callback route needs it. */
export type UssdChannel = Channel & {
  secrets: SecretDigests;
  allowFrom: AddressList | undefined;
  style: TextStyle;
  decode(raw: RawRequest): RequestReading;
  /** Writes a reply. The text is converted to the channel's alphabet and cut to the screen. */
  encode(reply: UssdReply, reading: RequestReading, at: number): WireReply;
};

/**
 * Creates a channel from its aggregator and its settings.
 *
 * @param promptDelayMs the delay between the END screen and the prompt on all channels. A longer delay of the aggregator
 *   replaces it, and the channel's own setting replaces both.
 */
export function createChannel(
  aggregator: Aggregator,
  settings: ChannelSettings,
  merchant: Channel['merchant'],
  promptDelayMs: Readonly<Record<Operator, number>>,
): UssdChannel {
  const { serviceCode } = settings;
  const spellings = Object.entries(settings.operators ?? {});
  const dialect = aggregator.createDialect({
    serviceCode,
    operators: new Map(spellings.map(([name, operator]) => [name.toLowerCase(), operator] as const)),
    settings: aggregator.settings.parse(settings.settings ?? {}),
  });
  const style: TextStyle = {
    alphabet: settings.alphabet ?? aggregator.style.alphabet,
    limit: settings.textLimit ?? aggregator.style.limit,
    lineBreak: settings.lineBreak ?? aggregator.style.lineBreak,
    // The aggregator's forbidden characters delimit its replies, so a channel can only add to them.
    forbidden: aggregator.style.forbidden + (settings.forbidden ?? ''),
  };
  return {
    id: settings.id,
    secrets: digestSecrets(settings),
    merchant,
    sequenced: settings.sequenced ?? aggregator.sequenced,
    allowFrom: settings.allowFrom && createAddressList(settings.allowFrom),
    replyWithinMs: settings.replyWithinMs ?? aggregator.replyWithinMs,
    promptDelayMs: promptDelays(settings, aggregator, promptDelayMs),
    style,
    decode: (raw) => (settings.sequenced === false ? withoutMark(dialect.decode(raw)) : dialect.decode(raw)),
    encode: ({ kind, text }, reading, at) =>
      dialect.encode({ kind, text: fitScreen(text, style) }, reading, at),
  };
}

/** A channel that states `sequenced: false` has an aggregator whose marks prove nothing. */
function withoutMark(reading: RequestReading): RequestReading {
  if (reading.kind !== 'request') return reading;
  const { mark: _, ...request } = reading.request;
  return { ...reading, request };
}

function promptDelays(
  settings: ChannelSettings,
  aggregator: Aggregator,
  general: Readonly<Record<Operator, number>>,
): Record<Operator, number> {
  return perOperator((operator) => {
    const own = settings.promptDelayMs?.[operator];
    return own ?? Math.max(general[operator], aggregator.promptDelayMs);
  });
}

/** The digests of a channel's secrets. */
type SecretDigests = { readonly current: Buffer; readonly previous: Buffer | undefined };

/** Digests the secrets of a channel once, because each request is compared with them. */
function digestSecrets(channel: { secret: string; previousSecret?: string | undefined }): SecretDigests {
  const { secret, previousSecret } = channel;
  return {
    current: computeDigest(secret),
    previous: previousSecret === undefined ? undefined : computeDigest(previousSecret),
  };
}

/** Takes the place of a channel that does not exist. */
const decoy = digestSecrets({ secret: '' });

/**
 * Returns which of the channel's secrets a text is. Compares digests, so that the duration reveals neither length nor
 * content, and compares both in every case, also for a channel that does not exist.
 */
export function matchSecret(
  channel: { secrets: SecretDigests } | undefined,
  given: string,
): 'current' | 'previous' | undefined {
  const { current, previous = current } = channel?.secrets ?? decoy;
  const digest = computeDigest(given);
  const isPrevious = timingSafeEqual(digest, previous);
  const isCurrent = timingSafeEqual(digest, current);
  if (channel === undefined) return undefined;
  if (isCurrent) return 'current';
  return isPrevious ? 'previous' : undefined;
}

function computeDigest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
