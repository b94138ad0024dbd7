import type { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { type Exchange, exchange } from '../../simulator/exchange.ts';
import { printable } from '../terminal/terminal.ts';
import type { ServiceAccess } from './find-service.ts';

/** A page of 100 sessions takes less. */
const maxAnswerBytes = 1024 * 1024;

/** The service's HTTP API as commands use it. Every call throws a `UserError` that says what to do. */
export type AdminClient = ReturnType<typeof createAdminClient>;

/** Opens a service's back office. */
export function createAdminClient(deps: { fetch: typeof fetch; clock: Clock }, access: ServiceAccess) {
  const { url, urlFrom, token } = access;

  async function call<T>(
    method: string,
    path: string,
    shape: z.ZodType<T>,
    body: unknown,
    authorization: Record<string, string>,
  ): Promise<T> {
    const answer = await exchange({ ...deps, maxAnswerBytes }, `${url}${path}`, {
      method,
      headers: {
        ...authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return read(answer, shape);
  }

  function read<T>(answer: Exchange, shape: z.ZodType<T>): T {
    if (!answer.ok) {
      throw new UserError(
        `no collection service at ${url} (from ${urlFrom}): ${answer.detail}. Start one with ` +
          '"npx dialtill service start", or name another with --url or DIALTILL_SERVICE_URL.',
      );
    }
    const json = parseJson(answer.body);
    if (answer.status >= 200 && answer.status < 300) {
      const parsed = shape.safeParse(json);
      if (parsed.success) return parsed.data;
      const where = parsed.error.issues[0]?.path.join('.');
      throw new UserError(`${url} answers what this version cannot read${where ? ` (${where})` : ''}.`);
    }
    const refused = errorBody.safeParse(json);
    if (!refused.success) {
      throw new UserError(`${url} is no collection service: it answers HTTP ${answer.status}.`);
    }
    const { error, request_id: request } = refused.data;
    if (error.code === 'invalid_admin_token') {
      throw new UserError(
        `the service at ${url} does not take the admin token from ${token?.from}. Set DIALTILL_ADMIN_TOKEN, or ` +
          'DIALTILL_ADMIN_TOKEN_FILE, to the token with which that service was started.',
      );
    }
    const param = error.param === undefined ? '' : `, ${error.param}`;
    throw new UserError(
      printable(`refused: ${error.message} (${error.code}${param})${request ? ` [${request}]` : ''}`),
    );
  }

  function asAdmin(): Record<string, string> {
    if (token) return { authorization: `Bearer ${token.value}` };
    throw new UserError(
      `the admin token of the service at ${url} is not known here. Set DIALTILL_ADMIN_TOKEN or ` +
        'DIALTILL_ADMIN_TOKEN_FILE.',
    );
  }

  return {
    /** Of the back office. */
    get: <T>(path: string, shape: z.ZodType<T>, query: Query = {}) =>
      call('GET', `/backoffice${path}${queryOf(query)}`, shape, undefined, asAdmin()),
    send: <T>(method: 'POST' | 'PUT' | 'DELETE', path: string, shape: z.ZodType<T>, body?: unknown) =>
      call(method, `/backoffice${path}`, shape, body, asAdmin()),
    /** What needs no token. */
    open: <T>(path: string, shape: z.ZodType<T>, query: Query = {}) =>
      call('GET', `${path}${queryOf(query)}`, shape, undefined, {}),
  };
}

type Query = Readonly<Record<string, string | undefined>>;

/** One part of a path, whatever was typed for it. */
export function part(text: string): string {
  // A dot alone would be taken for a folder.
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}

function queryOf(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
