import type { Hono } from 'hono';
import { z } from 'zod';
import { type MerchantScope, merchantApiPath } from '../../contract/merchant/merchant-api.ts';
import type { FoundCaller } from '../../kit/admission.ts';
import { type ApiCall, type ApiEnv, createApi, type Failure } from '../../kit/api.ts';
import { fingerprint, idempotencyKeyPattern } from '../../kit/idempotency.ts';
import { guidePage, guidePolicy } from '../../kit/openapi/page.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { publicAccess } from '../../shared/http/access.ts';
import { createRateLimit } from '../../shared/limits/per-key.ts';
import type { Log } from '../../shared/log.ts';
import { once } from '../../shared/once.ts';
import { prepare, sendPrepared } from '../../shared/pages/assets.ts';
import { type Reader, ReadFault, type ReadFaultKind } from '../reading/reads.ts';
import {
  digestOfKey,
  hasScope,
  listScopes,
  type MerchantKey,
  type MerchantKeyStore,
  merchantKeyWrites,
} from '../staff/merchant-key-store.ts';
import {
  type MerchantAnswer,
  type MerchantApiCall,
  type MerchantApiRoute,
  type MerchantErrorCode,
  type MerchantFailure,
  merchantErrors,
  type ReadContext,
  type ReadRoute,
  type RouteDeps,
} from './define-route.ts';
import { readSettledFact } from './event-query.ts';
import { merchantDocument } from './openapi.ts';
import { type OnceDeps, runOnce } from './request-store.ts';
import { merchantApiRoutes, type readMerchantRoute } from './routes.ts';

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

/** Calls with all keys of one merchant. */
const callRate = { burst: 60, perMinute: 600 };

/** The precision of the time at which a key was used last. */
const usedWithinMs = 60_000;

const maxKeyLength = 128;
const maxBodyBytes = 16 * 1024;

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
} as const satisfies Record<ReadFaultKind, Failure<MerchantErrorCode>>;

/** Serves merchants' own systems under `/merchant/v1`. Each request carries a key as a bearer token. */
export function merchantApiRoute(deps: MerchantApiDeps): Hono<Env> {
  const limit = createRateLimit(callRate, deps.clock);
  const recordUse = useRecorder(deps);
  const api = createApi<MerchantKey, MerchantErrorCode, MerchantScope>(
    {
      ...{ path: merchantApiPath, statuses: merchantErrors, challenge: 'Bearer', maxBodyBytes },
      authenticate: (c) => findKey(deps, c.req.header('authorization')),
      refuse: (key, scope) =>
        hasScope(key, scope)
          ? undefined
          : { code: 'scope_required', message: `the key needs the scope ${scope}` },
      limit({ id, merchantId }) {
        const waitSeconds = limit(merchantId);
        if (waitSeconds === undefined) recordUse(id);
        return waitSeconds;
      },
    },
    ({ app }) => {
      app.get('/openapi.json', publicAccess(), (c) => sendPrepared(c, openapi()));
      app.get('/docs', publicAccess(), async (c) => {
        c.header('content-security-policy', guidePolicy);
        return sendPrepared(c, await page());
      });
    },
  );
  for (const route of merchantApiRoutes) {
    api.add({ ...route, query: route.query ?? noQuery }, async (request) => {
      const call = toCall(route, request);
      if ('ok' in call) return call;
      const answer = await run(deps, route, call);
      if ('run' in route) logChange(deps, route, call, { answer, request: request.c.get('requestId') });
      return answer;
    });
  }
  return api.app;
}

type Env = ApiEnv<MerchantKey>;

type Call = MerchantApiCall<unknown, unknown> & { idempotencyKey: string | undefined; digest: string };

const noQuery = z.strictObject({});

/** Returns the call that a request is, or the failure of one without the idempotency key that it needs. */
function toCall(
  { name }: MerchantApiRoute,
  { c, caller: key, id, query, body, sent }: ApiCall<MerchantKey>,
): Call | MerchantFailure {
  const idempotencyKey = c.req.header('idempotency-key');
  if (name.startsWith('POST') && !idempotencyKeyPattern.test(idempotencyKey ?? '')) {
    const message = 'expected the header Idempotency-Key, of 1 to 255 printable characters, such as a UUID';
    return { ok: false, code: 'idempotency_key_required', message };
  }
  const { merchantId, livemode } = key;
  return {
    owner: { merchantId, livemode },
    actor: { kind: 'key', name: key.id, merchantId, scopes: listScopes(key) },
    wholePayer: hasScope(key, 'payers:read'),
    seesScreens: hasScope(key, 'screens:read'),
    ...{ id, query, body, idempotencyKey },
    digest: fingerprint(c.req.method, c.req.path, sent),
  };
}

async function run(
  deps: MerchantApiDeps,
  route: MerchantApiRoute,
  { idempotencyKey, digest, ...call }: Call,
): Promise<MerchantAnswer> {
  if ('read' in route) return read(deps, route, call);
  const change = () => route.run(deps, call);
  if (!route.name.startsWith('POST') || idempotencyKey === undefined) return change();
  const request = { keyId: call.actor.name, idempotencyKey, digest, isSecret: route.isSecret === true };
  return runOnce(deps.once, request, change);
}

/** Reads in the turns of the key. The answer has everything that was written before the request. */
async function read(
  { reader, store, operations, livemode, clock, log }: MerchantApiDeps,
  { operationId, readsFacts }: ReadRoute,
  call: MerchantApiCall<unknown, unknown>,
): Promise<MerchantAnswer> {
  const context: ReadContext = {
    ...{ livemode, now: clock.now(), hasNotifications: operations.notifications !== undefined },
    channelIds: operations.channelIds(call.owner.merchantId),
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
  { operationId }: MerchantApiRoute,
  { actor, owner }: Call,
  { answer, request }: { answer: MerchantAnswer; request: string },
): void {
  const result = answer.ok ? 'done' : answer.code;
  log.info(
    { request, key: actor.name, merchant: owner.merchantId, operation: operationId, result },
    'merchant',
  );
}

/** Returns a function that records the use of a key in the background: a lost time does not matter. */
function useRecorder({ keys, clock, log }: MerchantApiDeps): (id: string) => void {
  const usedAt = new Map<string, EpochMs>();
  return (id) => {
    const now = clock.now();
    if (now - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < usedWithinMs) return;
    usedAt.set(id, now);
    keys
      .apply([merchantKeyWrites.touch({ id, now })])
      .catch((fault) =>
        log.warn({ key: id, fault: errorMessage(fault) }, 'the use of a key was not recorded'),
      );
  };
}

async function findKey(
  { keys, livemode, hasMerchant }: MerchantApiDeps,
  authorization: string | undefined,
): Promise<FoundCaller<MerchantKey, Failure<MerchantErrorCode>>> {
  const given = /^Bearer +(dk_(?:test|live)_\S+)$/i.exec(authorization ?? '')?.[1];
  const isPossible = given !== undefined && given.length <= maxKeyLength;
  const key = isPossible ? await keys.findByDigest(digestOfKey(given)) : undefined;
  const isValid = key && key.revokedAt === null && key.livemode === livemode && hasMerchant(key.merchantId);
  if (isValid) return { caller: key };
  const message = 'expected a key of this merchant as a bearer token';
  return { refused: { code: 'invalid_api_key', message } };
}
