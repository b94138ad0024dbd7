import { isoTime } from '../http/time.ts';
import type { Review } from './review-store.ts';

/** The refund of a rejected review. */
export function refundView({ paidMinor, refundedAt, refundReference }: Review) {
  if (refundedAt === null) return { state: 'due', amount_minor: paidMinor } as const;
  return {
    state: 'settled',
    amount_minor: paidMinor,
    reference: refundReference ?? '',
    settled_at: isoTime(refundedAt),
  } as const;
}
