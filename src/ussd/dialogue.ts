import type { CollectionRow } from '../collection/collection.ts';
import { start as startCollection } from '../collection/start.ts';
import type { Write } from '../db/store.ts';
import { sessionLostText, waitingText } from '../menu/messages.ts';
import type { Menu } from '../menu/schema.ts';
import type { Intent, MenuContext, MenuState, Step } from '../menu/state.ts';
import { start as startMenu, step } from '../menu/step.ts';
import type { Clock, EpochMs } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import { type Operator, operatorByPrefix } from '../shared/msisdn.ts';
import type { TextStyle } from '../shared/screen-text.ts';
import { type Place, place, positionOf } from './place.ts';
import type { Ending, UssdReply, UssdRequest } from './turn.ts';
import { type SessionHistory, type TurnRow, type TurnStore, turnWrite } from './turn-store.ts';

export type DialogueDeps = {
  turns: TurnStore;
  clock: Clock;
  ids: Ids;
  settings: DialogueSettings;
};

export type DialogueSettings = {
  dialogueLifeMs: number;
  repeatWindowMs: number;
  promptDeadlineMs: number;
  /** The service's network code for each operator. */
  networks: Readonly<Record<Operator, string>>;
  approvals: Readonly<Record<Operator, string>>;
};

export type Channel = {
  id: string;
  sequenced: boolean;
  style: TextStyle;
  promptDelayMs: Readonly<Record<Operator, number>>;
  merchant: { id: string; name: string; livemode: 0 | 1; menu: Menu };
};

export type DialogueAnswer = {
  reply: UssdReply;
  /** The turn that answered; absent when the input had no dialogue to belong to. */
  turn?: Pick<TurnRow, 'dialogueId' | 'sequence' | 'collectionId' | 'at'>;
};

/** Lost races in a row on one session before the request is given up; each means that another request advanced. */
const mostTries = 20;

/**
 * Answers one request of an aggregator: finds the session's last turn, takes one step of the menu, and writes the
 * new turn, together with the collection that it may open. One read and one write of the local database, and nothing
 * else is waited for.
 *
 * A repeated request gets the answer it got before and changes nothing; of two that arrive at once one advances
 * and both get its screen.
 *
 * @param onOpening called before a collection is written, with the dialogue whose END screen is still to be sent.
 * @param signal once aborted, a turn that is not yet being written never will be.
 * @throws StoreFault when the database fails, or `signal` was aborted.
 */
export async function converse(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  onOpening: (dialogueId: string) => void,
  signal?: AbortSignal,
): Promise<DialogueAnswer> {
  const { turns, clock, settings } = deps;
  const key = keyOf(channel, request.session, positionOf(request));
  for (let tries = 0; tries < mostTries; tries++) {
    const history = await turns.history(key);
    const { last, earlier } = history;
    const now = clock.now();
    const known = { last, seen: earlier !== undefined };
    const where = place(request, known, now, { ...settings, sequenced: isSequenced(channel, request) });
    if (where.kind === 'lost') return lost(channel, last);
    if (where.kind === 'repeat' && last) {
      return answerOf(where.of === 'earlier' && earlier ? earlier : last);
    }
    const { row, writes } = advance(deps, channel, request, history, where, now);
    if (writes.length > 0) onOpening(row.dialogueId);
    if (await turns.apply([turnWrite(row), ...writes], signal)) return answerOf(row);
    const { last: winner } = await turns.history(key);
    if (winner && winner.sequence >= row.sequence) return answerOf(winner);
    // The turn is still free, so it was the payer's other collection that refused: look again, and show that one.
  }
  throw new Error('a dialogue lost too many races');
}

/**
 * Notes that a session is over, as its aggregator says: inputs that arrive later change nothing, and what was agreed
 * to before stays agreed. A session that is not known, or was noted before, is left alone.
 *
 * @returns what the session's inputs are answered with from now on.
 * @throws StoreFault when the database fails.
 */
export async function endSession(
  { turns, clock }: DialogueDeps,
  channel: Channel,
  session: string,
  ending: Ending,
): Promise<DialogueAnswer> {
  for (let tries = 0; tries < mostTries; tries++) {
    const { last } = await turns.history(keyOf(channel, session, null));
    if (!last) return lost(channel, last);
    if (last.ending !== null) return answerOf(last);
    const screen = last.reply === 'end' ? last.screen : lost(channel, last).reply.text;
    const row: TurnRow = {
      ...last,
      sequence: last.sequence + 1,
      input: null,
      // At no position of its own: a request that is sent again still finds the turn that answered it.
      position: null,
      reply: 'end',
      screen,
      ending,
      at: Math.max(clock.now(), last.at),
    };
    if (await turns.apply([turnWrite(row)])) return answerOf(row);
  }
  throw new Error('a notice lost too many races');
}

/** True while the session's last screen waits for an input. */
export async function isAlive(
  { turns, clock, settings }: DialogueDeps,
  channel: Channel,
  session: string,
): Promise<boolean> {
  const { last } = await turns.history(keyOf(channel, session, null));
  return last?.reply === 'continue' && clock.now() - last.at <= settings.dialogueLifeMs;
}

