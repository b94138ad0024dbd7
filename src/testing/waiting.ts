import { systemClock } from '../shared/clock.ts';
import { type StillClock, settle } from './clock.ts';

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
