import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import { type MerchantScope, merchantApiPath } from '../../contract/merchant-api.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { createRateLimit } from '../../shared/limits/rate-limit.ts';
import type { Log } from '../../shared/log.ts';
import type { Store } from '../../sqlite/store.ts';
import {
  digestOfKey,
  hasScope,
  type MerchantKey,
  type MerchantKeyStore,
  merchantKeyWrites,
} from './key-store.ts';
import { merchantDocument } from './openapi.ts';
import { type MerchantAnswer, type MerchantRoute, merchantRoutes } from './routes.ts';

export type MerchantApiDeps = {
  store: Store;
  keys: MerchantKeyStore;
  livemode: 0 | 1;
  hasMerchant(id: string): boolean;
  clock: Clock;
  log: Log;
};

type Env = { Bindings: Partial<HttpBindings>; Variables: RequestIdVariables & { key: MerchantKey } };

/** Calls of one key. */
const callRate = { burst: 60, perMinute: 600 };

/** How exact the time of the last use of a key is. */
const usedWithinMs = 60_000;

const maxKeyLength = 128;

const httpStatus = { invalid_request: 400, not_found: 404 } as const;

/** Serves merchants' own systems under `/merchant/v1`. Each request carries a key as a bearer token. */
export function merchantApiRoute(deps: MerchantApiDeps): Hono<Env> {
  const app = new Hono<Env>().basePath(merchantApiPath);
  app.get('/openapi.json', (c) => {
    grantAccess(c.env);
    return c.json(merchantDocument());
  });
  app.use(requireKey(deps));
  for (const route of merchantRoutes) {
    app.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), requireScope(route.scope), async (c) => {
      const answer = await run(deps, route, c);
      return answer.ok ? c.json(answer.value) : fail(c, httpStatus[answer.code], answer.code, answer.message);
    });
  }
  return app;
}

async function run(deps: MerchantApiDeps, route: MerchantRoute, c: Context<Env>): Promise<MerchantAnswer> {
  const query = route.query.safeParse(c.req.query());
  if (!query.success) {
    const [issue] = query.error.issues;
    const field = issue?.path.join('.');
    const message = `${field ? `${field}: ` : ''}${issue?.message ?? 'invalid input'}`;
    return { ok: false, code: 'invalid_request', message };
  }
  const { merchantId, livemode, scopes } = c.get('key');
  const wholePayer = hasScope({ scopes }, 'payers:read');
  const call = { owner: { merchantId, livemode }, id: c.req.param('id') ?? '', wholePayer };
  return route.run(deps.store, call, query.data);
}

function requireKey({ keys, livemode, hasMerchant, clock, log }: MerchantApiDeps): MiddlewareHandler<Env> {
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

  return async (c, next) => {
    const given = /^Bearer +(dk_(?:test|live)_\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const isPossible = given !== undefined && given.length <= maxKeyLength;
    const key = isPossible ? await keys.findByDigest(digestOfKey(given)) : undefined;
    const isValid = key && key.revokedAt === null && key.livemode === livemode && hasMerchant(key.merchantId);
    if (!isValid) {
      c.header('www-authenticate', 'Bearer');
      return fail(c, 401, 'invalid_api_key', 'expected a key of this merchant as a bearer token');
    }
    grantAccess(c.env);
    c.set('key', key);
    const waitSeconds = limit(key.id);
    if (waitSeconds !== undefined) {
      c.header('retry-after', String(waitSeconds));
      return fail(c, 429, 'too_many_requests', `try again after ${waitSeconds} seconds`);
    }
    recordUse(key.id);
    return next();
  };
}

function requireScope(scope: MerchantScope): MiddlewareHandler<Env> {
  return async (c, next) =>
    hasScope(c.get('key'), scope)
      ? next()
      : fail(c, 403, 'scope_required', `the key needs the scope ${scope}`);
}

function fail(c: Context<Env>, status: 400 | 401 | 403 | 404 | 429, code: string, message: string): Response {
  return c.json({ error: { code, message }, request_id: c.get('requestId') }, status);
}
