import { serviceOperations } from '../../contract/service/service-operations.ts';
import { type AdvanceableClock, type EpochMs, withTimeout } from '../../shared/clock.ts';
import { type ApiError, apiError, isApiError, isoTime, jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Loop } from '../loop.ts';

/** Stops of one advance. The work after the last stop happens together, at the new time. */
const maxStops = 500;

/** How long one stop, and all stops together, wait for the work that is due. Unfinished work continues after that. */
const stopTimeoutMs = 1_000;
const totalTimeoutMs = 5_000;

type ClockReading = { now: EpochMs; advancedMs: number };

type Sandbox = {
  readClock(): ClockReading | ApiError;
  /** Advances the clock by `ms`, at most 30 days. */
  advance(ms: number): Promise<ClockReading | ApiError>;
};

type SandboxParts = {
  loops: readonly Loop[];
  /** When the first push in flight continues; infinity when none waits. */
  nextPushWake(): EpochMs;
  /** Resolves when every write that is queued now is committed. */
  flushWrites(): Promise<unknown>;
  /** Resolves when no webhook delivery is in flight. */
  drainDeliveries(): Promise<void>;
};

/**
 * Creates the sandbox of a test clock. An advance stops at each time at which work is due, so that everything happens at
 * its own time and in its order: a prompt expires before its session does, and a webhook is retried on schedule. It
 * resolves when the work due by the new time is done, deliveries included, within bounds.
 *
 * Without a test clock, every call returns `test_clock_off`.
 */
export function createServiceSandbox({
  clock,
  ...parts
}: SandboxParts & { clock: AdvanceableClock | undefined }): Sandbox {
  if (clock) return createClockSandbox(clock, parts);
  return { readClock: () => apiError('test_clock_off'), advance: async () => apiError('test_clock_off') };
}

function createClockSandbox(clock: AdvanceableClock, parts: SandboxParts): Sandbox {
  const { loops, nextPushWake, flushWrites, drainDeliveries } = parts;
  let lastAdvance: Promise<void> = Promise.resolve();

  const nextDue = () => Math.min(nextPushWake(), ...loops.map((loop) => loop.dueAt()));

  async function finishDueWork(signal: AbortSignal): Promise<void> {
    do {
      // A push that continues schedules its next work with its writes.
      await flushWrites();
      await Promise.all(loops.map((loop) => loop.whenIdle()));
      await drainDeliveries();
    } while (!signal.aborted && nextDue() <= clock.now());
  }

  /** Waits for the work that is due. Resolves with the time that it took. */
  async function waitForWork(timeoutMs: number): Promise<number> {
    const startedAt = clock.now();
    await withTimeout(clock, timeoutMs, finishDueWork).catch(() => undefined);
    return clock.now() - startedAt;
  }

  async function advanceInStops(ms: number): Promise<void> {
    let leftMs = ms;
    let timeoutLeftMs = totalTimeoutMs;
    for (let stops = 0; leftMs > 0; stops++) {
      if (timeoutLeftMs > 0) timeoutLeftMs -= await waitForWork(Math.min(stopTimeoutMs, timeoutLeftMs));
      const skipStops = stops >= maxStops || timeoutLeftMs <= 0;
      const stepMs = skipStops ? leftMs : Math.min(leftMs, Math.max(1, nextDue() - clock.now()));
      clock.advance(stepMs);
      leftMs -= stepMs;
    }
    await waitForWork(stopTimeoutMs);
  }

  const readClock = (): ClockReading => ({ now: clock.now(), advancedMs: clock.advancedMs() });
  return {
    readClock,
    async advance(ms) {
      // Advances run one after another: concurrent ones would skip each other's stops.
      const advance = lastAdvance.then(() => advanceInStops(ms));
      lastAdvance = advance.catch(() => undefined);
      await advance;
      return readClock();
    },
  };
}

export function sandboxRoutes(router: Router, sandbox: Sandbox): void {
  router.admin(serviceOperations.getClock, async () => toResponse(sandbox.readClock()));
  router.admin(serviceOperations.advanceClock, async ({ body: { ms } }) =>
    toResponse(await sandbox.advance(ms)),
  );
}

function toResponse(outcome: ClockReading | ApiError) {
  if (isApiError(outcome)) return outcome;
  return jsonResponse(200, { now: isoTime(outcome.now), advanced_ms: outcome.advancedMs });
}
