import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import { grantAccess } from '../shared/http/access.ts';
import { wholeBody } from '../shared/http/body.ts';
import { type Failure, failureResponse, type Statuses } from './failure.ts';

/** The outcome of a call: a value, which is sent as JSON, or why there is none. */
export type Answer<Code extends string> = { ok: true; value: unknown } | ({ ok: false } & Failure<Code>);

export type ApiEnv<Caller> = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables & { caller: Caller };
};

type ApiContext<Caller> = Context<ApiEnv<Caller>>;

/** The codes that every API has. */
type CommonCode = 'body_too_large' | 'too_many_requests';

/** Who may call an API, and within which bounds. */
export type ApiRules<Caller, Code extends string> = {
  /** The path above all routes. */
  path: string;
  statuses: Statuses<Code | CommonCode>;
  /** The `WWW-Authenticate` header of a 401. */
  challenge: string;
  maxBodyBytes: number;
  /** Finds out who sends a request. */
  authenticate(
    c: ApiContext<Caller>,
  ): Promise<{ ok: true; caller: Caller } | ({ ok: false } & Failure<Code>)>;
  /** True when the proof of the caller is of the body, and can be checked only when it has arrived. */
  isProvenByBody?(c: ApiContext<Caller>): boolean;
  /** Takes a call from the budget of the caller. Returns the seconds to wait when it is used up. */
  limit(caller: Caller): number | undefined;
};

/** Adds a route. `path` has `{name}` for each parameter. */
type AddRoute<Caller, Code extends string> = (
  method: string,
  path: string,
  handle: (c: ApiContext<Caller>) => Promise<Answer<Code>>,
) => void;

export type Api<Caller, Code extends string> = {
  app: Hono<ApiEnv<Caller>>;
  /** Sends an answer, with the headers that its status needs. */
  reply(c: ApiContext<Caller>, answer: Answer<Code | CommonCode>): Response;
  /** Adds a route for callers. */
  add: AddRoute<Caller, Code>;
};

/** The part of an API that needs no caller. The bodies of its routes are bounded too. */
export type OpenPart<Caller, Code extends string> = Pick<Api<Caller, Code>, 'app' | 'add'>;

/**
 * Creates a JSON API. Each request of a caller passes in this order: the caller, so that a stranger holds no body; the bound of
 * the body; the whole body; the caller again; the budget of the caller; the route. So does one to a path that does not exist.
 *
 * @param addOpenRoutes adds the routes that need no caller.
 */
export function createApi<Caller extends object, Code extends string>(
  rules: ApiRules<Caller, Code>,
  addOpenRoutes: (open: OpenPart<Caller, Code>) => void,
): Api<Caller, Code> {
  const { maxBodyBytes, authenticate, isProvenByBody = () => false, limit } = rules;
  const app = new Hono<ApiEnv<Caller>>().basePath(rules.path);

  const reply: Api<Caller, Code>['reply'] = (c, answer) => {
    if (answer.ok) return c.json(answer.value);
    const { status, headers, body } = failureResponse(rules, answer, c.get('requestId'));
    return c.body(body, status, headers);
  };

  const limitBody = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c: ApiContext<Caller>) =>
      reply(c, { ok: false, code: 'body_too_large', message: `expected at most ${maxBodyBytes} bytes` }),
  });

  addOpenRoutes({
    app,
    add: (method, path, handle) =>
      app.on(method, honoPath(path), limitBody, async (c) => reply(c, await handle(c))),
  });
  const refuseStranger: MiddlewareHandler<ApiEnv<Caller>> = async (c, next) => {
    if (c.req.method === 'GET' || isProvenByBody(c)) return next();
    const found = await authenticate(c);
    return found.ok ? next() : reply(c, found);
  };
  app.use(refuseStranger, limitBody, wholeBody, async (c, next) => {
    // Again: the access may have ended while the body was held back.
    const found = await authenticate(c);
    if (!found.ok) return reply(c, found);
    grantAccess(c.env);
    c.set('caller', found.caller);
    const retryAfterSeconds = limit(found.caller);
    if (retryAfterSeconds === undefined) return next();
    const message = `try again after ${retryAfterSeconds} seconds`;
    return reply(c, { ok: false, code: 'too_many_requests', message, retryAfterSeconds });
  });

  return {
    app,
    reply,
    add: (method, path, handle) => app.on(method, honoPath(path), async (c) => reply(c, await handle(c))),
  };
}

/** Returns a path with `{name}` for each parameter as Hono writes it. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
