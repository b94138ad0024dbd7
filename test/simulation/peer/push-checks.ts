import type { Rail } from '../../../src/service/rail/rail.ts';
import type { CallSeen } from '../network.ts';

/** Checks push requests to the rail: one per session, and only after an initiate call. */
export function createPushChecks({ violate }: { violate(rule: string, what: string): void }) {
  const asked = new Set<string>();
  const pushed = new Map<string, number>();
  return {
    /** Called when a call leaves the gateway. */
    onCall({ kind, path }: Pick<CallSeen, 'kind' | 'path'>): void {
      const [, id] = /sessions\/([^/]+)\/initiate$/.exec(path) ?? [];
      if (kind === 'initiate' && id !== undefined) asked.add(id);
    },
    of: (sessionId: string) => pushed.get(sessionId) ?? 0,
    watch: (rail: Rail): Rail => ({
      ...rail,
      push(order, signal) {
        const { sessionId } = order;
        const times = (pushed.get(sessionId) ?? 0) + 1;
        pushed.set(sessionId, times);
        if (times > 1) violate('service idempotency', `${sessionId} is pushed ${times} times`);
        if (!asked.has(sessionId))
          violate('service idempotency', `${sessionId} is pushed without an initiate call`);
        return rail.push(order, signal);
      },
    }),
  };
}
