import type { z } from 'zod';
import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import type { Answer } from '../../kit/api.ts';
import type { RouteDefinition } from '../../kit/define-route.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { KeyHolder } from '../access/actor.ts';
import type { EndpointReadDeps, StaffAnswer, StaffDeps } from '../staff/operation.ts';
import type { MerchantErrorCode } from './errors.ts';
import type { Owner } from './payment-query.ts';

/** The dependencies of routes that change something: the ledger, and the operations of support staff, which also merchants' systems call. */
export type RouteDeps = { store: Store; operations: StaffDeps };

/** The dependencies of routes that read. They run where the reader runs. */
export type ReadDeps = EndpointReadDeps & { store: Store; settledFact: number | null };

/** The plain data that a read needs besides the database. */
export type ReadContext = {
  livemode: 0 | 1;
  now: EpochMs;
  /** The configuration has notifications. */
  hasNotifications: boolean;
  /**
   * For `readsFacts`: the newest fact when every batch before it was visible or gone. Null when a batch lasts too long, and for other
   * reads.
   */
  settledFact: number | null;
};

/** One call: whose payments it may see, the id in the path, and whether it may see whole numbers and screens. */
export type MerchantCall<Query, Body> = {
  owner: Owner;
  id: string;
  actor: KeyHolder;
  wholePayer: boolean;
  seesScreens: boolean;
  query: Query;
  body: Body;
};

export type MerchantAnswer = Answer<MerchantErrorCode>;
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
  read(deps: ReadDeps, call: MerchantCall<Query, unknown>): Promise<MerchantAnswer>;
};

/** A route that changes something. */
export type ChangeRoute<Body = unknown> = Omit<Description<unknown, Body>, 'query' | 'body'> & {
  query?: undefined;
  /** The body of a POST or a PATCH. */
  body?: z.ZodType<Body> | undefined;
  /** True when the answer has a secret, which the database must not contain as it is. */
  isSecret?: true;
  run(deps: RouteDeps, call: MerchantCall<unknown, Body>): Promise<MerchantAnswer>;
};

export type MerchantRoute = ReadRoute | ChangeRoute;

/** Declares a route. The call infers the types of the query and the body. */
export function defineRoute<Query>(route: ReadRoute<Query>): ReadRoute<Query>;
export function defineRoute<Body>(route: ChangeRoute<Body>): ChangeRoute<Body>;
export function defineRoute(route: MerchantRoute): MerchantRoute {
  return route;
}

/** Returns the answer to something that does not exist, or belongs to another merchant: both look the same. */
export function notFound(what: string, id: string): MerchantAnswer {
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
