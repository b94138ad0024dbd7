import type { LookupHandler } from '../../menu/effects/lookup.ts';
import type { LookupRequest } from '../../menu/state/state.ts';
import { isMap } from '../../shared/json.ts';
import type { LookupResult } from './call-url.ts';

/** Calls a lookup handler of a program menu once. `signal` aborts when the result is no longer used. Never throws. */
export async function callHandler(
  handler: LookupHandler,
  asked: LookupRequest,
  signal: AbortSignal,
): Promise<LookupResult> {
  try {
    const fields = await handler(asked, { signal });
    // Many query libraries return null for a row that does not exist.
    if (fields === undefined || fields === null) return { outcome: 'not_found' };
    return isMap(fields)
      ? { outcome: 'found', fields }
      : { outcome: 'invalid_response', detail: 'no_object' };
  } catch (fault) {
    return signal.aborted
      ? { outcome: 'timeout' }
      : { outcome: 'invalid_response', detail: getPosition(fault) };
  }
}

/** Returns the source position of an error, without its message: a message can contain personal data. */
function getPosition(fault: unknown): string {
  const frame =
    fault instanceof Error ? /^ +at (?:.*\()?([^()\n]+:\d+:\d+)\)?$/m.exec(fault.stack ?? '') : null;
  return frame ? `threw at ${frame[1]}` : 'threw';
}
