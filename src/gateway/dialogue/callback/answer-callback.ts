import type { ServerResponse } from 'node:http';
import type { RequestReading, WireReply } from '../../../aggregators/aggregator.ts';
import type { RawRequest } from '../../../aggregators/description/request-fields.ts';
import { faultText, numberNotSupportedText, slowText } from '../../../menu/text/messages.ts';
import type { Clock, EpochMs } from '../../../shared/clock.ts';
import { createDeadlines, type Deadline } from '../../../shared/deadlines.ts';
import { errorMessage, unreachable } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { annotate, traced } from '../../../shared/tracing.ts';
import type { UssdReply, UssdRequest } from '../../../shared/ussd.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { answerRequest, type DialogueAnswer } from '../answer-request.ts';
import type { UssdChannel } from '../channel.ts';
import { endDialogue, isSessionAlive } from '../end-session.ts';
import type { ReplyGate } from '../reply-gate.ts';
import { isSampled } from '../sample-turns.ts';
import type { DialogueDeps } from '../types.ts';

type CallbackDeps = DialogueDeps & {
  gate: ReplyGate;
  /** True while no collection may be opened: payers get an END screen that asks them to try again. */
  isPaused(): Promise<boolean>;
  /** Called after a collection was opened, so that the worker starts at once. */
  onCollection(): void;
  log: Log;
  /** Share of the dialogues whose turns are logged, from 0 to 1. */
  loggedTurns: number;
  metrics: Pick<Metrics, 'turn' | 'networkUnlisted'>;
};

/** One authorised HTTP request of an aggregator. */
type Callback = {
  channel: UssdChannel;
  raw: RawRequest;
  requestId: string;
  /** The secret in the URL. When `previous` no longer appears in the log, the merchant can remove the previous secret. */
  secret: 'current' | 'previous';
  /** The response; absent without a socket. */
  outgoing: ServerResponse | undefined;
};

/** A reply, and its time. The time of a reply that a turn stores is the same for each repeat. */
type TimedReply = { reply: UssdReply; at: EpochMs; isStored: boolean };

/** A request that was read. `logged`: the fields of its log lines. */
type Call = Pick<Callback, 'channel' | 'outgoing'> & {
  reading: RequestReading;
  logged: Record<string, string>;
};

type Within = ReturnType<typeof createDeadlines>;

export type AnswerCallback = (callback: Callback) => Promise<WireReply>;

/**
 * Creates the function that answers an aggregator's requests for screens and its end notices. The reply is always a valid
 * screen in the aggregator's format, whatever fails.
 */
export function createAnswerCallback(deps: CallbackDeps): AnswerCallback {
  const { clock, metrics } = deps;
  const times = new ReplyTimes(deps.settings.dialogueLifetimeMs);
  const within = createDeadlines(clock);
  const recordUnlisted = createUnlistedNetworks(deps);
  return async ({ channel, raw, requestId, secret, outgoing }) => {
    const reading = channel.decode(raw);
    const receivedAt = clock.now();
    const logged = {
      request: requestId,
      channel: channel.id,
      ...(secret === 'previous' && { by: 'previous secret' }),
    };
    const attributes = { 'http.route': '/ussd/:channel/:secret', 'dialtill.channel': channel.id };
    const { reply, at, isStored } = await traced('turn', { attributes, kind: 'server' }, () =>
      answerInTime(deps, within, { channel, outgoing, reading, logged }),
    );
    const session = findSession(reading);
    const now = clock.now();
    const firstAt =
      isStored || session === undefined ? at : times.first(`${channel.id} ${session}`, reply.text, at, now);
    if (reading.kind === 'request') {
      metrics.turn(channel.id, reply.kind, now - receivedAt);
      const { unlistedNetwork } = reading.request;
      if (unlistedNetwork !== undefined) recordUnlisted(channel.id, unlistedNetwork, now);
    }
    return channel.encode(reply, reading, firstAt);
  };
}

/** Returns the reply to a request whose body was not read. */
export function replyToUnread(channel: UssdChannel, raw: RawRequest, at: EpochMs): WireReply {
  return channel.encode(endReply(channel, faultText), channel.decode({ ...raw, body: '', query: {} }), at);
}

/** Answers within the channel's time, and with an END screen when anything fails. */
async function answerInTime(deps: CallbackDeps, within: Within, call: Call): Promise<TimedReply> {
  const { clock, log } = deps;
  const { channel, logged } = call;
  let deadline: Deadline | undefined;
  try {
    return await within(channel.replyWithinMs, (limit) => {
      deadline = limit;
      return respond(deps, call, limit);
    });
  } catch (fault) {
    const isLate = deadline?.aborted === true;
    const failed = isLate
      ? 'a USSD request was not answered in time'
      : 'a USSD request could not be answered';
    log.error({ ...logged, fault: errorMessage(fault) }, failed);
    // After the time limit the turn may or may not be stored, so the screen makes no statement about money.
    return { reply: endReply(channel, isLate ? slowText : faultText), at: clock.now(), isStored: false };
  }
}

async function respond(deps: CallbackDeps, call: Call, deadline: Deadline): Promise<TimedReply> {
  const { log, clock } = deps;
  const { channel, reading, logged } = call;
  switch (reading.kind) {
    case 'request':
      return respondToRequest(deps, call, reading.request, deadline);
    case 'notice': {
      const answered = await endDialogue(deps, channel, reading, reading.ending);
      const line = { ...logged, dialogue: answered.turn?.dialogueId, ending: reading.ending };
      log.info(line, 'session ended');
      return timed(answered, clock);
    }
    case 'probe': {
      const kind = (await isSessionAlive(deps, channel, reading)) ? 'continue' : 'end';
      return { reply: { kind, text: '' }, at: clock.now(), isStored: false };
    }
    case 'unreadable':
      if (reading.isOtherNumber) {
        const why = 'a landline, or a number of another country';
        log.info(logged, `a USSD request came from a number that cannot pay: ${why}`);
        return { reply: endReply(channel, numberNotSupportedText), at: clock.now(), isStored: false };
      }
      log.warn({ ...logged, fields: reading.fields.size }, 'a USSD request could not be read');
      return { reply: endReply(channel, faultText), at: clock.now(), isStored: false };
    default:
      return unreachable(reading);
  }
}

