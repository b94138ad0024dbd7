import { createLog, type Log } from '../../src/shared/log.ts';

/** Creates a log that discards its lines after formatting, so that `watch-log.ts` still inspects them. */
export function createSilentLog(): Log {
  return createLog({ level: 'debug', pretty: false, destination: { write: () => {} } });
}
