import type { Config } from '../../src/gateway/config/schema.ts';
import type { Feature } from './features.ts';
import type { Screen } from './screens.ts';

export type TimelinessDeps = {
  now(): number;
  has(feature: Feature): boolean;
  count(what: string): void;
  violate(rule: string, what: string): void;
  timings: Pick<Config['timings'], 'promptDeadlineMs' | 'promptDelayMs'>;
  /** Returns the screens of a session of a channel, as the aggregator received them. */
  screensOf(session: string): Screen | undefined;
  machine: { beganAt(): number; clockSetAt(): number; wasDownSince(at: number): boolean };
};

/** A collection whose initiate call leaves. */
export type Sending = { id: string; network: string; session: string };

/** After this time the gateway no longer waits for an end screen. */
const maxPauseMs = 10_000;

/**
 * Checks R8 and S15 with the simulated time, whatever the gateway's clock shows: no prompt after its deadline, and
 * none before the end screen was sent.
 */
export function createTimeliness({ now, has, count, violate, timings, screensOf, machine }: TimelinessDeps) {
  /** The time at which each collection was first seen on disk. */
  const seenAt = new Map<string, number>();
  const clockIsOdd = has('clock_skew') || has('clock_jumps');

  function late(id: string): void {
    const at = seenAt.get(id);
    if (at === undefined) return;
    // With a wrong clock a new process cannot measure how long the old one was down.
    if (clockIsOdd && machine.beganAt() >= at) return;
    const age = now() - at;
    if (age >= timings.promptDeadlineMs) violate('R8', `${id} is initiated ${age} ms after its confirmation`);
  }

  function early({ id, network, session }: Sending): void {
    const screen = screensOf(session);
    if (!screen) return;
    const { waiting, endedAt } = screen;
    if (endedAt === undefined) {
      const holds = waiting.some((since) => now() - since < maxPauseMs && !machine.wasDownSince(since));
      if (holds) violate('S15', `${id} is initiated before its end screen was sent`);
      return;
    }
    // A new process does not have the send times of the old one, and a clock change alters the delay.
    if (machine.beganAt() >= endedAt || machine.clockSetAt() >= endedAt) return;
    count('prompts after END');
    const delays: Readonly<Record<string, number>> = timings.promptDelayMs;
    const delayMs = delays[network] ?? Math.min(...Object.values(delays));
    if (now() - endedAt < delayMs)
      violate('S15', `${id} is initiated ${now() - endedAt} ms after its end screen, instead of ${delayMs}`);
  }

  return {
    /** Records that a collection is on disk. */
    saw(id: string): void {
      if (!seenAt.has(id)) seenAt.set(id, now());
    },
    /** Checks an initiate call that leaves. */
    onInitiate(sending: Sending): void {
      late(sending.id);
      early(sending);
    },
  };
}

export type Timeliness = ReturnType<typeof createTimeliness>;
