import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { LastSession } from '../collection/calls/prompt-time.ts';
import { maxTurnsBack, type TurnStore } from './turn-store.ts';

/** A turn of another gateway can be ahead by so much, in milliseconds. */
const otherClocksMs = 5_000;

type LastSessionDeps = {
  turns: Pick<TurnStore, 'lastAnywhere'>;
  clock: { now(): EpochMs };
  /** Returns the time without an input after which the operator has closed a session of the channel. */
  idleMsOf(channel: string): number;
  /** Returns when this process last sent a dialogue's END screen, or a screen of it again. */
  lastLeft(dialogueId: string): EpochMs | undefined;
};

/**
 * Returns the last USSD session of a number, at any merchant and on any channel of the gateway. It is the one of the dialogue that
 * began last: a phone has one session, so that a late end notice of an earlier one does not end it. An earlier one whose screen is the
 * phone's last is open, too. A screen that was sent again counts as shown then. A turn of a clock that was ahead counts as none.
 */
export async function findLastSession(
  { turns, clock, idleMsOf, lastLeft }: LastSessionDeps,
  msisdn: Msisdn,
): Promise<LastSession | undefined> {
  const found = await turns.lastAnywhere(msisdn);
  const oldest = found.at(-1);
  if (!oldest) return undefined;
  const seen = {
    since: found.length < maxTurnsBack ? 0 : oldest.at,
    seq: Math.max(...found.map(({ seq }) => seq)),
  };
  const latest = clock.now() + otherClocksMs;
  const valid = found.filter(({ at }) => at <= latest);
  const lastBegun = Array.from(new Set(valid.toReversed().map(({ dialogueId }) => dialogueId))).at(-1);
  const [newest] = valid;
  if (!newest) return { kind: 'ended', endedAt: 0, seen };
  const shownAt = (turn: { dialogueId: string; at: EpochMs }) =>
    Math.max(turn.at, lastLeft(turn.dialogueId) ?? 0);
  const endedAt = newest.reply === 'continue' ? 0 : Math.max(...valid.map(shownAt));
  const last =
    newest.reply === 'continue' ? newest : valid.find(({ dialogueId }) => dialogueId === lastBegun);
  return last?.reply === 'continue'
    ? { kind: 'open', until: shownAt(last) + idleMsOf(last.channel), endedAt, seen }
    : { kind: 'ended', endedAt, seen };
}
