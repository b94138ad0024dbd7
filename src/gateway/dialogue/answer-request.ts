import { sessionLostText } from '../../menu/text/messages.ts';
import { type Clock, type EpochMs, monotonicMs } from '../../shared/clock.ts';
import type { Deadline } from '../../shared/deadlines.ts';
import type { UssdReply, UssdRequest } from '../../shared/ussd.ts';
import { conflict, retryConflict, StoreFault } from '../../sqlite/store.ts';
import { classifyRequest, findInput, findPosition } from './classify-request.ts';
import { loadDiallerContext } from './dialler-context.ts';
import { loadPreviousAttempt } from './open-collection.ts';
import { computeFingerprint, getMenuState, getStoredState, turnsAgain } from './stored-state.ts';
import { isSequenced, type TakenTurn, takeTurn } from './take-turn.ts';
import type { DialogueKey, SessionHistory, TurnRow } from './turn-store.ts';
import type { Channel, DialogueDeps, PreviousAttempt, Turn } from './types.ts';

export type DialogueAnswer = {
  reply: UssdReply;
  /** The turn whose screen is the reply; absent when the input belongs to no dialogue. */
  turn?: Pick<TurnRow, 'dialogueId' | 'sequence' | 'collectionId' | 'at'>;
  /** The reply was stored before this request. */
  isRepeat?: true;
  /** Without a turn, the time of the session's last turn, so that a repeated request gets the same reply. */
  at?: EpochMs;
};

export type AnswerOptions = {
  /** Called before a collection is written, with the dialogue whose END screen is still to be sent. */
  onCollection(dialogueId: string): void;
  /** Once aborted, a turn whose write has not begun is not written. */
  signal?: Deadline;
};

/** Where processes have clocks of their own, two requests that arrive within this time are concurrent, in milliseconds. */
const concurrentMs = 300;

/** Part of the channel's time that is kept for the commit and the reply after a turn has waited for an effect. */
const replyMarginMs = 600;

/**
 * Answers one request of an aggregator: reads the session and the dialler, takes one step of the menu, and writes the
 * new turn together with the collection that it may open. This is one read and one write of the local database. Besides,
 * a turn waits only for the effects of its screen, within their budgets and the channel's time. Where several gateways can
 * write, the stored turn is read before an effect: another system learns nothing from a turn that never was.
 *
 * A repeated request gets its stored answer and changes nothing. Of two concurrent requests one advances, and both get
 * its screen.
 *
 * @throws StoreFault when the database fails, or when the signal was aborted.
 */
export async function answerRequest(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  { onCollection, signal }: AnswerOptions,
): Promise<DialogueAnswer> {
  const { turns, clock, settings } = deps;
  const key: DialogueKey = { channel: channel.id, session: request.session, dialler: request.dialler };
  const asked = { position: findPosition(request), input: findInput(request) };
  const receivedAt = clock.now();
  const deadline = receivedAt + channel.replyWithinMs - replyMarginMs;
  const earliest = receivedAt - (deps.suspensions?.waitedMs() ?? 0);
  const isShared = settings.home !== null;
  const rules = { ...settings, sequenced: isSequenced(channel, request), isShared };
  let previousAttempt: PreviousAttempt = { takenReferences: 0 };
  let mayRemember = true;
  return retryConflict(`a session of channel ${channel.id}`, async () => {
    const now = clock.now();
    const cached = mayRemember ? turns.remembered(key) : undefined;
    const stepMs = cached ? findStep(cached, clock) : 0;
    // By its arrival: an attempt that waited for the database is no later input.
    const arrival = { earliest: earliest - stepMs, latest: receivedAt - stepMs, now: now - stepMs };
    const classify = (history: SessionHistory) => {
      const isKeyAgain = history.last !== undefined && turnsAgain(history.last);
      return classifyRequest(request, history, arrival, { ...rules, turnsAgain: isKeyAgain });
    };
    const known = { last: cached, earlier: undefined };
    const isNext = canAdvance(request) && classify(known).kind === 'advance';
    const history = isNext ? known : await turns.history(key, asked);
    const found = classify(history);
    const { last, earlier } = history;
    if (found.kind === 'lost') return lostAnswer(channel, last);
    if (found.kind === 'repeat' && last) return getRepeat(found.of === 'earlier' && earlier ? earlier : last);
    const dialogue = found.kind === 'advance' && last ? findDialogue(channel, last) : undefined;
    // An unknown menu has shown the last screen, so that the input has no meaning: the dialogue starts again.
    const requestKind = found.kind === 'advance' && !dialogue ? startAgain : found;
    const dialogueId = requestKind.kind === 'advance' && last ? last.dialogueId : deps.ids.next('dlg');
    const diallerContext = await loadDiallerContext(deps, channel, request, { requestKind, history });
    const turn = {
      channel: dialogue?.channel ?? channel,
      state: dialogue?.state,
      request,
      dialogueId,
      requestKind,
      history,
      diallerContext,
      now,
      deadline,
      previousAttempt,
      mayBeStale: isShared && isNext,
    };
    const result = await takeTurn(deps, turn);
    if (result === 'unread') {
      mayRemember = false;
      return conflict;
    }
    if (result.collection) onCollection(dialogueId);
    aheadOf.set(result.row, findAhead(clock));
    const written = await turns.write(result.row, result.writes, signal).catch(unlessUnknown);
    // The turn may have been written: then the next attempt finds it, and repeats its reply.
    if (written === 'unknown') return conflict;
    if (written) {
      countTurn(deps, turn, result);
      return toAnswer(result.row);
    }
    const [{ last: latest }, winner] = await Promise.all([
      turns.history(key),
      turns.at({ ...key, sequence: result.row.sequence }),
    ]);
    if (latest && winner) {
      // Another process can have continued the dialogue since this one wrote its last turn: the request may follow that turn.
      // A cumulative text shows by itself whether it does. Gateways write the time of one clock.
      const concurrentSince = isShared ? earliest : now - concurrentMs;
      if (isNext && (request.entry.kind === 'cumulative' || winner.at < concurrentSince)) return conflict;
      // A copy of this request has won, perhaps while this one waited for an effect and the payer typed the next input.
      const isCopy = winner.input === result.row.input && winner.position === result.row.position;
      return getRepeat(isCopy ? winner : latest);
    }
    // The turn is still free, so the database rejected the collection: the next attempt shows the reason.
    previousAttempt = await loadPreviousAttempt(deps, result.collection, previousAttempt);
    return conflict;
  });
}

