import { unreachable } from '../../../shared/errors.ts';
import type { UnplacedRefusal } from '../../unplaced/decide.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';

/** Returns why a decision about an unplaced payment is not possible, and what to do. */
export function describeUnplacedRefusal(refused: UnplacedRefusal, payment: UnplacedPayment): string {
  const { id, state, version, collectionId } = payment;
  switch (refused) {
    case 'changed':
      return `${id} changed and has version ${version} now: look at it again, and propose again if it is still right`;
    case 'closed':
      return state === 'placed'
        ? `${id} is placed: ${collectionId} has the money`
        : `${id} is returned: nothing is left to decide`;
    case 'foreign':
      return `${id} is foreign and not in suspense: it can only be matched with a collection`;
    case 'no_amount':
      return `${id}: no event states its amount. Look it up at the service, and return it or declare it foreign`;
    case 'incomplete':
      return `${id}: the proposal names no collection or no transfer`;
    default:
      return unreachable(refused);
  }
}
