import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import { z } from 'zod';
import { type MerchantScope, merchantApiPath } from '../../contract/merchant-api.ts';
import type { ErrorTable } from '../../kit/error-table.ts';
import { guidePage, guidePolicy } from '../../kit/openapi/page.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import { grantAccess, publicAccess } from '../../shared/http/access.ts';
import { wholeBody } from '../../shared/http/whole-body.ts';
import { parseJson } from '../../shared/json.ts';
import { createRateLimit } from '../../shared/limits/rate-limit.ts';
import type { Log } from '../../shared/log.ts';
import { once } from '../../shared/once.ts';
import { prepare, sendPrepared } from '../../shared/pages/prepared.ts';
import { ReadFault, type ReadFaultKind } from '../reading/read-fault.ts';
import type { Reader } from '../reading/reads.ts';
import {
  digestOfKey,
  hasScope,
  type MerchantKey,
  type MerchantKeyStore,
  merchantKeyWrites,
  scopesOf,
} from '../staff/merchant-key-store.ts';
import type { MerchantCall, MerchantRoute, ReadContext, ReadRoute, RouteDeps } from './define-route.ts';
import { type MerchantErrorCode, merchantErrors } from './errors.ts';
import { readSettledFact } from './event-query.ts';
import { parseQuery, parseRequest } from './invalid-request.ts';
import { merchantDocument } from './openapi.ts';
import type { readMerchantRoute } from './read-route.ts';
import { merchantRoutes } from './routes.ts';
import { type OnceAnswer, type OnceDeps, runOnce } from './run-once.ts';

export type MerchantApiDeps = RouteDeps & {
  reader: Reader<{ merchantApi: typeof readMerchantRoute }>;
  once: OnceDeps;
  keys: MerchantKeyStore;
  livemode: 0 | 1;
  hasMerchant(id: string): boolean;
  clock: Clock;
  log: Log;
};

/** The public documents, rendered at their first request. */
const openapi = once(() => prepare('application/json', JSON.stringify(merchantDocument())));
const page = once(async () => {
  const content = await guidePage(merchantDocument(), `${merchantApiPath}/openapi.json`, merchantErrors);
  return prepare('text/html; charset=UTF-8', String(content));
});

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { key: MerchantKey } };

/** Calls with all keys of one merchant. */
const callRate = { burst: 60, perMinute: 600 };

/** How exact the time of the last use of a key is. */
const usedWithinMs = 60_000;

const maxKeyLength = 128;
const maxBodyBytes = 16 * 1024;

type Failure = { code: MerchantErrorCode; message: string; retryAfterSeconds?: number };

/** Why a read has no result, and what to do. */
const readFailures = {
  crowded: {
    code: 'too_many_requests',
    message: 'too many reads of this merchant wait: send the next one after the answer',
  },
  busy: { code: 'busy', message: 'too many reads wait: try again after 5 seconds' },
  slow: {
    code: 'too_slow',
    message: 'the read took too long: narrow it with "from" and "to", or with fewer rows ("limit")',
  },
  lost: { code: 'busy', message: 'the read was interrupted: try again' },
  digits: { code: 'too_many_requests', message: 'too many searches for digits: try again later' },
  closed: { code: 'busy', message: 'the gateway is restarting: try again after 5 seconds' },
} as const satisfies Record<ReadFaultKind, Failure>;

/** Serves merchants' own systems under `/merchant/v1`. Each request carries a key as a bearer token. */
export function merchantApiRoute(deps: MerchantApiDeps): Hono<Env> {
  const app = new Hono<Env>().basePath(merchantApiPath);
  app.get('/openapi.json', publicAccess(), (c) => sendPrepared(c, openapi()));
  app.get('/docs', publicAccess(), async (c) => {
    c.header('content-security-policy', guidePolicy);
    return sendPrepared(c, await page());
  });
  const tooLarge = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c) => fail(c, { code: 'body_too_large', message: `expected at most ${maxBodyBytes} bytes` }),
  });
  app.use(...requireKey(deps, [tooLarge, wholeBody]));
  for (const route of merchantRoutes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(route.method, path, requireScope(route.scope), async (c) => {
      const call = await readCall(route, c);
      if ('code' in call) return fail(c, call);
      const answer = await run(deps, route, call);
      if (route.method !== 'GET') logChange(deps, route, call, { answer, request: c.get('requestId') });
      return answer.ok ? c.json(answer.value) : fail(c, answer);
    });
  }
  return app;
}

type Call = MerchantCall<unknown, unknown> & { idempotencyKey: string | undefined; digest: string };

/** Reads and validates what a request says, or returns why it cannot be carried out. */
async function readCall(route: MerchantRoute, c: Context<Env>): Promise<Call | Failure> {
  const query = parseQuery(route.query ?? noQuery, c.req.queries());
  if (!query.ok) return invalid(query.message);
  const bytes = new Uint8Array(route.body ? await c.req.arrayBuffer() : []);
  const body = route.body && parseRequest(route.body, jsonOf(bytes));
  if (body && !body.ok) return invalid(body.message);
  const idempotencyKey = c.req.header('idempotency-key');
  if (route.method === 'POST' && !/^[!-~]{1,255}$/.test(idempotencyKey ?? '')) {
    const message = 'expected the header Idempotency-Key, of 1 to 255 visible characters, such as a UUID';
    return { code: 'idempotency_key_required', message };
  }
  const key = c.get('key');
  const { merchantId, livemode } = key;
  return {
    owner: { merchantId, livemode },
    id: c.req.param('id') ?? '',
    actor: { kind: 'key', name: key.id, merchantId, scopes: scopesOf(key) },
    wholePayer: hasScope(key, 'payers:read'),
    seesScreens: hasScope(key, 'screens:read'),
    query: query.value,
    body: body?.value,
    idempotencyKey,
    digest: createHash('sha256').update(`${route.method} ${c.req.path}\n`).update(bytes).digest('hex'),
  };
}