async function respondToRequest(
  deps: CallbackDeps,
  { channel, outgoing, logged }: Call,
  request: UssdRequest,
  signal: Deadline,
): Promise<TimedReply> {
  const { clock, log } = deps;
  if (await deps.isPaused()) {
    log.info(logged, 'a USSD request arrived while collections are paused');
    return { reply: endReply(channel, faultText), at: clock.now(), isStored: false };
  }
  const startedAt = clock.now();
  const holdPrompt = createPromptHold(deps.gate, outgoing);
  const answered = await answerRequest(deps, channel, request, { onCollection: holdPrompt, signal });
  const { reply, turn } = answered;
  if (turn) annotate({ 'dialtill.dialogue': turn.dialogueId, 'dialtill.turn': turn.sequence });
  // Also for a repeated request: the payer may see this reply and not the first one.
  if (turn && (reply.kind === 'end' || answered.isRepeat)) holdPrompt(turn.dialogueId, reply.kind);
  if (turn?.collectionId) {
    if (answered.isRepeat) await deps.collections.adopt(turn.collectionId);
    deps.onCollection();
  }
  if (log.isLevelEnabled('info') && (!turn || isSampled(turn.dialogueId, deps.loggedTurns))) {
    const ms = clock.now() - startedAt;
    log.info({ ...logged, dialogue: turn?.dialogueId, turn: turn?.sequence, reply: reply.kind, ms }, 'turn');
  }
  return timed(answered, clock);
}

/** Returns a function that delays the prompt of the payer of a dialogue until the reply of this request has left. */
function createPromptHold(gate: ReplyGate, outgoing: Call['outgoing']) {
  let registered: string | undefined;
  return (dialogueId: string, kind: UssdReply['kind'] = 'end') => {
    if (registered === dialogueId) return;
    registered = dialogueId;
    const release = gate.register(dialogueId, kind);
    if (!outgoing) release('sent');
    // A connection that closed before the reply was written emits no further close event.
    else if (outgoing.closed) release('broken');
    else outgoing.once('close', () => release(outgoing.writableFinished ? 'sent' : 'broken'));
  };
}

function timed({ reply, turn, at }: DialogueAnswer, clock: Pick<Clock, 'now'>): TimedReply {
  return { reply, at: turn?.at ?? at ?? clock.now(), isStored: turn !== undefined };
}

function findSession(reading: RequestReading): string | undefined {
  if (reading.kind === 'unreadable') return undefined;
  const { session, dialler } = reading.kind === 'request' ? reading.request : reading;
  return `${session} ${dialler ?? ''}`;
}

/** Returns an END screen in the menu's first language: the language of the dialogue could not be read. */
function endReply({ merchant: { menu } }: UssdChannel, getText: typeof faultText): UssdReply {
  return { kind: 'end', text: getText(menu, menu.languages[0] ?? '') };
}

/** Maximum number of remembered replies. The oldest is forgotten first. */
const maxReplies = 10_000;

/**
 * The times of replies that no turn stores, such as the answer to an input after the end of its session. Some aggregators'
 * replies contain a time: with the first one, a repeated request gets the same bytes.
 */
class ReplyTimes {
  /** The time of each reply, and until when it is remembered, by session and text. */
  private readonly times = new Map<string, { at: EpochMs; until: EpochMs }>();
  private readonly lifetimeMs: number;

  /** @param lifetimeMs how long a repeat can arrive. */
  constructor(lifetimeMs: number) {
    this.lifetimeMs = lifetimeMs;
  }

  /** Returns the time of the first equal reply in its session, or `at` for the first one. */
  first(session: string, text: string, at: EpochMs, now: EpochMs): EpochMs {
    const key = `${session}\n${text}`;
    const known = this.times.get(key);
    if (known && now <= known.until) return known.at;
    this.times.delete(key);
    this.times.set(key, { at, until: now + this.lifetimeMs });
    const [oldest] = this.times.keys();
    if (this.times.size > maxReplies && oldest !== undefined) this.times.delete(oldest);
    return at;
  }
}

const dayMs = 24 * 3_600_000;
/** Names of one channel that are logged in a day. */
const maxNames = 10;

/**
 * Creates the function that counts each network name that no operator has, and logs each name of a channel once a day (UTC), at
 * most ten. Then the prefix of the number decides, which is wrong for a number that changed its network.
 */
function createUnlistedNetworks({ log, metrics }: Pick<CallbackDeps, 'log' | 'metrics'>) {
  let today = Number.NaN;
  let logged = new Map<string, Set<string>>();
  return (channel: string, name: string, now: EpochMs): void => {
    metrics.networkUnlisted(channel);
    const day = Math.floor(now / dayMs);
    if (day !== today) logged = new Map();
    today = day;
    const names = logged.get(channel) ?? new Set();
    if (names.size >= maxNames || names.has(name)) return;
    logged.set(channel, names.add(name));
    const isLast = names.size === maxNames;
    log.warn(
      { channel, network: maskNumbers(name), ...(isLast && { more: 'counted only, until tomorrow' }) },
      'the aggregator named an unknown network, so the prefix of the number decided: list the name under operators of the channel',
    );
  };
}
