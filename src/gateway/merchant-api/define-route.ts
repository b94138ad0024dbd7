import type { z } from 'zod';
import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import type { ApiAnswer, ErrorTable } from '../../kit/api.ts';
import type { RouteDefinition } from '../../kit/define-route.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { KeyHolder } from '../access/permissions.ts';
import type { EndpointReadDeps, StaffAnswer, StaffDeps } from '../staff/operation.ts';
import type { Owner } from './payment-query.ts';

/** Each error code of the merchant API: its status, its meaning, and after how many seconds to call again. */
export const merchantErrors = {
  invalid_request: { status: 400, message: 'The request is not valid. The message names the field.' },
  idempotency_key_required: { status: 400, message: 'This call needs the header `Idempotency-Key`.' },
  invalid_api_key: { status: 401, message: 'The key is missing, wrong or revoked.' },
  scope_required: { status: 403, message: 'The key does not have the scope.' },
  not_found: { status: 404, message: 'The merchant has no such object.' },
  conflict: { status: 409, message: 'The state of the object does not allow it.' },
  in_progress: {
    status: 409,
    message: 'The same request is being carried out, or was interrupted. Read whether it was done.',
  },
  body_too_large: { status: 413, message: 'The body is too long.' },
  idempotency_key_reused: {
    status: 422,
    message: 'The `Idempotency-Key` belongs to another request. Choose a new one.',
  },
  too_many_requests: { status: 429, message: 'Too many requests.', retryAfterSeconds: 1 },
  too_many_actions: {
    status: 429,
    message: 'The key has changed as much as one key can in 24 hours. Continue tomorrow.',
  },
  too_early: {
    status: 429,
    message: 'The payment service was just asked. The message says when to check again.',
    retryAfterSeconds: 10,
  },
  busy: {
    status: 503,
    message: 'Too many reads of all merchants and people wait, or the gateway is restarting.',
    retryAfterSeconds: 5,
  },
  too_slow: { status: 504, message: 'The read took too long. A smaller one succeeds.' },
} as const satisfies ErrorTable;

export type MerchantErrorCode = keyof typeof merchantErrors;

/** The dependencies of routes that change something: the ledger, and the operations of support staff, which also merchants' systems call. */
export type RouteDeps = { store: Store; operations: StaffDeps };

/** The dependencies of routes that read. They run where the reader runs. */
type ReadDeps = EndpointReadDeps & {
  store: Store;
  settledFact: number | null;
  channelIds: readonly string[];
};

/** The plain data that a read needs besides the database. */
export type ReadContext = {
  livemode: 0 | 1;
  now: EpochMs;
  hasNotifications: boolean;
  /** The channels of the merchant in the configuration. */
  channelIds: readonly string[];
  /**
   * For `readsFacts`: the newest fact when every batch before it was visible or gone. Null when a batch lasts too long, and for other
   * reads.
   */
  settledFact: number | null;
};

/** One call: whose payments it may see, the id in the path, and whether it may see whole numbers and screens. */
export type MerchantApiCall<Query, Body> = {
  owner: Owner;
  id: string;
  actor: KeyHolder;
  wholePayer: boolean;
  seesScreens: boolean;
  query: Query;
  body: Body;
};

export type MerchantAnswer = ApiAnswer<MerchantErrorCode>;
export type MerchantFailure = Extract<MerchantAnswer, { ok: false }>;

/** The common part of all routes, from which they are served and documented. */
type Description<Query, Body> = RouteDefinition<MerchantScope, Query, Body> & {
  operationId: string;
  summary: string;
  tag: 'payments' | 'endpoints' | 'blocks';
  answer: z.ZodType;
};

/** A route that changes nothing. Its call, its context and its answer are plain data, because they cross a thread. */
export type ReadRoute<Query = unknown> = Omit<Description<Query, undefined>, 'query' | 'body'> & {
  query?: (z.ZodObject & z.ZodType<Query>) | undefined;
  body?: undefined;
  /** The read goes through the facts in their order, and must miss none that is still being written. */
  readsFacts?: true;
  read(deps: ReadDeps, call: MerchantApiCall<Query, unknown>): Promise<MerchantAnswer>;
};

type ChangeRoute<Body = unknown> = Omit<Description<unknown, Body>, 'query' | 'body'> & {
  query?: undefined;
  /** The body of a POST or a PATCH. */
  body?: z.ZodType<Body> | undefined;
  /** True when the answer has a secret, which the database must not contain as it is. */
  isSecret?: true;
  run(deps: RouteDeps, call: MerchantApiCall<unknown, Body>): Promise<MerchantAnswer>;
};

export type MerchantApiRoute = ReadRoute | ChangeRoute;

/** Declares a route. The call infers the types of the query and the body. */
export function defineMerchantRoute<Query>(route: ReadRoute<Query>): ReadRoute<Query>;
export function defineMerchantRoute<Body>(route: ChangeRoute<Body>): ChangeRoute<Body>;
export function defineMerchantRoute(route: MerchantApiRoute): MerchantApiRoute {
  return route;
}

/** Returns the answer to something that does not exist, or belongs to another merchant: both look the same. */
export function notFoundAnswer(what: string, id: string): MerchantAnswer {
  return { ok: false, code: 'not_found', message: `no ${what} ${id}` };
}

export const unknownCursor: MerchantAnswer = {
  ok: false,
  code: 'invalid_request',
  message: 'after: expected "next" of the previous page',
};

/**
 * Returns the answer of an operation, in the form of the API.
 *
 * @param unknown the answer when the operation finds nothing, in the words of the API.
 */
export function answerWith<Value>(
  answer: StaffAnswer<Value>,
  view: (value: Value) => object,
  unknown?: MerchantAnswer,
): MerchantAnswer {
  if (answer.ok) return { ok: true, value: view(answer.value) };
  if (answer.code === 'not_found' && unknown) return unknown;
  const { code, message } = answer;
  // The key was revoked meanwhile: the system does what it does for each later answer.
  if (code === 'access_ended')
    return {
      ok: false,
      code: 'invalid_api_key',
      message: 'the key was revoked meanwhile, and nothing was done',
    };
  // A key confirms nothing, and has scopes in place of a role.
  const isScope = code === 'forbidden' || code === 'confirmation_required';
  return { ok: false, code: isScope ? 'scope_required' : code, message };
}
