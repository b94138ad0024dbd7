import type { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import { staffPath } from '../../contract/staff.ts';
import { type Tolerant, tolerant } from '../../contract/tolerant.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { type Exchange, exchange } from '../../shared/http/exchange.ts';
import { printable } from '../terminal/protected-output.ts';
import type { StaffAccess } from './find-gateway.ts';

/** A page of 100 rows is smaller. */
const maxAnswerBytes = 1024 * 1024;

/** The client of the gateway's staff API. A failed call throws a `UserError` whose message states what to do. */
export type StaffClient = ReturnType<typeof createStaffClient>;

/** Creates a client for one person at one gateway. Answers are read tolerantly. */
export function createStaffClient(deps: { fetch: typeof fetch; clock: Clock }, access: StaffAccess) {
  const { url, name, secret } = access;
  const authorization = `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;

  async function call<Value>(path: string, schema: z.ZodType<Value>, init: RequestInit) {
    const answer = await exchange({ ...deps, maxAnswerBytes }, `${url}${staffPath}${path}`, {
      ...init,
      headers: { authorization, ...(init.body === undefined ? {} : { 'content-type': 'application/json' }) },
    });
    return read(access, answer, schema);
  }

  return {
    /** Changes something. `path` is relative to `/staff/v1`. */
    post: <Value>(path: string, schema: z.ZodType<Value>, body: unknown = {}) =>
      call(path, schema, { method: 'POST', body: JSON.stringify(body) }),
    get: <Value>(path: string, schema: z.ZodType<Value>) => call(path, schema, { method: 'GET' }),
  };
}

function read<Value>(access: StaffAccess, answer: Exchange, schema: z.ZodType<Value>): Tolerant<Value> {
  const { url, urlFrom, name } = access;
  if (!answer.ok) {
    throw new UserError(
      `no gateway at ${url} (from ${urlFrom}): ${answer.detail}. Start it with "dialtill start", or name another with --url.`,
    );
  }
  const json = parseJson(answer.body);
  if (answer.status >= 200 && answer.status < 300) {
    const parsed = tolerant(schema).safeParse(json);
    if (parsed.success) return parsed.data;
    throw new UserError(`the answer of ${url} is not readable. Use the dialtill version of the gateway.`);
  }
  const parsed = errorBody.safeParse(json);
  if (!parsed.success)
    throw new UserError(`${url} is not a gateway: it returned HTTP ${answer.status}. Check --url.`);
  const { code, message } = parsed.data.error;
  if (code === 'wrong_secret')
    throw new UserError(
      `the gateway at ${url} rejects the name "${printable(name)}" with this secret. Compare DIALTILL_STAFF with staff in the configuration.`,
    );
  // Known ids have a code of their own. Without staff, the gateway has no such path.
  if (answer.status === 404 && message === 'nothing here')
    throw new UserError(
      `the gateway at ${url} has no staff: add people under staff in its configuration, and reload it (kill -HUP).`,
    );
  throw new UserError(printable(`refused: ${message} (${code})`));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
