import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { LastSession } from '../collection/calls/submit-deps.ts';
import type { TurnStore } from './turn-store.ts';

/** A turn of another gateway can be ahead by so much, in milliseconds. */
const otherClocksMs = 5_000;

type LastSessionDeps = {
  turns: Pick<TurnStore, 'lastAnywhere'>;
  clock: { now(): EpochMs };
  /** Returns the time without an input after which the operator has closed a session of the channel. */
  idleMsOf(channel: string): number;
};

/**
 * Returns the last USSD session of a number, at any merchant and on any channel of the gateway. A turn of a clock that was
 * ahead counts as none.
 */
export async function findLastSession(
  { turns, clock, idleMsOf }: LastSessionDeps,
  msisdn: Msisdn,
): Promise<LastSession | undefined> {
  const last = await turns.lastAnywhere(msisdn);
  if (!last || last.at > clock.now() + otherClocksMs) return undefined;
  return last.reply === 'end'
    ? { kind: 'ended', at: last.at }
    : { kind: 'open', until: last.at + idleMsOf(last.channel) };
}
