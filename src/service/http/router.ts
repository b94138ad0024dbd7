import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import { callerOf } from '../../shared/http/caller.ts';
import type { RateLimit } from '../../shared/limits/rate-limit.ts';
import type { SlidingWindow, SlidingWindowOptions } from '../../shared/limits/sliding-window.ts';
import type { Log } from '../../shared/log.ts';
import type { Write } from '../../sqlite/store.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { AnswerCipher, IdempotencyKey, RunOnce, SavedResponse } from '../idempotency/run-once.ts';
import { fingerprint } from '../idempotency/run-once.ts';
import { type Caller, checkScope } from '../key/authenticate.ts';
import type { Owner } from '../session/session-store.ts';
import type { Env } from './app.ts';
import { bearerToken, sameDigest, sha256 } from './bearer.ts';
import { nameOf, type RawBody, readFields, readJson } from './body.ts';
import { describe } from './describe-operation.ts';
import type { Operation } from './operation.ts';
import { type ApiResponse, toErrorResponse, toResponse } from './response.ts';

/** A call that passed its checks. */
export type Call<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
};

export type MerchantCall<Params, Query, Body> = Call<Params, Query, Body> & {
  caller: Caller;
  savedResponse: SavedResponse;
};

export type AdminCall<Params, Query, Body> = Call<Params, Query, Body> & {
  /**
   * The writes that belong into the batch with the action's effect: its row of the audit, and the answer kept under
   * the idempotency key. Work that has no batch of its own leaves this alone; they are then written after it.
   */
  extraWrites(done: ApiResponse): Write[];
};

/** What a merchant's call must pass before its fields are looked at. */
export type MerchantChecks<Body> = {
  authorize?(
    caller: Caller,
    raw: RawBody,
    params: Record<string, string>,
  ): Promise<ApiError | undefined> | ApiError | undefined;
  /** The shape of this body, where the operation has several. */
  schemaFor?(raw: RawBody): z.ZodType<Body>;
  /** Whether this call is refused without an `Idempotency-Key`. */
  requiresIdempotencyKey?(raw: RawBody): boolean;
};

/**
 * Wrong admin tokens that one address may send. After that the right token is rejected too: otherwise an attacker could
 * continue to guess, only more slowly.
 */
export const adminFailureLimit: SlidingWindowOptions = { limit: 10, windowMs: 60_000, maxKeys: 20_000 };

export type Router = ReturnType<typeof createRouter>;

const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** The back office keeps its idempotency keys apart from every merchant's. */
const backOffice: Owner = { merchantId: 'backoffice', livemode: 0 };

/**
 * Serves operations and enters each into the app's OpenAPI registry. The order of the checks is the same for all:
 * who calls, how often, what for, the body's form, its fields, its idempotency key; then the work, once.
 */