const noQuery = z.strictObject({});

/** An absent body is an empty object. */
function jsonOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return parseJson(bytes).value;
  } catch {
    return undefined;
  }
}

function invalid(message: string): Failure {
  return { code: 'invalid_request', message };
}

type Answer = OnceAnswer | { ok: false; code: MerchantErrorCode; message: string };

async function run(
  deps: MerchantApiDeps,
  route: MerchantRoute,
  { idempotencyKey, digest, ...call }: Call,
): Promise<Answer> {
  if (route.method === 'GET') return read(deps, route, call);
  const change = () => route.run(deps, call);
  if (route.method !== 'POST' || idempotencyKey === undefined) return change();
  const request = { keyId: call.actor.name, idempotencyKey, digest, isSecret: route.isSecret === true };
  return runOnce(deps.once, request, change);
}

/** Reads in the turns of the key. The answer has everything that was written before the request. */
async function read(
  { reader, store, operations, livemode, clock, log }: MerchantApiDeps,
  { operationId, readsFacts }: ReadRoute,
  call: MerchantCall<unknown, unknown>,
): Promise<Answer> {
  const context: ReadContext = {
    ...{ livemode, now: clock.now(), hasNotifications: operations.notifications !== undefined },
    settledFact: readsFacts ? await readSettledFact(store) : null,
  };
  try {
    const owner = { name: call.actor.name, merchantId: call.owner.merchantId };
    return await reader.by(owner).merchantApi(operationId, call, context);
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault;
    log.warn({ key: call.actor.name, operation: operationId, fault: fault.message }, 'a read was given up');
    return { ok: false, ...readFailures[fault.kind] };
  }
}

function logChange(
  { log }: MerchantApiDeps,
  { operationId }: MerchantRoute,
  { actor, owner }: Call,
  { answer, request }: { answer: Answer; request: string },
): void {
  const result = answer.ok ? 'done' : answer.code;
  log.info(
    { request, key: actor.name, merchant: owner.merchantId, operation: operationId, result },
    'merchant',
  );
}

/** A stranger is answered before `readBody`, and a key is valid after it: it may be revoked while a body is held back. */
function requireKey(
  { keys, livemode, hasMerchant, clock, log }: MerchantApiDeps,
  readBody: readonly MiddlewareHandler[],
): MiddlewareHandler<Env>[] {
  const limit = createRateLimit(callRate, clock);
  const usedAt = new Map<string, EpochMs>();

  /** Records the use in the background: a lost time does not matter. */
  function recordUse(id: string): void {
    const now = clock.now();
    if (now - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < usedWithinMs) return;
    usedAt.set(id, now);
    keys
      .apply([merchantKeyWrites.touch({ id, now })])
      .catch((fault) => log.warn({ key: id, fault: messageOf(fault) }, 'the use of a key was not recorded'));
  }

  async function findKey(c: Context): Promise<MerchantKey | undefined> {
    const given = /^Bearer +(dk_(?:test|live)_\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const isPossible = given !== undefined && given.length <= maxKeyLength;
    const key = isPossible ? await keys.findByDigest(digestOfKey(given)) : undefined;
    const isValid = key && key.revokedAt === null && key.livemode === livemode && hasMerchant(key.merchantId);
    return isValid ? key : undefined;
  }

  const requireAny: MiddlewareHandler<Env> = async (c, next) =>
    c.req.method === 'GET' || (await findKey(c)) ? next() : fail(c, noKey);

  const require: MiddlewareHandler<Env> = async (c, next) => {
    const key = await findKey(c);
    if (!key) return fail(c, noKey);
    grantAccess(c.env);
    c.set('key', key);
    const waitSeconds = limit(key.merchantId);
    if (waitSeconds !== undefined) {
      const message = `try again after ${waitSeconds} seconds`;
      return fail(c, { code: 'too_many_requests', message, retryAfterSeconds: waitSeconds });
    }
    recordUse(key.id);
    return next();
  };
  return [requireAny, ...readBody, require];
}

const noKey: Failure = {
  code: 'invalid_api_key',
  message: 'expected a key of this merchant as a bearer token',
};

function requireScope(scope: MerchantScope): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (hasScope(c.get('key'), scope)) return next();
    return fail(c, { code: 'scope_required', message: `the key needs the scope ${scope}` });
  };
}

function fail(c: Context, { code, message, retryAfterSeconds }: Failure): Response {
  const known: ErrorTable[string] = merchantErrors[code];
  const seconds = retryAfterSeconds ?? known.retryAfterSeconds;
  if (seconds !== undefined) c.header('retry-after', String(seconds));
  if (known.status === 401) c.header('www-authenticate', 'Bearer');
  return c.json({ error: { code, message }, request_id: c.get('requestId') }, known.status);
}
