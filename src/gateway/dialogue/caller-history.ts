import type { Menu } from '../../menu/schema.ts';
import { findScreen } from '../../menu/screens/screen.ts';
import type { CallerHistory, MenuState, PaymentSummary } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { computeFingerprint, getStoredState } from './stored-state.ts';
import type { LastTurn } from './turn-store.ts';
import type { DialogueSettings, Turn } from './types.ts';

/** What is known of the dialler when a turn starts a dialogue. */
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
 * The payment that a redial shows first. A request by another phone never takes the place of the dialler's own payment,
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

/** The state of a dialogue that ended without an end screen; `undefined` when the payer would lose no answer. */
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
