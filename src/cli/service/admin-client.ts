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

/** A page of 100 sessions and a statement of 20,000 charges are smaller. */
const maxAnswerBytes = 2 * 1024 * 1024;

/** The service answered a call with an error. */
export class RequestRejectedError extends UserError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type AdminQuery = Readonly<Record<string, string | undefined>>;

/** The part of an operation that a client needs. */
export type SentOperation<Answer extends z.ZodType = z.ZodType> = Pick<
  ServiceOperation<unknown, unknown, unknown>,
  'method' | 'path' | 'access'
> & { success: { schema: Answer } };

type Request = {
  params?: Readonly<Record<string, string>>;
  query?: AdminQuery;
  body?: unknown;
  idempotencyKey?: string | undefined;
};

/** The client of a service. A failed call throws a `UserError` whose message states what to do. */
export type ServiceClient = {
  /** Sends an operation: with the key of the client, else with the admin token if the operation needs it. Answers are read tolerantly. */
  operate<Answer extends z.ZodType>(
    operation: SentOperation<Answer>,
    request?: Request,
  ): Promise<Tolerant<z.infer<Answer>>>;
  /** Returns the body of an answer as it was sent, byte for byte. */
  text(operation: SentOperation, request: Request): Promise<string>;
  withKey(key: string): ServiceClient;
  isLive: boolean;
};

export function createAdminClient(
  deps: { fetch: typeof fetch; clock: Clock },
  access: ServiceAccess,
  key?: string,
): ServiceClient {
  const { url, urlFrom, token } = access;

  async function send(operation: SentOperation, request: Request): Promise<Exchange> {
    const { params = {}, query = {}, body, idempotencyKey } = request;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => pathSegment(params[name] ?? ''));
    const bearer = operation.access === 'open' ? undefined : (key ?? adminToken());
    if (bearer !== undefined) checkTransport(access, 'the token or key');
    return exchange({ ...deps, maxAnswerBytes }, `${url}${path}${queryString(query)}`, {
      method: operation.method.toUpperCase() as Uppercase<SentOperation['method']>,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
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

  function adminToken(): string {
    if (token) return token.value;
    throw new UserError(
      `no admin token for the service at ${url}. Set DIALTILL_ADMIN_TOKEN or DIALTILL_ADMIN_TOKEN_FILE.`,
    );
  }

  return {
    async operate<Answer extends z.ZodType>(operation: SentOperation<Answer>, request = {}) {
      const schema = operation.success.schema as z.ZodType<z.infer<Answer>>;
      return read(await send(operation, request), schema);
    },
    async text(operation, request) {
      const response = await send(operation, request);
      read(response, z.unknown());
      return response.ok ? response.body : '';
    },
    withKey: (other) => createAdminClient(deps, access, other),
    isLive: key?.startsWith('sk_live_') ?? false,
  };
}

function queryString(query: AdminQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}
