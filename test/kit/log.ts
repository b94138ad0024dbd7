import { createLog, type Log } from '../../src/shared/log.ts';

/** Creates a log that discards its lines after formatting, so that `watch-log.ts` still inspects them. */
export function createSilentLog(): Log {
  return createLog({ level: 'debug', pretty: false, destination: { write: () => {} } });
}

/** Creates a log that keeps its lines. */
export function createKeptLog(level: 'debug' | 'info' | 'trace' = 'debug') {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { log: createLog({ level, pretty: false, destination }), lines, logged: () => lines.join('') };
}
