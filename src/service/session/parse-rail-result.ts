import { z } from 'zod';
import type { RailResult } from '../rail/rail.ts';

/** The last millisecond of the year 9999: ISO 8601 says no later one in its common form. */
const latestTime = 253_402_300_799_999;

const common = {
  sessionId: z.string().regex(/^pay_[0-9A-Za-z_-]{1,124}$/),
  at: z.int().min(0).max(latestTime),
};

const railResult: z.ZodType<RailResult> = z.discriminatedUnion('outcome', [
  z.object({ ...common, outcome: z.literal('approved'), chargedMinor: z.int().min(1) }),
  z.object({ ...common, outcome: z.enum(['declined', 'pin_limit', 'insufficient_funds', 'expired']) }),
]);

/**
 * Reads what somebody else's rail reports. What cannot be read is told by its fields alone, and by its session where
 * that is one: the rest may hold a payer's number.
 */
export function parseRailResult(
  reported: RailResult,
):
  | { kind: 'result'; result: RailResult }
  | { kind: 'unreadable'; session: string | undefined; fields: string[] } {
  const read = railResult.safeParse(reported);
  if (read.success) return { kind: 'result', result: read.data };
  const session = z.object({ sessionId: common.sessionId }).safeParse(reported).data?.sessionId;
  return { kind: 'unreadable', session, fields: read.error.issues.map(({ path }) => path.join('.')) };
}
