import type { CollectionRow } from '../collection/collection.ts';
import type { CollectionStore } from '../collection/collection-store.ts';
import { start as startCollection } from '../collection/start.ts';
import type { Write } from '../db/store.ts';
import { sessionLostText, waitingText } from '../menu/messages.ts';
import type { Menu } from '../menu/schema.ts';
import type { Intent, MenuContext, MenuState, Step } from '../menu/state.ts';
import { start as startMenu, step } from '../menu/step.ts';
import type { Clock, EpochMs } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import { type Operator, operatorByPrefix } from '../shared/msisdn.ts';
import { type Place, place } from './place.ts';
import type { UssdReply, UssdRequest } from './turn.ts';
import { type TurnRow, type TurnStore, turnWrite } from './turn-store.ts';

export type DialogueDeps = {
  turns: TurnStore;
  collections: CollectionStore;
  clock: Clock;
  ids: Ids;
  settings: DialogueSettings;
};

export type DialogueSettings = {
  dialogueLifeMs: number;
  repeatWindowMs: number;
  promptDelayMs: Readonly<Record<Operator, number>>;
  promptDeadlineMs: number;
  /** The service's network code for each operator. */
  networks: Readonly<Record<Operator, string>>;
  approvals: Readonly<Record<Operator, string>>;
};

export type Channel = {
  id: string;
  sequenced: boolean;
  merchant: { id: string; name: string; livemode: 0 | 1; menu: Menu };
};

export type DialogueAnswer = {
  reply: UssdReply;
  /** The turn that answered; absent when the input had no dialogue to belong to. */
  turn?: Pick<TurnRow, 'dialogueId' | 'sequence' | 'collectionId'>;
};

/** Lost races in a row on one session before the request is given up; each means that another request advanced. */
const mostTries = 20;

/**
 * Answers one request of an aggregator: finds the session's last turn, takes one step of the menu, and writes the
 * new turn, together with the collection that it may open. Waits for the local database and for nothing else.
 *
 * A repeated request gets the answer it got before and changes nothing; of two that arrive at once one advances
 * and both get its screen.
 *
 * @param onOpening called before a collection is written, with the dialogue whose END screen is still to be sent.
 */
export async function converse(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  onOpening: (dialogueId: string) => void,
): Promise<DialogueAnswer> {
  const { turns, clock, settings } = deps;
  for (let tries = 0; tries < mostTries; tries++) {
    const now = clock.now();
    const last = await turns.last(channel.id, request.session);
    const where = place(request, last, now, { ...settings, sequenced: channel.sequenced });
    if (where.kind === 'lost') return lost(channel, last);
    if (where.kind === 'repeat' && last) return answerOf(await repeated(turns, last, where.position));
    const { row, writes } = await advance(deps, channel, request, last, where, now);
    if (writes.length > 0) onOpening(row.dialogueId);
    if (await turns.apply([turnWrite(row), ...writes])) return answerOf(row);
    const winner = await turns.last(channel.id, request.session);
    if (winner && winner.sequence >= row.sequence) return answerOf(winner);
    // The turn is still free, so it was the payer's other collection that refused: look again, and show that one.
  }
  throw new Error('a dialogue lost too many races');
}

async function repeated(turns: TurnStore, last: TurnRow, position: string | undefined): Promise<TurnRow> {
  return position === undefined ? last : ((await turns.atPosition(last, position)) ?? last);
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

async function advance(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  last: TurnRow | undefined,
  where: Exclude<Place, { kind: 'lost' }>,
  now: EpochMs,
): Promise<{ row: TurnRow; writes: Write[] }> {
  const { merchant } = channel;
  const context: MenuContext = {
    merchant: merchant.name,
    dialler: request.dialler,
    operator: request.operator,
    sequenced: channel.sequenced,
    approvals: (operator) => deps.settings.approvals[operator],
  };
  const begins = where.kind !== 'advance' || !last;
  const taken = begins
    ? dial(merchant.menu, where.kind === 'begin' ? where.suffix : [], context)
    : step(merchant.menu, stateOf(last), where.input, context);
  const dialogueId = begins ? deps.ids.next('dlg') : last.dialogueId;
  const outcome = taken.intent
    ? await open(deps, channel, request, dialogueId, taken, taken.intent, now)
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
    position: request.entry.kind === 'cumulative' ? request.entry.text : null,
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
async function open(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  dialogueId: string,
  taken: Step,
  intent: Intent,
  now: EpochMs,
): Promise<Opened> {
  const { merchant } = channel;
  const { settings, collections, ids } = deps;
  const { payer } = intent;
  const waiting = await collections.findOpen({ merchantId: merchant.id, livemode: merchant.livemode, payer });
  if (waiting)
    return { step: showWaiting(deps, channel, taken, waiting), collectionId: waiting.id, writes: [] };
  const operator =
    intent.operatorHint ?? (payer === request.dialler ? request.operator : operatorByPrefix(payer));
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
    promptDelayMs: settings.promptDelayMs[operator],
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
