import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { admission, boundedBody, type FoundCaller } from '../../kit/admission.ts';
import { honoPath } from '../../kit/api.ts';
import type { SecretCipher } from '../../kit/secret-cipher.ts';
import { grantAccess } from '../../shared/http/access.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ExtraWrites } from '../extra-writes.ts';
import type { RunOnce, SavedResponse } from '../idempotency-store.ts';
import { type Caller, checkScope } from '../key/authenticate.ts';
import type { SessionOwner } from '../session/session-store.ts';
import { type ApiRequest, type Env, refusals, toRequest } from './app.ts';
import { addFault, type RawBody, readBody, readCall, readIdempotencyKey, type ServiceCall } from './call.ts';
import { type ApiError, type ApiResponse, fullResponse, isApiError } from './response.ts';

export type MerchantCall<Params, Query, Body, Found = undefined> = ServiceCall<Params, Query, Body> & {
  caller: Caller;
  savedResponse: SavedResponse;
  /** The rows that `authorize` has found. */
  found: Found;
};

export type AdminCall<Params, Query, Body> = ServiceCall<Params, Query, Body> & {
  /**
   * Carries an action out whose result is shown by `respond`. The writes that `run` gets belong in the batch of its effect: the audit row,
   * and the saved response. For a handler that does not call this, the router writes them afterwards.
   */
  act<Result>(
    respond: (result: Result) => ApiResponse,
    run: (extraWrites: ExtraWrites<NoInfer<Result>>) => Promise<NoInfer<Result> | ApiError>,
  ): Outcome;
};

/** Checks of a merchant's call that run before its fields are validated. */
export type MerchantChecks<Body, Found extends { kind: string } | undefined = undefined> = {
  /** Returns an error, or what the handler needs of the rows that it has read. */
  authorize?(
    caller: Caller,
    raw: RawBody,
    params: Record<string, string>,
  ): Promise<ApiError | Found> | ApiError | Found;
  /** Selects the schema of the body, if the operation has several. */
  schemaFor?(raw: RawBody): z.ZodType<Body>;
  /** True when the call is rejected without an `Idempotency-Key`. */
  requiresIdempotencyKey?(raw: RawBody): boolean;
};

/** Finds the merchant of a key, and limits the calls of each key. */
export type MerchantAdmission = {
  authenticate(header: string | undefined): Promise<FoundCaller<Caller, ApiError>>;
  limit(caller: Caller): ApiError | undefined;
};

export type RouterDeps = {
  admission: MerchantAdmission;
  once: RunOnce;
  /** Encrypts saved responses that contain a secret. */
  cipher: SecretCipher;
  /** Returns the audit row of an action. */
  audit(action: string, subject: string, requestId: string): Write;
  apply(batch: readonly Write[]): Promise<boolean>;
};

type Outcome = Promise<ApiResponse | ApiError>;

export type MerchantRoute = {
  method: string;
  path: string;
  /** Answers a request that is admitted. */
  serve(caller: Caller, request: ApiRequest): Promise<(ApiResponse & { replayed?: boolean }) | ApiError>;
};

export type Router = ReturnType<typeof createRouter>;

/** The owner of the idempotency keys of the admin API; no merchant has this id. */
const adminOwner: SessionOwner = { merchantId: 'backoffice', livemode: 0 };