export function createRouter(
  app: OpenAPIHono<Env>,
  deps: {
    authenticate(header: string | undefined): Promise<Caller | ApiError>;
    /** By key. */
    callLimit: RateLimit;
    once: RunOnce;
    adminToken: string;
    /** Wrong admin tokens, by the address that they came from. */
    adminFailures: SlidingWindow;
    /** The clock of the machine, also in a sandbox. */
    wallClock: Pick<Clock, 'now'>;
    log: Log;
    /** For kept answers that hold a secret. */
    cipher: AnswerCipher;
    /** The row that says what was done in the back office. */
    audit(action: string, subject: string, requestId: string): Write;
    apply(batch: readonly Write[]): Promise<boolean>;
  },
) {
  const adminDigest = sha256(deps.adminToken);

  // Whoever has no token learns nothing, not even which addresses there are.
  app.use('/backoffice/*', async (c, next) => {
    const requestId = c.get('requestId');
    const { incoming }: Partial<HttpBindings> = c.env ?? {};
    // Only a call within this process comes from no address.
    const caller = callerOf(incoming, undefined, { has: () => false });
    const waitMs = caller === undefined ? 0 : deps.adminFailures.waitMs(caller, deps.wallClock.now());
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      return toErrorResponse(apiError('too_many_guesses', { retryAfterSeconds }), requestId);
    }
    const token = bearerToken(c.req.header('authorization'));
    if (token !== undefined && sameDigest(sha256(token), adminDigest)) return next();
    if (caller !== undefined) deps.adminFailures.record(caller, deps.wallClock.now());
    deps.log.warn({ request: requestId, caller }, 'the back office was asked with a wrong admin token');
    return toErrorResponse(apiError('invalid_admin_token'), requestId);
  });

  function mount<P, Q, B>(
    one: Operation<P, Q, B>,
    run: (c: Context<Env>) => Promise<(ApiResponse & { replayed?: boolean }) | ApiError>,
  ): void {
    app.openAPIRegistry.registerPath(describe(one as unknown as Operation<never, never, never>));
    app.on(one.method, one.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const outcome = await run(c);
      if (isApiError(outcome)) return toErrorResponse(outcome, c.get('requestId'));
      return toResponse(outcome, outcome.replayed ? { 'idempotent-replayed': 'true' } : {});
    });
  }

  function readInputs<P, Q, B>(
    c: Context<Env>,
    one: Operation<P, Q, B>,
    raw: RawBody,
    shape: z.ZodType<B> | undefined,
  ): (Call<P, Q, B> & { kind: 'call' }) | ApiError {
    const query = one.query ? readQuery(c, one.query, one.fieldErrors) : undefined;
    if (isApiError(query)) return query;
    const body = shape ? readFields(raw, shape, one.fieldErrors) : undefined;
    if (isApiError(body)) return body;
    return {
      kind: 'call',
      params: c.req.param() as P,
      query: query?.fields as Q,
      body: body?.fields as B,
      requestId: c.get('requestId'),
    };
  }

  async function readBody<P, Q, B>(c: Context<Env>, one: Operation<P, Q, B>) {
    return one.body ? readJson(c.req.raw) : ({ kind: 'json', value: {} } as const);
  }

  return {
    merchant<P, Q, B>(
      one: Operation<P, Q, B>,
      work: (call: MerchantCall<P, Q, B>) => Promise<ApiResponse | ApiError>,
      checks: MerchantChecks<B> = {},
    ): void {
      mount(one, async (c) => {
        const caller = await deps.authenticate(c.req.header('authorization'));
        if (isApiError(caller)) return caller;
        const wait = deps.callLimit(caller.keyId);
        if (wait !== undefined) return apiError('too_many_requests', { retryAfterSeconds: wait });
        const unable = one.scope && checkScope(caller, one.scope);
        if (unable) return unable;
        const raw = await readBody(c, one);
        if (isApiError(raw)) return raw;
        const refused = await checks.authorize?.(caller, raw.value, c.req.param());
        if (refused) return refused;
        const call = readInputs(c, one, raw.value, checks.schemaFor?.(raw.value) ?? one.body);
        if (isApiError(call)) return call;
        const keyed = one.idempotency ? readKey(c, raw.value) : undefined;
        if (isApiError(keyed)) return keyed;
        if (!keyed && checks.requiresIdempotencyKey?.(raw.value)) {
          return apiError('idempotency_key_required', { param: 'Idempotency-Key' });
        }
        return deps.once(caller, { keyed, requestId: call.requestId }, (savedResponse) =>
          work({ ...call, caller, savedResponse }),
        );
      });
    },

    admin<P, Q, B>(
      one: Operation<P, Q, B>,
      work: (call: AdminCall<P, Q, B>) => Promise<ApiResponse | ApiError>,
    ): void {
      mount(one, async (c) => {
        const raw = await readBody(c, one);
        if (isApiError(raw)) return raw;
        const call = readInputs(c, one, raw.value, one.body);
        if (isApiError(call)) return call;
        const keyed = one.idempotency ? readKey(c, raw.value) : undefined;
        if (isApiError(keyed)) return keyed;
        const request = {
          keyed,
          requestId: call.requestId,
          ...(one.secretResponse ? { cipher: deps.cipher } : {}),
        };
        return deps.once(backOffice, request, async (savedResponse) => {
          let written = false;
          const extraWrites = (done: ApiResponse) => {
            written = true;
            return [
              deps.audit(one.id, subjectOf(one, call, done), call.requestId),
              ...savedResponse.save(done),
            ];
          };
          const done = await work({ ...call, extraWrites });
          if (done.kind === 'response' && one.method !== 'get' && !written)
            await deps.apply(extraWrites(done));
          return done;
        });
      });
    },

    open<P, Q, B>(
      one: Operation<P, Q, B>,
      work: (call: Call<P, Q, B>) => Promise<ApiResponse | ApiError>,
    ): void {
      mount(one, async (c) => {
        const raw = await readBody(c, one);
        if (isApiError(raw)) return raw;
        const call = readInputs(c, one, raw.value, one.body);
        return isApiError(call) ? call : work(call);
      });
    },
  };
}

/** Of a parameter that is sent twice, nobody can say which one is meant. */
function readQuery<Q>(
  c: Context<Env>,
  shape: z.ZodType<Q>,
  codes: Operation<never, never, never>['fieldErrors'],
) {
  const values = new Map<string, string>();
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (values.has(name)) return apiError('invalid_field', { param: nameOf([name]) });
    values.set(name, value);
  }
  return readFields(Object.fromEntries(values), shape, codes);
}

function readKey(
  c: Context<Env>,
  body: RawBody,
): (IdempotencyKey & { kind: 'keyed' }) | ApiError | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) return apiError('invalid_idempotency_key', { param: 'Idempotency-Key' });
  return { kind: 'keyed', key, fingerprint: fingerprint(c.req.method, c.req.path, body) };
}

/** What an action was done to: the identifiers in its path, and what it made or else concerned. */
function subjectOf<P, Q, B>(
  one: Operation<P, Q, B>,
  { params, body }: Call<P, Q, B>,
  done: ApiResponse,
): string {
  const named = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => Object(params)[String(name)]);
  const answered = JSON.parse(done.body);
  const more = one.auditSubject?.(body, answered) ?? [answered.id];
  return [...new Set([...named, ...more])].filter((part) => part !== undefined).join('/');
}
