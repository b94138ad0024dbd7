import type { Menu } from '../../menu/schema.ts';
import { startDialogue } from '../../menu/state/start-dialogue.ts';
import type {
  CallerHistory,
  MenuContext,
  PaymentSummary as MenuPaymentSummary,
  MenuState,
} from '../../menu/state/state.ts';
import { step } from '../../menu/state/step.ts';
import { sessionLostText } from '../../menu/text/messages.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { type Msisdn, type Operator, operators } from '../../shared/msisdn.ts';
import type { TextStyle } from '../../shared/screen-text.ts';
import type { Ending, UssdReply, UssdRequest } from '../../shared/ussd.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Rejection } from '../collection/opening/rejection.ts';
import { type PaymentSummary, summarizePayment } from '../collection/payment-summary.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import { type AgreeDeps, type Agreed, agree, type PreviousAttempt, whyRefused } from './agreement.ts';
import { type CallerHistorySettings, callerHistoryOf, type DiallerContext } from './caller-history.ts';
import { classifyRequest, positionOf, type RequestKind } from './classify-request.ts';
import { type DiallerStore, noteWrite } from './dialler-store.ts';
import { duplicateIn, findOlderDuplicate } from './duplicate.ts';
import { type EffectDeps, type EffectSettings, runEffects } from './effects.ts';
import { type PreparedCollection, type PrepareSettings, shortReferenceOf } from './prepare-collection.ts';
import { fingerprintOf, storedStateOf } from './stored-state.ts';
import { type SessionHistory, type TurnRow, type TurnStore, turnWrite } from './turn-store.ts';

export type DialogueDeps = EffectDeps &
  AgreeDeps & {
    turns: TurnStore;
    diallers: DiallerStore;
    collections: Pick<CollectionStore, 'recent' | 'findDuplicate'>;
    settings: DialogueSettings;
    metrics: DialogueMetrics;
  };

export type DialogueSettings = EffectSettings &
  PrepareSettings &
  CallerHistorySettings & {
    dialogueLifetimeMs: number;
    repeatWindowMs: number;
    /** Within it, the same payment needs a yes of its own. */
    duplicateWindowMs: number;
    approvals: Readonly<Record<Operator, string>>;
  };

/** Told of what a merchant will want to see counted. */
export type DialogueMetrics = {
  opened(merchantId: string): void;
  rejected(merchantId: string, reason: Rejection): void;
  /** What a payer who dialled again was shown first. */
  redialled(merchantId: string, shown: 'payment' | 'resume' | 'duplicate'): void;
  statusAsked(merchantId: string, state: PaymentSummary['state'] | 'not_found'): void;
};

export type Channel = {
  id: string;
  sequenced: boolean;
  style: TextStyle;
  replyWithinMs: number;
  promptDelayMs: Readonly<Record<Operator, number>>;
  merchant: {
    id: string;
    name: string;
    livemode: 0 | 1;
    menu: Menu;
    /** Numbers of those who work for the merchant. */
    attendants: ReadonlySet<Msisdn>;
  };
};

export type DialogueAnswer = {
  reply: UssdReply;
  /** The turn that answered; absent when the input had no dialogue to belong to. */
  turn?: Pick<TurnRow, 'dialogueId' | 'sequence' | 'collectionId' | 'at'>;
};

/** Lost races in a row on one session before the request is given up; each means that another request advanced. */
const maxTries = 20;

/** Of a channel's time, what is left for the commit and the way back when a turn has waited for somebody else. */
const marginMs = 600;

