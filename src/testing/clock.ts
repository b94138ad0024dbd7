import { type Clock, type EpochMs, systemClock } from '../shared/clock.ts';

type Sleeper = { at: EpochMs; order: number; wake(): void };

/** A clock that only `advance` and `skip` move. Both wake sleepers in the order of their times. */
export type StillClock = Clock & {
  /** Advances the clock by `ms`, stops at each due sleeper and lets it run before the next one. */
  advance(ms: number): Promise<void>;
  /** Advances the clock by `ms` at once, as after a suspended machine, and wakes every sleeper that is due. */
  skip(ms: number): Promise<void>;
  /** The time of the next sleeper; `undefined` without sleepers. */
  nextWake(): EpochMs | undefined;
};

/** Turns of the event loop for the longest chain of work without a timer: a call crosses several commits. */
const turns = 30;

/**
 * Runs all work that needs no timer and no network.
 *
 * @param busy resolves when work outside of this process, such as that of a database server, has ended; absent without such work.
 */
export async function settle(busy: Busy = () => undefined): Promise<void> {
  for (let quiet = 0; quiet < turns; quiet++) {
    const work = busy();
    if (work) quiet = 0;
    await (work ?? new Promise((resolve) => setImmediate(resolve)));
  }
}

type Busy = () => Promise<unknown> | undefined;

/** Creates a clock that stands at `start` until a test moves it. @param busy as for `settle`. */
export function stillClock(start: EpochMs = Date.parse('2026-03-06T09:00:00Z'), busy?: Busy): StillClock {
  let now = start;
  let order = 0;
  const sleepers = new Set<Sleeper>();

  function next(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const one of sleepers) {
      if (!first || one.at < first.at || (one.at === first.at && one.order < first.order)) first = one;
    }
    return first;
  }

  return {
    now: () => now,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { at: now + Math.max(0, ms), order: order++, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    async advance(ms) {
      const end = now + ms;
      await settle(busy);
      for (let sleeper = next(); sleeper && sleeper.at <= end; sleeper = next()) {
        now = Math.max(now, sleeper.at);
        sleeper.wake();
        await settle(busy);
      }
      now = Math.max(now, end);
      await settle(busy);
    },
    async skip(ms) {
      await settle(busy);
      now += ms;
      for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake();
      await settle(busy);
    },
    nextWake: () => next()?.at,
  };
}

const machine = systemClock();

/** Steps of the till's clock, and pauses of the system clock for work that takes real time. */
const stepMs = 10;
const pauseMs = 1;

/** Enough for work that needs no timer. */
const rounds = 5;

/** Longer than the time limit of any channel. */
const maxMs = 60_000;

/**
 * Advances the clock in small steps until `work` is done, and returns its result.
 *
 * @throws Error when `work` takes more than a minute of the till's clock.
 */
export async function advanceUntilDone<T>(clock: StillClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  for (let round = 0; round < rounds && !isDone; round++) await settle();
  for (let passed = 0; passed < maxMs && !isDone; passed += stepMs) {
    await machine.sleep(pauseMs);
    if (!isDone) await clock.advance(stepMs);
  }
  if (!isDone) throw new Error('no answer within a minute');
  return work;
}
