import type { LookupHandler } from '../../menu/effects/handler.ts';
import type { LookupRequest } from '../../menu/state/state.ts';
import { isFields, type LookupResult } from './result.ts';

/** Asks a handler of the merchant's own program, once. Never throws; `signal` tells it that nobody waits any more. */
export async function callHandler(
  handler: LookupHandler,
  asked: LookupRequest,
  signal: AbortSignal,
): Promise<LookupResult> {
  try {
    const fields = await handler(asked, { signal });
    // Many a query says null for what is not there.
    if (fields === undefined || fields === null) return { outcome: 'not_found' };
    return isFields(fields) ? { outcome: 'found', fields } : { outcome: 'bad_answer', detail: 'no_object' };
  } catch (fault) {
    return signal.aborted ? { outcome: 'timeout' } : { outcome: 'bad_answer', detail: whereOf(fault) };
  }
}

/** Where a handler threw: never its words, which may hold a name or a number. */
function whereOf(fault: unknown): string {
  const frame =
    fault instanceof Error ? /^ +at (?:.*\()?([^()\n]+:\d+:\d+)\)?$/m.exec(fault.stack ?? '') : null;
  return frame ? `threw at ${frame[1]}` : 'threw';
}
