import { type AdvanceableClock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { type ApiError, apiError } from '../api-error.ts';
import type { Loop } from '../loop.ts';

/** Longest way that one call may go. */
export const maxAdvanceMs = 30 * 24 * 3_600_000;

/** Stops on the way: what is beyond them happens together, at the end. */
const maxStops = 500;

/** How long the work at one stop, and at all stops together, is waited for. It goes on beside the answer then. */
const restMs = 1_000;
const restInAllMs = 5_000;

export type ClockFace = { kind: 'clock'; now: EpochMs; advancedMs: number };

export type Sandbox = {
  look(): ClockFace | ApiError;
  advance(ms: number): Promise<ClockFace | ApiError>;
};

type SandboxParts = {
  loops: readonly Loop[];
  /** When the first push under way goes on; infinity when none waits. */
  pushWakesAt(): EpochMs;
  /** Resolves when whatever there is to be written now is written. */
  written(): Promise<unknown>;
  /** Resolves when no webhook is under way. */
  drained(): Promise<void>;
};

/**
 * A sandbox's clock. Time moves from one thing that is due to the next, each at its own time and in its order, as
 * it would without help; so a prompt runs out before its session is given up, and a webhook is retried on its plan.
 * Resolves once what was due by the new time is done, its deliveries included, within bounds.
 *
 * Everything is refused (`test_clock_off`) where the service runs on the real clock.
 */
export function createSandbox({
  clock,
  ...parts
}: SandboxParts & { clock: AdvanceableClock | undefined }): Sandbox {
  if (clock) return sandboxOn(clock, parts);
  return { look: () => apiError('test_clock_off'), advance: async () => apiError('test_clock_off') };
}

function sandboxOn(clock: AdvanceableClock, parts: SandboxParts): Sandbox {
  const { loops, pushWakesAt, written, drained } = parts;
  let last: Promise<void> = Promise.resolve();

  const nextDue = () => Math.min(pushWakesAt(), ...loops.map((loop) => loop.dueAt()));

  async function work(signal: AbortSignal): Promise<void> {
    do {
      // A push that woke plans what comes of it with what it writes.
      await written();
      await Promise.all(loops.map((loop) => loop.rested()));
      await drained();
    } while (!signal.aborted && nextDue() <= clock.now());
  }

  /** Waits for what is due; resolves with the time that it took. */
  async function rest(ms: number): Promise<number> {
    const from = clock.now();
    await withTimeout(clock, ms, work).catch(() => undefined);
    return clock.now() - from;
  }

  async function go(ms: number): Promise<void> {
    let leftMs = ms;
    let restLeftMs = restInAllMs;
    for (let stops = 0; leftMs > 0; stops++) {
      if (restLeftMs > 0) restLeftMs -= await rest(Math.min(restMs, restLeftMs));
      const jump = stops >= maxStops || restLeftMs <= 0;
      const stepMs = jump ? leftMs : Math.min(leftMs, Math.max(1, nextDue() - clock.now()));
      clock.advance(stepMs);
      leftMs -= stepMs;
    }
    await rest(restMs);
  }

  const look = (): ClockFace => ({ kind: 'clock', now: clock.now(), advancedMs: clock.advancedMs() });
  return {
    look,
    async advance(ms) {
      // One at a time: two that go side by side would leave out each other's stops.
      const mine = last.then(() => go(ms));
      last = mine.catch(() => undefined);
      await mine;
      return look();
    },
  };
}
