import { annotate, traced } from '../../../shared/tracing.ts';
import type { CallName } from '../fact.ts';
import type { CallOutcome, Provider } from './provider.ts';

/** The name of the span and the route of each call. */
const spans = {
  create: ['call create', '/payments/sessions'],
  initiate: ['call initiate', '/payments/sessions/:id/initiate'],
  status: ['poll', '/payments/sessions/:id/status'],
} as const satisfies Record<CallName, readonly [string, string]>;

/** Returns a provider that reports the outcome of each call, and the key that it was made with. */
export function observeProvider(
  provider: Provider,
  onOutcome: (key: string, call: CallName, outcome: CallOutcome<unknown>) => void,
): Provider {
  function observed<T>(key: string, call: CallName, send: () => Promise<CallOutcome<T>>) {
    const [name, route] = spans[call];
    return traced(name, { attributes: { 'url.template': route }, kind: 'client' }, async () => {
      const outcome = await send();
      annotate({ 'dialtill.outcome': outcome.kind });
      onOutcome(key, call, outcome);
      return outcome;
    });
  }
  return {
    create: (key, call) => observed(key, 'create', () => provider.create(key, call)),
    initiate: (key, call) => observed(key, 'initiate', () => provider.initiate(key, call)),
    status: (key, call) => observed(key, 'status', () => provider.status(key, call)),
  };
}
