import type { Config } from '../../src/gateway/config/schema.ts';
import type { Feature } from './features.ts';
import type { Screen } from './screens.ts';

export type TimelinessDeps = {
  now(): number;
  has(feature: Feature): boolean;
  count(what: string): void;
  violate(rule: string, what: string): void;
  timings: Pick<Config['timings'], 'promptDeadlineMs' | 'promptDelayMs'>;
  /** The screens of a session on a channel, as its aggregator has seen them. */
  screensOf(session: string): Screen | undefined;
  machine: { beganAt(): number; clockSetAt(): number; wasDownSince(at: number): boolean };
};

/** A collection whose prompt is about to be asked for. */
export type Sending = { id: string; network: string; session: string };

/** A screen that has not left by then never will, as far as the gateway knows. */
const maxPauseMs = 10_000;

/**
 * R8 and S15 by the world's own time, whatever the gateway's clock says: nobody is asked who waits no more, nor before
 * the handset is free.
 */
export function openTimeliness({ now, has, count, violate, timings, screensOf, machine }: TimelinessDeps) {
  /** When a collection was first seen on disk. */
  const seenAt = new Map<string, number>();
  const clockIsOdd = has('clock_skew') || has('clock_jumps');

  function late(id: string): void {
    const at = seenAt.get(id);
    if (at === undefined) return;
    // How long a process was away is only known to a clock that was right before and after.
    if (clockIsOdd && machine.beganAt() >= at) return;
    const age = now() - at;
    if (age >= timings.promptDeadlineMs) violate('R8', `${id} is initiated ${age} ms after its yes`);
  }

  function early({ id, network, session }: Sending): void {
    const screen = screensOf(session);
    if (!screen) return;
    const { waiting, endedAt } = screen;
    if (endedAt === undefined) {
      const holds = waiting.some((since) => now() - since < maxPauseMs && !machine.wasDownSince(since));
      if (holds) violate('S15', `${id} is initiated before its last screen has left`);
      return;
    }
    // What a process has seen leave, the next one does not know; and a clock that was set made the delay another.
    if (machine.beganAt() >= endedAt || machine.clockSetAt() >= endedAt) return;
    count('prompts after END');
    const delays: Readonly<Record<string, number>> = timings.promptDelayMs;
    const delayMs = delays[network] ?? Math.min(...Object.values(delays));
    if (now() - endedAt < delayMs)
      violate('S15', `${id} is initiated ${now() - endedAt} ms after its last screen, instead of ${delayMs}`);
  }

  return {
    /** A collection is on disk. */
    saw(id: string): void {
      if (!seenAt.has(id)) seenAt.set(id, now());
    },
    /** Initiate leaves. */
    onInitiate(sending: Sending): void {
      late(sending.id);
      early(sending);
    },
  };
}

export type Timeliness = ReturnType<typeof openTimeliness>;