function keyOf({ id, merchant }: Channel, session: string, position: string | null) {
  return { channel: id, session, position, merchantId: merchant.id, livemode: merchant.livemode };
}

/** A request that brings no number of its own tells no repeat, whatever its channel does otherwise. */
function isSequenced({ sequenced }: Channel, { entry, mark }: UssdRequest): boolean {
  return sequenced && (entry.kind === 'cumulative' || mark !== undefined);
}

function answerOf(row: TurnRow): DialogueAnswer {
  return { reply: { kind: row.reply, text: row.screen }, turn: row };
}

function lost({ merchant }: Channel, last: TurnRow | undefined): DialogueAnswer {
  const language = last ? stateOf(last).language : (merchant.menu.languages[0] ?? '');
  return { reply: { kind: 'end', text: sessionLostText(merchant.menu, language) } };
}

function stateOf(row: TurnRow): MenuState {
  return JSON.parse(row.state) as MenuState;
}

function advance(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  { last, open: waiting }: SessionHistory,
  where: Exclude<Place, { kind: 'lost' }>,
  now: EpochMs,
): { row: TurnRow; writes: Write[] } {
  const { merchant } = channel;
  const context: MenuContext = {
    merchant: merchant.name,
    dialler: request.dialler,
    operator: request.operator,
    sequenced: isSequenced(channel, request),
    limit: channel.style.limit,
    approvals: (operator) => deps.settings.approvals[operator],
  };
  const begins = where.kind !== 'advance' || !last;
  const taken = begins
    ? dial(merchant.menu, where.kind === 'begin' ? where.suffix : [], context)
    : step(merchant.menu, stateOf(last), where.input, context);
  const dialogueId = begins ? deps.ids.next('dlg') : last.dialogueId;
  const outcome = taken.intent
    ? open(deps, channel, request, dialogueId, taken, taken.intent, waiting, now)
    : { step: taken, collectionId: null, writes: [] };
  const row: TurnRow = {
    channel: channel.id,
    session: request.session,
    sequence: (last?.sequence ?? 0) + 1,
    dialogueId,
    merchantId: merchant.id,
    dialler: request.dialler,
    operator: request.operator,
    input: inputOf(where),
    position: positionOf(request),
    payer: outcome.step.state.answers.payer ?? null,
    ussdRef: request.ussdRef ?? null,
    ending: null,
    state: JSON.stringify(outcome.step.state),
    reply: outcome.step.reply.kind,
    screen: outcome.step.reply.text,
    collectionId: outcome.collectionId,
    at: Math.max(now, last?.at ?? 0),
  };
  return { row, writes: outcome.writes };
}

function inputOf(where: Place): string | null {
  if (where.kind === 'advance') return where.input;
  return where.kind === 'begin' && where.suffix.length > 0 ? where.suffix.join('*') : null;
}

/** The first screen, or the one that the answers dialled along lead to. A wrong one stops where it was wrong. */
function dial(menu: Menu, suffix: readonly string[], around: MenuContext): Step {
  // What was dialled along came in one request: equal answers in it are no repeats.
  const context = { ...around, sequenced: true };
  let taken = startMenu(menu, context);
  for (const input of suffix) {
    const next = step(menu, taken.state, input, context);
    // Dialling along fills in answers; agreeing to pay needs a screen that was seen.
    if (next.intent) break;
    taken = next;
    if (taken.reply.kind === 'end' || taken.state.mistakes > 0) break;
  }
  return taken;
}

type Opened = { step: Step; collectionId: string; writes: Write[] };

/** Opens the collection that the payer agreed to, or shows the one that is open already. */
function open(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  dialogueId: string,
  taken: Step,
  intent: Intent,
  waiting: CollectionRow | undefined,
  now: EpochMs,
): Opened {
  const { merchant, promptDelayMs } = channel;
  const { settings, ids } = deps;
  const { payer } = intent;
  if (waiting?.payer === payer) {
    return { step: showWaiting(deps, channel, taken, waiting), collectionId: waiting.id, writes: [] };
  }
  const named = intent.operatorHint ?? (payer === request.dialler ? request.operator : 'unknown');
  const operator = named === 'unknown' ? operatorByPrefix(payer) : named;
  const { row, writes } = startCollection(ids, {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    channel: channel.id,
    dialogueId,
    dialler: request.dialler,
    payer,
    network: settings.networks[operator],
    goodsMinor: intent.amountMinor,
    reference: intent.reference,
    now,
    promptDelayMs: promptDelayMs[operator],
    promptDeadlineMs: settings.promptDeadlineMs,
  });
  return { step: taken, collectionId: row.id, writes };
}

function showWaiting(deps: DialogueDeps, channel: Channel, taken: Step, waiting: CollectionRow): Step {
  const { menu, name } = channel.merchant;
  const text = waitingText(menu, taken.state.language, {
    amountMinor: waiting.goodsMinor,
    merchant: name,
    approvals: deps.settings.approvals[operatorByPrefix(waiting.payer)],
  });
  return { state: taken.state, reply: { kind: 'end', text } };
}
