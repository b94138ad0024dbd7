import type { Clock } from '../../shared/clock.ts';
import { exchange } from '../../shared/http/exchange.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';

export type HeartbeatDeps = {
  fetch: typeof fetch;
  /** The clock of the request's time limit, which runs in real time. */
  networkClock: Clock;
  log: Log;
  isReady(): Promise<boolean>;
};

/**
 * Returns the job that sends a request to a monitor while the gateway is ready. The monitor raises its alarm when none arrives: also
 * when the process, its machine or its network is gone. The path of the address is a secret, and no log contains it.
 */
export function heartbeatJob(
  { fetch, networkClock, log, isReady }: HeartbeatDeps,
  { url, everyMs }: { url: string; everyMs: number },
): PeriodicJob {
  const { host } = new URL(url);
  let failed = false;
  return {
    name: 'heartbeat',
    everyMs,
    // Readiness needs a round of the worker.
    firstAfterMs: 1_000,
    async run() {
      if (!(await isReady())) return 'done';
      const answer = await exchange({ fetch, clock: networkClock }, url, { method: 'GET' });
      const isReceived = answer.ok && answer.status >= 200 && answer.status < 300;
      if (!isReceived && !failed)
        log.warn({ host, result: answer.ok ? answer.status : answer.reason }, 'the monitor got no heartbeat');
      if (isReceived && failed) log.info({ host }, 'the monitor gets heartbeats again');
      failed = !isReceived;
      return 'done';
    },
  };
}
