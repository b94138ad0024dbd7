import type { Menu } from '../../menu/schema.ts';
import { findScreen } from '../../menu/screens/screen.ts';
import type { CallerHistory, MenuState, PaymentSummary } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { operators } from '../../shared/msisdn.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import type { RequestKind } from './classify-request.ts';
import type { DiallerSetting } from './dialler-store.ts';
import { computeFingerprint, getStoredState } from './stored-state.ts';
import type { LastTurn, SessionHistory } from './turn-store.ts';
import type { Channel, DiallerContext, DialogueDeps, DialogueSettings, Turn } from './types.ts';

/** A request that was compared with the turns of its session. */
type ClassifiedRequest = { requestKind: Exclude<RequestKind, { kind: 'lost' }>; history: SessionHistory };

const defaultSetting: DiallerSetting = { language: null, blocksRequests: false };

/**
 * Reads the data that one turn needs about its dialler. The start of a dialogue needs all of it, and its queries are sent together.
 * An input within a dialogue needs the dialler's preferences on few screens, and the recent collections when it confirms.
 */
export async function loadDiallerContext(
  deps: DialogueDeps,
  channel: Channel,
  request: UssdRequest,
  { requestKind, history: { last } }: ClassifiedRequest,
): Promise<DiallerContext> {
  const { diallers, turns, clock, settings } = deps;
  const { id: merchantId, livemode, menu } = channel.merchant;
  const { dialler } = request;
  const readSetting = () => diallers.settingOf({ merchantId, livemode, msisdn: dialler });
  const readRecent = () => loadRecent(deps, channel, request, last?.payer ?? null);
  if (requestKind.kind === 'advance' && last) {
    const setting = showsSetting(menu, last) ? await readSetting() : defaultSetting;
    let read: ReturnType<typeof loadRecent> | undefined;
    const recent = () => {
      read ??= readRecent();
      return read;
    };
    return { recent, setting, start: undefined };
  }
  const [payments, setting, lastTurn] = await Promise.all([
    readRecent(),
    readSetting(),
    turns.lastOf({ merchantId, dialler, since: clock.now() - settings.resumeWindowMs }),
  ]);
  const recent = async () => payments;
  return { recent, setting, start: { recent: payments, lastTurn } };
}

/** Menus by whether one of their screens shows the dialler's block of requests. */
const menusWithRequests = new WeakMap<Menu, boolean>();

/** Returns whether a screen that can follow this turn depends on the dialler's block of requests. */
function showsSetting(menu: Menu, last: { state: string }): boolean {
  let hasRequests = menusWithRequests.get(menu);
  if (hasRequests === undefined) {
    hasRequests = Object.values(menu.screens).some(({ kind }) => kind === 'requests');
    menusWithRequests.set(menu, hasRequests);
  }
  // The common state, without the cost of parsing it.
  if (!hasRequests && !last.state.includes('"callerHistory"')) return false;
  return hasRequests || getStoredState(last).callerHistory?.payment !== undefined;
}

async function loadRecent(
  { collections, clock, settings }: DialogueDeps,
  { merchant: { id: merchantId, livemode } }: Channel,
  { dialler }: UssdRequest,
  payer: string | null,
): Promise<readonly PaymentSummary[]> {
  const since = clock.now() - Math.max(settings.recentPaymentMs, settings.duplicateWindowMs);
  const rows = await collections.recent({ merchantId, livemode, dialler, payer, since });
  return rows.map((row) => summarizeForMenu(row, settings));
}

/** The summary of a collection as menus read it, with the operator in place of the service's network code. */
export function summarizeForMenu(
  row: CollectionRow,
  { networks }: Pick<DialogueSettings, 'networks'>,
): PaymentSummary {
  const { network, ...summary } = summarizePayment(row);
  const operator = operators.find((one) => one !== 'unknown' && networks[one] === network);
  return { ...summary, ...(operator && { operator }) };
}

/** Returns the caller history for a turn that starts a dialogue. */
export function getCallerHistory(
  turn: Turn,
  { recentPaymentMs, resumeWindowMs }: Pick<DialogueSettings, 'recentPaymentMs' | 'resumeWindowMs'>,
): CallerHistory {
  const { channel, requestKind, history, diallerContext, now } = turn;
  const { setting, start: { recent, lastTurn } = { recent: [], lastTurn: undefined } } = diallerContext;
  const { menu } = channel.merchant;
  const payment = findShownPayment(
    turn,
    recent.filter(({ at }) => now - at <= recentPaymentMs),
  );
  const interrupted = lastTurn && findInterruptedState(lastTurn, menu, { now, resumeWindowMs });
  const { last } = history;
  const lastInput = last?.input ?? null;
  return {
    ...(setting.language === null ? {} : { language: setting.language }),
    ...(payment && { payment }),
    ...(interrupted && { interrupted }),
    ...(requestKind.kind === 'start' && { suffix: requestKind.suffix }),
    ...(lastInput !== null && { lastInput }),
  };
}

/**
 * Returns the payment that a redial shows first. A request by another phone never takes the place of the dialler's own payment,
 * and never comes before the answers of a dialled suffix.
 */
function findShownPayment(
  { channel: { merchant }, request: { dialler }, requestKind, diallerContext }: Turn,
  recent: readonly PaymentSummary[],
): PaymentSummary | undefined {
  // An attendant requests payments from many customers: only a payment from the attendant's own wallet is shown.
  const isAttendant = merchant.attendants.has(dialler);
  const own = recent.find((one) => one.dialler === dialler && (one.payer === dialler || !isAttendant));
  const hasSuffix = requestKind.kind === 'start' && requestKind.suffix.length > 0;
  if (own !== undefined || hasSuffix) return own;
  const { blocksRequests } = diallerContext.setting;
  return recent.find(
    (one) => one.payer === dialler && (one.state === 'paid' || one.state === 'confirming' || !blocksRequests),
  );
}

/** Returns the state of a dialogue that ended without an end screen; `undefined` when the payer would lose no answer. */
function findInterruptedState(
  turn: LastTurn,
  menu: Menu,
  { now, resumeWindowMs }: { now: EpochMs; resumeWindowMs: number },
): MenuState | undefined {
  // An end notice shows no screen: its row has the state of the screen before it.
  const hasEnded = turn.reply === 'end' && turn.ending === null;
  if (hasEnded || Math.abs(now - turn.at) > resumeWindowMs) return undefined;
  const {
    callerHistory,
    pendingInputs: _,
    turnsAgain: __,
    menu: fingerprint,
    ...state
  } = getStoredState(turn);
  if (fingerprint !== computeFingerprint(menu)) return undefined;
  // The dialogue was interrupted again before the payer resumed it.
  const interrupted = callerHistory === undefined ? state : callerHistory.interrupted;
  if (interrupted === undefined) return undefined;
  // The inputs of a proxy screen are answers too, also where the menu starts with it.
  const inputs = (interrupted.history?.length ?? 0) + (interrupted.proxied?.turn ?? 1) - 1;
  if (inputs === 0) return undefined;
  const kind = findScreen(menu, interrupted.screen)?.kind;
  return kind === undefined || kind === 'end' || kind === 'lookup' ? undefined : interrupted;
}
