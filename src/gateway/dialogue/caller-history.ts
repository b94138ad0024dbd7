import type { Menu } from '../../menu/schema.ts';
import { screenOf } from '../../menu/screens/screen.ts';
import type { CallerHistory, MenuState } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { fingerprintOf, storedStateOf } from './stored-state.ts';
import type { TurnRow } from './turn-store.ts';
import type { DialogueSettings, Turn } from './types.ts';

/** What is known of the dialler when a turn starts a dialogue. */
export function callerHistoryOf(
  turn: Turn,
  { recentPaymentMs, resumeWindowMs }: Pick<DialogueSettings, 'recentPaymentMs' | 'resumeWindowMs'>,
): CallerHistory {
  const { channel, request, requestKind, history, diallerContext, now } = turn;
  const { recent, setting, lastTurn } = diallerContext;
  const { dialler } = request;
  const { menu, attendants } = channel.merchant;
  // An attendant requests payments from many customers: only a payment from the attendant's own wallet is shown.
  const isAttendant = attendants.has(dialler);
  const payment = recent.find(
    (one) =>
      now - one.at <= recentPaymentMs && (one.payer === dialler || (one.dialler === dialler && !isAttendant)),
  );
  const interrupted = lastTurn && interruptedStateOf(lastTurn, menu, { now, resumeWindowMs });
  const { last } = history;
  const lastInput = last?.dialler === dialler ? last.input : null;
  return {
    ...(setting.language === null ? {} : { language: setting.language }),
    ...(payment && { payment }),
    ...(interrupted && { interrupted }),
    ...(requestKind.kind === 'start' && { suffix: requestKind.suffix }),
    ...(lastInput !== null && { lastInput }),
  };
}

/** The state of a dialogue that ended without an end screen; `undefined` when the payer would lose no answer. */
function interruptedStateOf(
  turn: TurnRow,
  menu: Menu,
  { now, resumeWindowMs }: { now: EpochMs; resumeWindowMs: number },
): MenuState | undefined {
  // An end notice shows no screen: its row has the state of the screen before it.
  const hasEnded = turn.reply === 'end' && turn.ending === null;
  if (hasEnded || Math.abs(now - turn.at) > resumeWindowMs) return undefined;
  const { callerHistory, pendingInputs: _, menu: fingerprint, ...state } = storedStateOf(turn);
  if (fingerprint !== fingerprintOf(menu)) return undefined;
  // The dialogue was interrupted again before the payer resumed it.
  const interrupted = callerHistory === undefined ? state : callerHistory.interrupted;
  if (interrupted === undefined || (interrupted.history?.length ?? 0) === 0) return undefined;
  const kind = screenOf(menu, interrupted.screen)?.kind;
  return kind === undefined || kind === 'end' || kind === 'lookup' ? undefined : interrupted;
}
