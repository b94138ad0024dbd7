import { promptFailures } from '../../../contract/service/end-reason.ts';
import { unreachable } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { isRetryExcluded } from '../../collection/payment-summary.ts';
import { quoted, type Step } from './step.ts';

/** The step that ends the prompt of a collection as payers see it. `isReplaced`: the collection ended in another way. */
export type EndStep = { step: Step; isReplaced: boolean };

/**
 * Returns the step that ends the prompt of a collection; `undefined` for a collection that is open, or that ended in a way
 * which no rehearsal can repeat. Not for one that timed out.
 */
export function findEndStep(row: CollectionRow): EndStep | undefined {
  const { status, reason, amountMinor } = row;
  switch (status) {
    case 'accepted':
    case 'created':
    case 'initiating':
    case 'initiated':
      return undefined;
    case 'paid':
      return { step: { approve: quoted('1234') }, isReplaced: false };
    case 'review':
      if (reason !== 'amount_mismatch' || amountMinor === null) return undefined;
      return { step: { charge: quoted(cedis(amountMinor)) }, isReplaced: false };
    case 'expired':
    case 'failed':
    case 'abandoned': {
      if (status === 'failed' && reason === 'declined') return { step: 'decline', isReplaced: false };
      const failure = promptFailures.find((one) => status === 'failed' && one === reason);
      if (failure !== undefined) return { step: { fail: failure }, isReplaced: false };
      return isRetryExcluded(row) ? undefined : { step: { fail: 'network_down' }, isReplaced: true };
    }
    default:
      return unreachable(status);
  }
}

/** Returns whether the prompt expired without an answer, which payers read. A rehearsal waits for the end of its lifetime. */
export function isTimedOut({ status, reason }: CollectionRow): boolean {
  return status === 'expired' && (reason === 'prompt_expired' || reason === 'service_expired');
}

/** Formats an amount without the currency. */
export function cedis(minor: number): string {
  return formatCedis(minor).replace(/^GHS /, '');
}