/** How far the clock was ahead of the monotonic one when this process wrote a turn, in milliseconds. */
const aheadOf = new WeakMap<TurnRow, number>();

const findAhead = (clock: Clock) => clock.now() - monotonicMs(clock);

/** Returns how far the clock was set forward since this process wrote a turn: the age of a turn is an interval of the monotonic clock. */
function findStep(row: TurnRow, clock: Clock): number {
  const ahead = findAhead(clock);
  return Math.max(0, ahead - (aheadOf.get(row) ?? ahead));
}

const startAgain = { kind: 'start', suffix: [] } as const;

/** Returns the state of a dialogue, and its channel with the menu that produced the state; `undefined` when that is unknown. */
function findDialogue(channel: Channel, last: TurnRow): Pick<Turn, 'channel' | 'state'> | undefined {
  const { menu: fingerprint, ...state } = getStoredState(last);
  const { merchant } = channel;
  if (fingerprint === computeFingerprint(merchant.menu)) return { channel, state };
  const menu = merchant.earlierMenus?.get(fingerprint);
  return menu && { channel: { ...channel, merchant: { ...merchant, menu } }, state };
}

/** Returns whether the last turn of a session alone shows that a request is its next input. A mark can be that of any turn. */
function canAdvance({ entry, mark }: UssdRequest): boolean {
  return entry.kind === 'cumulative' || (entry.kind === 'typed' && mark === undefined);
}

/** Returns the answer that a turn's row stores. */
export function toAnswer(row: TurnRow): DialogueAnswer {
  return { reply: { kind: row.reply, text: row.screen }, turn: row };
}

/** @throws every fault but that of a connection that was lost after the batch was sent. */
function unlessUnknown(fault: unknown): 'unknown' {
  if (fault instanceof StoreFault && fault.kind === 'unknown') return 'unknown';
  throw fault;
}

function getRepeat(row: TurnRow): DialogueAnswer {
  return { ...toAnswer(row), isRepeat: true };
}

/** The answer to an input that belongs to no dialogue, in the language of the session's last turn. */
export function lostAnswer({ merchant: { menu } }: Channel, last: TurnRow | undefined): DialogueAnswer {
  const language = last ? getMenuState(last).language : (menu.languages[0] ?? '');
  return { reply: { kind: 'end', text: sessionLostText(menu, language) }, ...(last && { at: last.at }) };
}

/** Counts a turn that was written. */
function countTurn(
  { metrics }: DialogueDeps,
  { requestKind, history: { last } }: Turn,
  { row, menuScreen: screen, collection, rejection }: TakenTurn,
): void {
  const { merchantId } = row;
  if (collection) metrics.opened(merchantId);
  if (rejection) metrics.rejected(merchantId, rejection);
  if (requestKind.kind === 'advance') {
    const isNew = () => !last || getMenuState(last).screen !== screen;
    if (screen === '(duplicate)' && isNew()) metrics.redialled(merchantId, 'duplicate');
    return;
  }
  if (screen === '(payment)') metrics.redialled(merchantId, 'payment');
  if (screen === '(resume)') metrics.redialled(merchantId, 'resume');
}