/**
 * Answers one request of an aggregator: reads what is known, takes one step of the menu, and writes the new turn,
 * together with the collection that it may open. One look at the local database and one write of it; besides, a turn
 * waits only for a look-up or a quote that its screen is made of, within their budgets and the channel's time.
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
  const until = clock.now() + channel.replyWithinMs - marginMs;
  let previousAttempt: PreviousAttempt = { references: 0 };
  for (let tries = 0; tries < maxTries; tries++) {
    const [history, diallerContext] = await Promise.all([
      turns.history(key),
      loadDiallerContext(deps, channel, request),
    ]);
    const { last, earlier } = history;
    const now = clock.now();
    const known = { last, seen: earlier !== undefined };
    const requestKind = classifyRequest(request, known, now, {
      ...settings,
      sequenced: isSequenced(channel, request),
    });
    if (requestKind.kind === 'lost') return lost(channel, last);
    if (requestKind.kind === 'repeat' && last) {
      return answerOf(requestKind.of === 'earlier' && earlier ? earlier : last);
    }
    const turn = { channel, request, history, diallerContext, requestKind, now, until, previousAttempt };
    const { row, writes, opened, refusal } = await advance(deps, turn);
    if (opened) onOpening(row.dialogueId);
    if (await turns.apply([turnWrite(row), ...writes], signal)) {
      count(deps, turn, row, opened, refusal);
      return answerOf(row);
    }
    const { last: winner } = await turns.history(key);
    if (winner && winner.sequence >= row.sequence) return answerOf(winner);
    // The turn is still free, so it was the collection that was refused: look again, and say so.
    previousAttempt = await whyRefused(deps, opened, previousAttempt, clock.now());
  }
  throw new Error('a dialogue lost too many races');
}

async function loadDiallerContext(
  { collections, diallers, turns, clock, settings }: DialogueDeps,
  { id: channel, merchant }: Channel,
  { session, dialler, entry }: UssdRequest,
): Promise<DiallerContext> {
  const { id: merchantId, livemode } = merchant;
  const since = clock.now() - Math.max(settings.recentPaymentMs, settings.duplicateWindowMs);
  const [rows, setting, lastTurn] = await Promise.all([
    collections.recent({ merchantId, livemode, dialler, channel, session, since }),
    diallers.settingOf({ merchantId, livemode, msisdn: dialler }),
    // A dialogue goes on or begins; only one that begins asks what was before it.
    entry.kind === 'typed' ? undefined : turns.lastOf({ merchantId, dialler }),
  ]);
  return { recent: rows.map((row) => seen(summarizePayment(row), settings.networks)), setting, lastTurn };
}

/**
 * Notes that a session is over, as its aggregator says: inputs that arrive later change nothing, and what was agreed
 * to before stays agreed. A session that is not known, or was noted before, is left alone.
 *
 * @returns what the session's inputs are answered with from now on.
 * @throws StoreFault when the database fails.
 */
export async function endSession(
  { turns, clock }: Pick<DialogueDeps, 'turns' | 'clock'>,
  channel: Channel,
  session: string,
  ending: Ending,
): Promise<DialogueAnswer> {
  for (let tries = 0; tries < maxTries; tries++) {
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
  { turns, clock, settings }: Pick<DialogueDeps, 'turns' | 'clock' | 'settings'>,
  channel: Channel,
  session: string,
): Promise<boolean> {
  const { last } = await turns.history(keyOf(channel, session, null));
  return last?.reply === 'continue' && clock.now() - last.at <= settings.dialogueLifetimeMs;
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
  const { menu: _, ...state } = storedStateOf(row);
  return state;
}

/** A collection as menus see it: networks by our own names. */
function seen(
  { network, ...standing }: ReturnType<typeof summarizePayment>,
  networks: DialogueSettings['networks'],
): MenuPaymentSummary {
  const operator = operators.find((one) => one !== 'unknown' && networks[one] === network);
  return { ...standing, ...(operator && { operator }) };
}

/** One turn, as far as it is known before its step is taken. */
export type Turn = {
  channel: Channel;
  request: UssdRequest;
  history: SessionHistory;
  diallerContext: DiallerContext;
  requestKind: Exclude<RequestKind, { kind: 'lost' }>;
  now: EpochMs;
  /** By when everything that is waited for must have come. */
  until: EpochMs;
  previousAttempt: PreviousAttempt;
};

type Advanced = {
  row: TurnRow;
  writes: Write[];
  opened?: PreparedCollection | undefined;
  refusal?: Rejection | undefined;
};

async function advance(deps: DialogueDeps, turn: Turn): Promise<Advanced> {
  const { channel, request, history, diallerContext: around, requestKind: where, now, until } = turn;
  const { merchant } = channel;
  const { last } = history;
  const begins = where.kind !== 'advance' || !last;
  const dialogueId = begins ? deps.ids.next('dlg') : last.dialogueId;
  const context = contextOf(deps, turn, dialogueId);
  const taken = begins
    ? startDialogue(merchant.menu, callerHistoryAt(deps, turn, context), context)
    : step(merchant.menu, stateOf(last), where.input, context);
  const whole = await runEffects(deps, deps.settings, channel, dialogueId, taken, context, until);
  const since = now - deps.settings.duplicateWindowMs;
  const twin = whole.intent && (await findOlderDuplicate(deps, channel, around.recent, whole.intent, since));
  // The step again, with what it should have known: it asks whether the same is meant, or has done so.
  if (twin)
    return advance(deps, { ...turn, diallerContext: { ...around, recent: [...around.recent, twin] } });
  const outcome: Agreed = whole.intent
    ? await agree(deps, turn, dialogueId, whole, whole.intent)
    : { step: whole };
  const { state, reply } = outcome.step;
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
    payer: state.answers.payer ?? null,
    ussdRef: request.ussdRef ?? null,
    ending: null,
    state: JSON.stringify({ ...state, menu: fingerprintOf(merchant.menu) }),
    reply: reply.kind,
    screen: reply.text,
    collectionId: outcome.collectionId ?? null,
    // What was waited for counts: the repeat window runs from when the screen could be seen.
    at: Math.max(deps.clock.now(), last?.at ?? 0),
  };
  const setting = { merchantId: merchant.id, livemode: merchant.livemode, msisdn: request.dialler };
  const notes = (whole.preferences ?? []).map((note) => noteWrite(setting, note, now));
  return {
    row,
    writes: [...notes, ...(outcome.opened?.writes ?? [])],
    opened: outcome.opened,
    refusal: outcome.refusal,
  };
}

