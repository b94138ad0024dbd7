import { z } from 'zod';
import { promptFailures } from '../../contract/end-reason.ts';
import type { RailResult } from '../rail/rail.ts';

/** The last millisecond of the year 9999, the last one with a four-digit year in ISO 8601. */
const maxTime = 253_402_300_799_999;

const common = {
  sessionId: z.string().regex(/^pay_[0-9A-Za-z_-]{1,124}$/),
  at: z.int().min(0).max(maxTime),
};

const railResultSchema: z.ZodType<RailResult> = z.discriminatedUnion('outcome', [
  z.object({ ...common, outcome: z.literal('approved'), chargedMinor: z.int().min(1) }),
  z.object({ ...common, outcome: z.enum([...promptFailures, 'expired']) }),
]);

/**
 * Validates a result that a rail reports. An invalid result is described by the names of its invalid fields and by its
 * session, if that is valid: the other values may contain a payer's number.
 */
export function parseRailResult(
  reported: RailResult,
):
  | { kind: 'result'; result: RailResult }
  | { kind: 'invalid'; session: string | undefined; fields: string[] } {
  const parsed = railResultSchema.safeParse(reported);
  if (parsed.success) return { kind: 'result', result: parsed.data };
  const session = z.object({ sessionId: common.sessionId }).safeParse(reported).data?.sessionId;
  return { kind: 'invalid', session, fields: parsed.error.issues.map(({ path }) => path.join('.')) };
}
