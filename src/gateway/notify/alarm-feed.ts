import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

/** An alarm that repeats is sent once in this time. */
const quietMs = 3_600_000;

/** Codes that wait. Further ones are in the log. */
export const maxAlarms = 20;

export type AlarmFeed = { add(alarm: string): void; take(): string[]; isEmpty(): boolean };

/** Creates the list of the codes of alarms that this process has logged, for the people who want to get them. */
export function createAlarmFeed(clock: Pick<Clock, 'now'>): AlarmFeed {
  const lastAt = new Map<string, EpochMs>();
  let waiting: string[] = [];
  return {
    add(alarm) {
      const now = clock.now();
      for (const [code, at] of lastAt) if (at <= now - quietMs) lastAt.delete(code);
      // A code is a name of the program. Anything else could be a text of another system.
      if (!/^[a-z_]{1,40}$/.test(alarm) || lastAt.has(alarm) || waiting.length >= maxAlarms) return;
      lastAt.set(alarm, now);
      waiting.push(alarm);
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    isEmpty: () => waiting.length === 0,
  };
}

/** Returns a log that also passes the code of each alarm on. */
export function observeAlarms(log: Log, onAlarm: (alarm: string) => void): Log {
  const observed = Object.create(log) as Log;
  for (const level of ['warn', 'error', 'fatal'] as const)
    observed[level] = ((line: unknown, ...rest: unknown[]) => {
      if (typeof line === 'object' && line !== null && 'alarm' in line && typeof line.alarm === 'string')
        onAlarm(line.alarm);
      (log[level] as (...all: unknown[]) => void)(line, ...rest);
    }) as Log[typeof level];
  return observed;
}