function contextOf(deps: DialogueDeps, turn: Turn, dialogueId: string): MenuContext {
  const { channel, request, diallerContext: around, now, previousAttempt: refused } = turn;
  const { merchant, style } = channel;
  const { settings } = deps;
  return {
    merchant: merchant.name,
    dialler: request.dialler,
    operator: request.operator,
    sequenced: isSequenced(channel, request),
    limit: style.limit,
    alphabet: style.alphabet,
    now,
    shortReference: shortReferenceOf(dialogueId, refused.references),
    isAttendant: merchant.attendants.has(request.dialler),
    blocksRequests: around.setting.isClosed,
    approvals: (operator) => settings.approvals[operator],
    duplicateOf: (intent) => duplicateIn(around.recent, intent, now - settings.duplicateWindowMs),
  };
}

function callerHistoryAt(
  { settings }: DialogueDeps,
  turn: Turn,
  { isAttendant }: MenuContext,
): CallerHistory {
  const { channel, request, history, diallerContext: around, requestKind: where, now } = turn;
  const dialler = { msisdn: request.dialler, isAttendant };
  const arrival = callerHistoryOf(around, channel.merchant.menu, dialler, now, settings);
  const { last } = history;
  const lastInput = last?.dialler === request.dialler ? last.input : null;
  return {
    ...arrival,
    ...(where.kind === 'begin' && { suffix: where.suffix }),
    ...(lastInput !== null && { lastInput }),
  };
}

function inputOf(where: RequestKind): string | null {
  if (where.kind === 'advance') return where.input;
  return where.kind === 'begin' && where.suffix.length > 0 ? where.suffix.join('*') : null;
}

/** Counts what a turn came to, once it is written. */
function count(
  { metrics }: DialogueDeps,
  { requestKind: where, history: { last } }: Turn,
  row: TurnRow,
  opened: PreparedCollection | undefined,
  refusal: Rejection | undefined,
): void {
  const { merchantId } = row;
  if (opened) metrics.opened(merchantId);
  const { screen } = JSON.parse(row.state) as MenuState;
  if (refusal) metrics.rejected(merchantId, refusal);
  const begins = where.kind !== 'advance';
  if (begins && screen === '(payment)') metrics.redialled(merchantId, 'payment');
  if (begins && screen === '(resume)') metrics.redialled(merchantId, 'resume');
  const isNew = !last || stateOf(last).screen !== screen;
  if (!begins && isNew && screen === '(duplicate)') metrics.redialled(merchantId, 'duplicate');
}
