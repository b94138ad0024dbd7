import type { CallName } from '../fact.ts';
import type { CallOutcome } from './outcome.ts';
import type { Provider } from './provider.ts';

/** Returns a provider that reports the outcome of each call, and the key that it was made with. */
export function observeProvider(
  provider: Provider,
  onOutcome: (key: string, call: CallName, outcome: CallOutcome<unknown>) => void,
): Provider {
  async function observed<T>(key: string, call: CallName, answer: Promise<CallOutcome<T>>) {
    const outcome = await answer;
    onOutcome(key, call, outcome);
    return outcome;
  }
  return {
    create: (key, call) => observed(key, 'create', provider.create(key, call)),
    initiate: (key, call) => observed(key, 'initiate', provider.initiate(key, call)),
    status: (key, call) => observed(key, 'status', provider.status(key, call)),
  };
}
