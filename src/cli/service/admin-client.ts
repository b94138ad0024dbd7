import { z } from 'zod';
import { errorBody } from '../../contract/error.ts';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import { type Tolerant, tolerant } from '../../contract/tolerant.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/http/addresses.ts';
import { type Exchange, exchange } from '../../shared/http/exchange.ts';
import { tryParseJson } from '../../shared/json.ts';
import { checkTransport, pathSegment } from '../gateway-url.ts';
import { printable } from '../terminal/output.ts';
import { findService, type ServiceAccess } from './find-service.ts';

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

type WebhookTarget = {
  /** The address of the sandbox, and its data folder. */
  serviceUrl: string;
  folder: string;
  /** Where the gateway listens, and the merchants of its configuration. */
  gatewayUrl: string;
  merchantIds: readonly string[];
};

const limit = '100';
/** A list ends here, should a service never end it. */
const maxPages = 100;

/**
 * Sets the port of the webhooks that a sandbox sends to a gateway on this machine. Webhooks with another path or host, or
 * with a query, are not changed. Does nothing for a service whose admin token is not in the folder.
 *
 * @throws UserError when the sandbox cannot be reached.
 */
export async function pointWebhooks(
  deps: { fetch: typeof fetch; clock: Clock; env: Environment },
  { serviceUrl, folder, gatewayUrl, merchantIds }: WebhookTarget,
  onMove: (from: string, to: string) => void,
): Promise<void> {
  const access = findService({ url: serviceUrl, data: folder }, deps.env);
  if (!access.token) return;
  const client = createAdminClient(deps, access);
  for await (const { id } of listAll((query) => client.operate(serviceOperations.listMerchants, { query }))) {
    const params = { id };
    const endpoints = listAll((query) => client.operate(serviceOperations.listWebhooks, { params, query }));
    for await (const { livemode, platform_id, url: current } of endpoints) {
      const url = pointedAt(current, gatewayUrl, merchantIds);
      if (livemode || url === undefined || url === current) continue;
      const body = { livemode: false, platform_id, url };
      await client.operate(serviceOperations.setWebhook, { params, body });
      onMove(current, url);
    }
  }
}

type Query = { limit: string; cursor: string | undefined };
type Page<Item> = { data: Item[]; next_cursor: string | null };

async function* listAll<Item>(read: (query: Query) => Promise<Page<Item>>): AsyncGenerator<Item> {
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await read({ limit, cursor });
    yield* page.data;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

/** Returns the webhook with the address of the gateway; `undefined` when it is for another program. */
function pointedAt(current: string, gatewayUrl: string, merchantIds: readonly string[]): string | undefined {
  const { host, hostname, pathname, href } = new URL(current);
  const isOwn = merchantIds.some((id) => pathname === `/webhooks/${id}`);
  // A query, a password or https shows that a person has set it.
  const isPlain = href === `http://${host}${pathname}`;
  return isOwn && isPlain && isLoopbackHost(hostname) ? `${gatewayUrl}${pathname}` : undefined;
}
