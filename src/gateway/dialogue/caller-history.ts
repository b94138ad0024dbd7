import type { Menu } from '../../menu/schema.ts';
import { screenOf } from '../../menu/screens/screen.ts';
import type { CallerHistory, MenuState, PaymentSummary } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { DiallerSetting } from './dialler-store.ts';
import { fingerprintOf, storedStateOf } from './stored-state.ts';
import type { TurnRow } from './turn-store.ts';

/** What was read of a dialler. */
export type DiallerContext = {
  /** Collections of a short while ago, newest first: the dialler's own, and those of whoever would pay. */
  recent: readonly PaymentSummary[];
  setting: DiallerSetting;
  /** The dialler's last turn at this merchant, on whatever channel. */
  lastTurn: TurnRow | undefined;
};

export type CallerHistorySettings = {
  /** How long a collection is recent. */
  recentPaymentMs: number;
  /** How long a dialogue that was cut off can be gone on with. */
  resumeWindowMs: number;
};

/** What a dialogue begins with, for a dialler who has just dialled. */
export function callerHistoryOf(
  { recent, setting, lastTurn }: DiallerContext,
  menu: Menu,
  dialler: { msisdn: Msisdn; isAttendant: boolean },
  now: EpochMs,
  { recentPaymentMs, resumeWindowMs }: CallerHistorySettings,
): CallerHistory {
  const { msisdn, isAttendant } = dialler;
  // An attendant asks one customer after the other: only the attendant's own payments are the attendant's.
  const standing = recent.find(
    (one) =>
      now - one.at <= recentPaymentMs && (one.payer === msisdn || (one.dialler === msisdn && !isAttendant)),
  );
  const cutOff = cutOffOf(lastTurn, menu, now, resumeWindowMs);
  return {
    ...(setting.language === null ? {} : { language: setting.language }),
    ...(standing && { payment: standing }),
    ...(cutOff && { interrupted: cutOff }),
  };
}

/** Where a dialogue stood that ended without its last screen; nothing where no answer would be lost. */
function cutOffOf(
  turn: TurnRow | undefined,
  menu: Menu,
  now: EpochMs,
  resumeWindowMs: number,
): MenuState | undefined {
  // A notice ends a session and shows nothing: its row has the state of the screen before.
  const isOver = turn?.reply === 'end' && turn.ending === null;
  if (!turn || isOver || Math.abs(now - turn.at) > resumeWindowMs) return undefined;
  const { callerHistory: arrival, pendingInputs: _, menu: madeWith, ...state } = storedStateOf(turn);
  if (madeWith !== fingerprintOf(menu)) return undefined;
  // Cut off again before it was gone on with.
  const where = arrival === undefined ? state : arrival.interrupted;
  if (where === undefined || (where.history?.length ?? 0) === 0) return undefined;
  const kind = screenOf(menu, where.screen)?.kind;
  return kind === undefined || kind === 'end' || kind === 'lookup' ? undefined : where;
}
