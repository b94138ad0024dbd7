import { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { type Tolerant, tolerant } from '../../contract/tolerant.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { type Exchange, exchange } from '../../shared/http/exchange.ts';
import { tryParseJson } from '../../shared/json.ts';
import { checkTransport, pathSegment } from '../gateway-url.ts';
import { printable } from '../terminal/output.ts';
import type { ServiceAccess } from './find-service.ts';

/** A page of 100 sessions is smaller. */
const maxAnswerBytes = 1024 * 1024;

/** The service answered a call with an error. */
export class RequestRejectedError extends UserError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The client of the admin API. A failed call throws a `UserError` whose message states what to do. */
export type AdminClient = ReturnType<typeof createAdminClient>;

const anyBody = z.unknown();

export type AdminQuery = Readonly<Record<string, string | undefined>>;

type Request<Value> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  path: string;
  schema: z.ZodType<Value>;
  body?: unknown;
  headers?: Record<string, string>;
};

/** The part of an operation that a client needs. */
export type SentOperation<Answer extends z.ZodType> = Pick<
  ServiceOperation<unknown, unknown, unknown>,
  'method' | 'path' | 'access'
> & { success: { schema: Answer } };

/** Creates a client of one service. Responses are read tolerantly. */
export function createAdminClient(deps: { fetch: typeof fetch; clock: Clock }, access: ServiceAccess) {
  const { url, urlFrom, token } = access;

  async function send<Value>({
    method,
    path,
    body,
    headers = {},
  }: Omit<Request<Value>, 'schema'>): Promise<Exchange> {
    if ('authorization' in headers) checkTransport(access, 'the token or key');
    return exchange({ ...deps, maxAnswerBytes }, `${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function call<Value>(request: Request<Value>): Promise<Tolerant<Value>> {
    return read(await send(request), request.schema);
  }

  function read<Value>(response: Exchange, schema: z.ZodType<Value>): Tolerant<Value> {
    if (!response.ok) {
      throw new UserError(
        `no collection service at ${url} (from ${urlFrom}): ${response.detail}. Start one with ` +
          '"npx dialtill service start", or name another with --url or DIALTILL_SERVICE_URL.',
      );
    }
    const json = tryParseJson(response.body);
    if (response.status >= 200 && response.status < 300) {
      const parsed = tolerant(schema).safeParse(json);
      if (parsed.success) return parsed.data;
      const field = parsed.error.issues[0]?.path.join('.');
      throw new UserError(
        `the response of ${url} is not readable${field ? `: unexpected value of ${field}` : ''}. ` +
          'Use the dialtill version of the service.',
      );
    }
    const parsed = errorBody.safeParse(json);
    if (!parsed.success) {
      throw new UserError(`${url} is not a collection service: it returned HTTP ${response.status}.`);
    }
    const { error, request_id: requestId } = parsed.data;
    if (error.code === 'invalid_admin_token') {
      throw new UserError(
        `the service at ${url} rejected the admin token from ${token?.from}. Set DIALTILL_ADMIN_TOKEN, or ` +
          'DIALTILL_ADMIN_TOKEN_FILE, to the token that the service was started with.',
      );
    }
    const param = error.param === undefined ? '' : `, ${error.param}`;
    const request = requestId ? ` [${requestId}]` : '';
    const text = `request rejected: ${error.message} (${error.code}${param})${request}`;
    throw new RequestRejectedError(error.code, printable(text));
  }

  function authorization(): Record<string, string> {
    if (token) return { authorization: `Bearer ${token.value}` };
    throw new UserError(
      `no admin token for the service at ${url}. Set DIALTILL_ADMIN_TOKEN or DIALTILL_ADMIN_TOKEN_FILE.`,
    );
  }

  return {
    /** Reads from the admin API; `path` is relative to `/backoffice`. */
    get: <Value>(path: string, schema: z.ZodType<Value>, query: AdminQuery = {}) =>
      call({
        method: 'GET',
        path: `/backoffice${path}${queryString(query)}`,
        schema,
        headers: authorization(),
      }),
    /** Changes something through the admin API; `path` is relative to `/backoffice`. */
    send: <Value>(
      method: 'POST' | 'PUT' | 'DELETE',
      path: string,
      schema: z.ZodType<Value>,
      body?: unknown,
    ) => call({ method, path: `/backoffice${path}`, schema, body, headers: authorization() }),
    /** Sends an operation: with the key of a merchant if one is given, else with the admin token if the operation needs it. */
    operate<Answer extends z.ZodType>(
      { method, path, access, success }: SentOperation<Answer>,
      {
        params,
        query = {},
        body,
      }: { params: Readonly<Record<string, string>>; query?: AdminQuery; body?: unknown },
      key?: string,
    ): Promise<Tolerant<z.infer<Answer>>> {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => pathSegment(params[name] ?? ''));
      const bearer = key === undefined ? authorization : () => ({ authorization: `Bearer ${key}` });
      return call({
        method: method.toUpperCase() as Request<unknown>['method'],
        path: `${filled}${queryString(query)}`,
        schema: success.schema as z.ZodType<z.infer<Answer>>,
        body,
        headers: access === 'open' ? {} : bearer(),
      });
    },
    /** The calls of a merchant's program, with its key. Paths begin with `/v1`. */
    withKey(key: string) {
      const headers = { authorization: `Bearer ${key}` };
      return {
        isLive: key.startsWith('sk_live_'),
        get: <Value>(path: string, schema: z.ZodType<Value>, query: AdminQuery = {}) =>
          call({ method: 'GET', path: `${path}${queryString(query)}`, schema, headers }),
        post: <Value>(path: string, schema: z.ZodType<Value>, body: unknown, idempotencyKey?: string) => {
          const keyed = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
          return call({ method: 'POST', path, schema, body, headers: { ...headers, ...keyed } });
        },
        /** Returns the body as it was sent, byte for byte. */
        async text(path: string): Promise<string> {
          const response = await send({ method: 'GET', path, headers });
          read(response, anyBody);
          return response.ok ? response.body : '';
        },
      };
    },
  };
}

function queryString(query: AdminQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}
