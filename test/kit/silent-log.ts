import { createLog, type Log } from '../../src/shared/log.ts';

/** A log that nobody reads but the watch over all logs: it makes every line, and writes none. */
export function createSilentLog(): Log {
  return createLog({ level: 'debug', pretty: false, destination: { write: () => {} } });
}
