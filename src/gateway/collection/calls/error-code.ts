import { documentedErrors } from '../../../contract/service/end-reason.ts';

/** Where the code is when the configuration names no other place. */
export const defaultErrorCodePointer = '/error/code';

/** The documented codes with their HTTP status. */
const documented: readonly (readonly [code: string, httpStatus: number])[] = Object.entries(documentedErrors);

/** A longer text is not a code. */
const maxCodeLength = 64;

/**
 * Places in which services commonly put an error code. The interface describes no error body, so only a documented code
 * with its HTTP status counts there: the body of a proxy proves nothing.
 */
const commonPointers = [
  '/error/code',
  '/error/error_code',
  '/error/type',
  '/error',
  '/code',
  '/error_code',
  '/errorCode',
  '/errors/0/code',
  '/errors/0',
  // Problem details (RFC 9457): a URI or a title.
  '/type',
  '/title',
] as const;

/**
 * Reads the service's error code from the JSON body of an error response.
 *
 * @param pointer the JSON pointer (RFC 6901) of the configuration: any code counts there.
 * @returns `undefined` when the body is not recognised as the service's.
 */
export function readErrorCode(body: unknown, httpStatus: number, pointer: string): string | undefined {
  const code = valueAt(body, pointer);
  if (typeof code === 'string' && code !== '' && code.length <= maxCodeLength) return code;
  for (const common of commonPointers) {
    const value = valueAt(body, common);
    const found = typeof value === 'string' ? documentedCode(value, httpStatus) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the documented code that a text, a title or the end of a URI names, if it belongs to the HTTP status. */
function documentedCode(text: string, httpStatus: number): string | undefined {
  const name = text
    .slice(-2 * maxCodeLength)
    .replace(/^.*[/#:]/s, '')
    .trim()
    .toLowerCase()
    .replace(/[ -]/g, '_');
  return documented.find(([code, status]) => code === name && status === httpStatus)?.[0];
}

/** Returns the value at a JSON pointer; `undefined` when there is none. */
function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
