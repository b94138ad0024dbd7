import { unreachable } from '../../shared/errors.ts';

/**
 * Why a read has no result.
 *
 * - `crowded`: too many reads of this person or key, or of its merchant, are waiting. Others are served.
 * - `busy`: too many reads of all are waiting, or this one has waited too long.
 * - `slow`: it took too long.
 * - `lost`: the thread has ended meanwhile. Another one runs the next read.
 * - `closed`: the gateway is stopping.
 * - `digits`: a person who may not see whole numbers has searched for digits too often.
 */
export type ReadFaultKind = 'crowded' | 'busy' | 'slow' | 'lost' | 'closed' | 'digits';

/** A read that was given up. The ledger itself works, and so do payments. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault';
  readonly kind: ReadFaultKind;

  constructor(kind: ReadFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Returns what a page says about a read that was given up. */
export function readFaultText(kind: ReadFaultKind): string {
  switch (kind) {
    case 'crowded':
      return 'Too many of your pages and searches are waiting. Load the page again when they are there.';
    case 'busy':
      return 'Many people are searching at this moment. Load the page again after some seconds.';
    case 'slow':
      return 'This search takes too long. Narrow it down, for example with a day, and try again.';
    case 'lost':
      return 'The search was interrupted. Load the page again.';
    case 'closed':
      return 'The gateway is restarting. Load the page again after some seconds.';
    case 'digits':
      return 'You have searched for many numbers by their digits within an hour. Try again later, or search for the reference.';
    default:
      return unreachable(kind);
  }
}
