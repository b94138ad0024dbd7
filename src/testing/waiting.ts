import { systemClock } from '../shared/clock.ts';
import { type StillClock, settle } from './clock.ts';

const machine = systemClock();

/** Of till time, while somebody waits; and of the machine's, so that what really takes time can end. */
const stepMs = 10;
const pauseMs = 1;

/** What needs no time is done by then. */
const rounds = 5;

/** No channel waits that long. */
const maxMs = 60_000;

/**
 * The outcome of `work`. While there is none, time moves on in small steps, so that whatever it waits for on a clock
 * that stands still comes to its end.
 *
 * @throws Error when a minute of till time brings none.
 */
export async function whileTimePasses<T>(clock: StillClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let round = 0; round < rounds && !isOver; round++) await settle();
  for (let passed = 0; passed < maxMs && !isOver; passed += stepMs) {
    await machine.sleep(pauseMs);
    if (!isOver) await clock.advance(stepMs);
  }
  if (!isOver) throw new Error('no answer came within a minute');
  return work;
}