/** Creates the router. All merchant operations check in this order: scope, body, fields, idempotency key. Then the handler runs once. */
export function createRouter(app: Hono<Env>, deps: RouterDeps) {
  const merchantRoutes: MerchantRoute[] = [];
  const admitMerchant = admission<Env, Caller, ApiError>({
    ...refusals,
    authenticate: (c) => deps.admission.authenticate(c.req.header('authorization')),
    limit: deps.admission.limit,
  });
  const limitBody = boundedBody<Env>(refusals);
  const admitted: MiddlewareHandler<Env> = (_, next) => next();

  function register<P, Q, B>(
    operation: ServiceOperation<P, Q, B>,
    admit: MiddlewareHandler<Env>,
    handle: (
      request: ApiRequest,
      c: Context<Env>,
    ) => Promise<(ApiResponse & { replayed?: boolean }) | ApiError>,
  ): void {
    app.on(operation.method, honoPath(operation.path), admit, async (c) => {
      const { status, headers, body } = fullResponse(await handle(toRequest(c), c), c.get('requestId'));
      return new Response(body, { status, headers });
    });
  }

  return {
    /** The operations for merchants, in the order of their registration. */
    merchantRoutes: merchantRoutes as readonly MerchantRoute[],

    /** Registers an operation for merchants. */
    merchant<P, Q, B, Found extends { kind: string } | undefined = undefined>(
      operation: ServiceOperation<P, Q, B>,
      handler: (call: MerchantCall<P, Q, B, Found>) => Outcome,
      checks: MerchantChecks<B, Found> = {},
    ): void {
      const serve: MerchantRoute['serve'] = async (caller, request) => {
        const missingScope = operation.scope && checkScope(caller, operation.scope);
        if (missingScope) return missingScope;
        const raw = await readBody(request, operation);
        if (isApiError(raw)) return raw;
        const found = await checks.authorize?.(caller, raw.value, request.params);
        if (isApiError(found)) return found;
        const call = readCall(request, operation, raw.value, checks.schemaFor?.(raw.value));
        const required = checks.requiresIdempotencyKey?.(raw.value) ?? false;
        const keyed = operation.idempotency ? readIdempotencyKey(request, raw.value, required) : undefined;
        if (isApiError(call)) return isApiError(keyed) ? addFault(call, keyed) : call;
        if (isApiError(keyed)) return keyed;
        return deps.once(caller, { keyed, requestId: call.requestId }, (savedResponse) =>
          handler({ ...call, caller, savedResponse, found: found as Found }),
        );
      };
      merchantRoutes.push({ method: operation.method.toUpperCase(), path: operation.path, serve });
      register(operation, admitMerchant, (request, c) => serve(c.get('caller'), request));
    },

    /** Registers an operation of the admin API. The app admits requests with the admin token alone. */
    admin<P, Q, B>(
      operation: ServiceOperation<P, Q, B>,
      handler: (call: AdminCall<P, Q, B>) => Outcome,
    ): void {
      register(operation, admitted, async (request) => {
        const raw = await readBody(request, operation);
        if (isApiError(raw)) return raw;
        const call = readCall(request, operation, raw.value);
        if (isApiError(call)) return call;
        const keyed = operation.idempotency ? readIdempotencyKey(request, raw.value) : undefined;
        if (isApiError(keyed)) return keyed;
        const cipher = operation.secretResponse ? { cipher: deps.cipher } : {};
        return deps.once(
          adminOwner,
          { keyed, requestId: call.requestId, ...cipher },
          async (savedResponse) => {
            let written = false;
            const extraWrites = (response: ApiResponse) => {
              written = true;
              const subject = auditSubject(operation, call, response);
              return [deps.audit(operation.id, subject, call.requestId), ...savedResponse.save(response)];
            };
            const outcome = await handler({
              ...call,
              async act(respond, run) {
                const done = await run((result) => extraWrites(respond(result)));
                return isApiError(done) ? done : respond(done);
              },
            });
            if (outcome.kind === 'response' && operation.method !== 'get' && !written) {
              await deps.apply(extraWrites(outcome));
            }
            return outcome;
          },
        );
      });
    },

    /** Registers an operation that needs no key. */
    open<P, Q, B>(
      operation: ServiceOperation<P, Q, B>,
      handler: (call: ServiceCall<P, Q, B>) => Outcome,
    ): void {
      register(operation, limitBody, async (request, { env }) => {
        grantAccess(env);
        const raw = await readBody(request, operation);
        if (isApiError(raw)) return raw;
        const call = readCall(request, operation, raw.value);
        return isApiError(call) ? call : handler(call);
      });
    },
  };
}

/** The subject of an audit row: the identifiers in the path, then what the operation names or the response's `id`. */
function auditSubject<P, Q, B>(
  operation: ServiceOperation<P, Q, B>,
  { params, body }: ServiceCall<P, Q, B>,
  response: ApiResponse,
): string {
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => Object(params)[String(name)]);
  const responseBody = JSON.parse(response.body);
  const further = operation.auditSubject?.(body, responseBody) ?? [responseBody.id];
  return [...new Set([...inPath, ...further])].filter((part) => part !== undefined).join('/');
}
