import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorBody } from '../contract/error.ts';
import { type AdmissionRules, admission, boundedBody } from './admission.ts';
import {
  type RouteDefinition,
  type RouteInput,
  type Surface,
  serveRoute,
  splitName,
} from './define-route.ts';

/** The outcome of a call: a value, which is sent as JSON, or why there is none. */
export type ApiAnswer<Code extends string> = { ok: true; value: unknown } | ({ ok: false } & Failure<Code>);

export type ApiEnv<Caller> = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables & { caller: Caller };
};

type ApiContext<Caller> = Context<ApiEnv<Caller>>;

/** The codes that every API has. */
type CommonCode = 'body_too_large' | 'invalid_request' | 'too_many_requests';

/** The callers of an API, and its bounds. `Needs`: the right that its routes require. */
type ApiRules<Caller, Code extends string, Needs> = Pick<
  AdmissionRules<ApiEnv<Caller>, Caller, Failure<Code>>,
  'maxBodyBytes' | 'files' | 'authenticate' | 'isProvenByBody'
> & {
  /** The path above all routes. */
  path: string;
  statuses: Statuses<Code | CommonCode>;
  /** The `WWW-Authenticate` header of a 401. */
  challenge: string;
  /** Takes a call from the budget of the caller. Returns the seconds to wait when it is used up. */
  limit(caller: Caller): number | undefined;
  /** Returns why a caller may not use a route; undefined for one who may. */
  refuse(caller: Caller, needs: Needs): Failure<Code> | undefined;
  /** True when a JSON body must be sent as such, so that a form of another site is refused. */
  needsJsonType?: boolean;
};

/** One request of a route: its context, who sends it, and its content. */
export type ApiCall<Caller, Query = unknown, Body = unknown> = RouteInput<Query, Body> & {
  c: ApiContext<Caller>;
  caller: Caller;
};

export type Api<Caller, Code extends string, Needs> = {
  app: Hono<ApiEnv<Caller>>;
  /** Sends an answer, with the headers that its status needs. */
  reply(c: ApiContext<Caller>, answer: ApiAnswer<Code | CommonCode>): Response;
  /** Adds a route for callers. */
  add<Query, Body>(
    route: RouteDefinition<Needs, Query, Body>,
    handle: (call: ApiCall<Caller, Query, Body>) => Promise<ApiAnswer<Code>>,
  ): void;
  /** Adds a route that needs no caller. Its body is bounded too. */
  addOpen<Query, Body>(
    route: Omit<RouteDefinition<undefined, Query, Body>, 'needs'>,
    handle: (call: Omit<ApiCall<Caller, Query, Body>, 'caller'>) => Promise<ApiAnswer<Code>>,
  ): void;
};

/**
 * Creates a JSON API. Each request of a caller is admitted before its route, also one to a path that does not exist.
 *
 * @param addOpenRoutes adds the routes that need no caller.
 */
export function createApi<Caller extends object, Code extends string, Needs>(
  rules: ApiRules<Caller, Code, Needs>,
  addOpenRoutes: (open: Pick<Api<Caller, Code, Needs>, 'app' | 'addOpen'>) => void,
): Api<Caller, Code, Needs> {
  const { maxBodyBytes, limit, needsJsonType = false } = rules;
  const app = new Hono<ApiEnv<Caller>>().basePath(rules.path);

  const reply: Api<Caller, Code, Needs>['reply'] = (c, answer) => {
    if (answer.ok) return c.json(answer.value);
    const { status, headers, body } = failureResponse(rules, answer, c.get('requestId'));
    return c.body(body, status, headers);
  };
  const answerInvalid = (c: ApiContext<Caller>, message: string) =>
    reply(c, { ok: false, code: 'invalid_request', message });

  const admitted: AdmissionRules<ApiEnv<Caller>, Caller, Failure<Code | CommonCode>> = {
    ...rules,
    limit(caller) {
      const retryAfterSeconds = limit(caller);
      if (retryAfterSeconds === undefined) return undefined;
      const message = `try again after ${retryAfterSeconds} seconds`;
      return { code: 'too_many_requests', message, retryAfterSeconds };
    },
    refuse(c, refusal) {
      if (refusal === 'body_incomplete') return c.body(null, 400);
      const max = rules.files?.path.test(c.req.path) ? rules.files.maxBytes : maxBodyBytes;
      const tooLarge = { code: 'body_too_large', message: `expected at most ${max} bytes` } as const;
      return reply(c, { ok: false, ...(refusal === 'body_too_large' ? tooLarge : refusal) });
    },
  };
  const limitBody = boundedBody(admitted);

  const toEveryone: Surface<ApiEnv<Caller>, undefined, undefined> = {
    findCaller: () => undefined,
    refuse: async () => undefined,
    ...{ answerInvalid, needsJsonType },
  };
  const toCallers: Surface<ApiEnv<Caller>, Caller, Needs> = {
    findCaller: (c) => c.get('caller'),
    async refuse(c, caller, { needs }) {
      const refusal = rules.refuse(caller, needs);
      return refusal && reply(c, { ok: false, ...refusal });
    },
    ...{ answerInvalid, needsJsonType },
  };
  const addOpen: Api<Caller, Code, Needs>['addOpen'] = (route, handle) => {
    const [method, path] = splitName(route.name);
    app.on(method, path, limitBody);
    serveRoute(app, toEveryone, { ...route, needs: undefined }, async (c, _, input) =>
      reply(c, await handle({ ...input, c })),
    );
  };
  addOpenRoutes({ app, addOpen });
  app.use(admission(admitted));

  return {
    ...{ app, reply, addOpen },
    add: (route, handle) =>
      serveRoute(app, toCallers, route, async (c, caller, input) =>
        reply(c, await handle({ ...input, c, caller })),
      ),
  };
}

/** Returns a path with `{name}` for each parameter as Hono writes it. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The status of each error code of an API, and after how many seconds the same request may succeed. */
export type Statuses<Code extends string = string> = Readonly<
  Record<Code, { readonly status: ContentfulStatusCode; readonly retryAfterSeconds?: number }>
>;

/** Each error code of an API with its meaning. */
export type ErrorTable<Code extends string = string> = Statuses<Code> &
  Readonly<Record<Code, { readonly message: string }>>;

/** Why a request was not carried out. */
export type Failure<Code extends string = string> = Omit<ErrorBody['error'], 'code'> & {
  readonly code: Code;
  readonly retryAfterSeconds?: number | undefined;
};

/** An answer with its final bytes. */
export type FullResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export const jsonHeaders = { 'content-type': 'application/json' } as const;

/**
 * Returns the answer to a request that was not carried out: its status, the error and the headers that both need.
 *
 * @param challenge the `WWW-Authenticate` header of a 401.
 */
export function failureResponse<Code extends string>(
  { statuses, challenge }: { statuses: Statuses<Code>; challenge: string },
  { code, message, param, faults, retryAfterSeconds }: Failure<Code>,
  requestId: string,
): FullResponse & { status: ContentfulStatusCode } {
  const known: Statuses[string] = statuses[code];
  const seconds = retryAfterSeconds ?? known.retryAfterSeconds;
  const body: ErrorBody = { error: { code, message, param, faults }, request_id: requestId };
  return {
    status: known.status,
    body: JSON.stringify(body),
    headers: {
      ...jsonHeaders,
      ...(known.status === 401 ? { 'www-authenticate': challenge } : {}),
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    },
  };
}
