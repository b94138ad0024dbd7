import { type Clock, monotonicMs } from '../../../shared/clock.ts';
import type { Evidence } from '../evidence.ts';
import type { CallName } from '../fact.ts';

export type KeyHealth = ReturnType<typeof createKeyHealth>;

/** So long nobody is told again of a key that is still refused: every payment and every poll of it meets the same. */
const silentMs = 3_600_000;

/** Which call was answered with something that a key which is refused does not get. */
const answeredCall: Partial<Record<Evidence['kind'], CallName>> = {
  create_answered: 'create',
  initiate_answered: 'initiate',
  polled: 'status',
};

/**
 * Refusals of merchants' keys: a person is told of the first, once an hour while they last, and again of the first after
 * the key was good.
 *
 * @param onRefused told of every refusal, for counting.
 */
export function createKeyHealth(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  onRefused: (merchantId: string) => void = () => {},
) {
  const told = new Map<string, { call: CallName; at: number }>();
  return {
    /** The merchant's key was refused in this call. Returns whether a person is to be told of it now. */
    refused(merchantId: string, call: CallName): boolean {
      onRefused(merchantId);
      const now = monotonicMs(clock);
      const last = told.get(merchantId);
      if (last && now < last.at + silentMs) return false;
      told.set(merchantId, { call, at: now });
      return true;
    },
    /** Takes in any other evidence, which may say that the key is good again. */
    recordSuccess(merchantId: string, { kind }: Evidence): void {
      const call = answeredCall[kind];
      // Of the call that was refused: a key without the right to ask for money may poll all the same.
      if (call !== undefined && told.get(merchantId)?.call === call) told.delete(merchantId);
    },
  };
}
