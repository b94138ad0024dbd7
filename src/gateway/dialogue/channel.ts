import type { Aggregator } from '../../aggregators/aggregator.ts';
import type { RawRequest, Reading, WireReply } from '../../aggregators/dialect.ts';
import { type AddressList, createAddressList } from '../../shared/http/address-list.ts';
import { type Operator, operators } from '../../shared/msisdn.ts';
import { type Alphabet, fitScreen, type TextStyle } from '../../shared/screen-text.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type { Channel } from './dialogue.ts';

/** What a channel's configuration says; what is absent is as the aggregator has it. */
export type ChannelSettings = {
  id: string;
  secret: string;
  /** What the secret was, while the aggregator still calls by it. */
  previousSecret?: string | undefined;
  serviceCode: string;
  /** Addresses and networks that may call; absent means all. */
  allowFrom?: readonly string[] | undefined;
  alphabet?: Alphabet | undefined;
  textLimit?: number | undefined;
  lineBreak?: string | undefined;
  forbidden?: string | undefined;
  replyWithinMs?: number | undefined;
  sequenced?: boolean | undefined;
  promptDelayMs?: Readonly<Partial<Record<Operator, number | undefined>>> | undefined;
  /** Operators by this channel's spellings. */
  operators?: Readonly<Record<string, Operator>> | undefined;
  /** The aggregator's own. */
  settings?: unknown;
};

/** One rented code behind one aggregator: what the callback route needs of it. */
export type UssdChannel = Channel & {
  secret: string;
  previousSecret: string | undefined;
  allowFrom: AddressList | undefined;
  style: TextStyle;
  decode(raw: RawRequest): Reading;
  /** Writes a reply with its text made to fit the screen. */
  encode(reply: UssdReply, reading: Reading, at: number): WireReply;
};

/**
 * Joins an aggregator with a channel's settings.
 *
 * @param promptDelayMs how long prompts wait after END on all channels; the aggregator's advice prolongs it, the
 *   channel's own setting replaces both.
 */
export function createChannel(
  aggregator: Aggregator,
  settings: ChannelSettings,
  merchant: Channel['merchant'],
  promptDelayMs: Readonly<Record<Operator, number>>,
): UssdChannel {
  const { serviceCode } = settings;
  const spellings = Object.entries(settings.operators ?? {});
  const line = {
    serviceCode,
    operators: new Map(spellings.map(([name, operator]) => [name.toLowerCase(), operator] as const)),
    settings: aggregator.settings.parse(settings.settings ?? {}),
  };
  const dialect = aggregator.open(line);
  const style: TextStyle = {
    alphabet: settings.alphabet ?? aggregator.style.alphabet,
    limit: settings.textLimit ?? aggregator.style.limit,
    lineBreak: settings.lineBreak ?? aggregator.style.lineBreak,
    // Some of the aggregator's own frame its replies: a channel can only add to them.
    forbidden: aggregator.style.forbidden + (settings.forbidden ?? ''),
  };
  return {
    id: settings.id,
    secret: settings.secret,
    previousSecret: settings.previousSecret,
    merchant,
    sequenced: settings.sequenced ?? aggregator.sequenced,
    allowFrom: settings.allowFrom && createAddressList(settings.allowFrom),
    replyWithinMs: settings.replyWithinMs ?? aggregator.replyWithinMs,
    promptDelayMs: delays(settings, aggregator, promptDelayMs),
    style,
    decode: (raw) => dialect.decode(raw),
    encode: ({ kind, text }, reading, at) =>
      dialect.encode({ kind, text: fitScreen(text, style) }, reading, at),
  };
}

function delays(
  settings: ChannelSettings,
  aggregator: Aggregator,
  general: Readonly<Record<Operator, number>>,
): Record<Operator, number> {
  const delay = (operator: Operator) => {
    const own = settings.promptDelayMs?.[operator];
    return own ?? Math.max(general[operator], aggregator.promptDelayMs);
  };
  return Object.fromEntries(operators.map((operator) => [operator, delay(operator)])) as Record<
    Operator,
    number
  >;
}
