import type { z } from 'zod';
import type { MerchantScope } from '../../contract/merchant-api.ts';
import type { Store } from '../../sqlite/store.ts';
import type { StaffAnswer, StaffDeps, StaffFailureCode } from '../staff/operation.ts';
import type { Owner } from './payment-query.ts';

/** What the routes use: the ledger, and the operations of support staff, which also merchants' systems call. */
export type RouteDeps = { store: Store; operations: StaffDeps };

/** One call: whose payments it may see, the id in the path, and whether it may see whole numbers and screens. */
export type MerchantCall<Query, Body> = {
  owner: Owner;
  id: string;
  /** The id of the key, which the audit trail names. */
  actor: string;
  wholePayer: boolean;
  seesScreens: boolean;
  query: Query;
  body: Body;
};

export type MerchantAnswer =
  | { ok: true; value: object }
  | { ok: false; code: StaffFailureCode | 'scope_required'; message: string };

/** A route: what is served and what is documented come from the same place. */
export type MerchantRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/merchant/v1`; an id in the path is called `{id}`. */
  path: string;
  operationId: string;
  summary: string;
  tag: 'payments' | 'endpoints' | 'blocks';
  scope: MerchantScope;
  query?: z.ZodObject | undefined;
  /** The body of a POST or a PATCH. */
  body?: z.ZodType | undefined;
  answer: { name: string; schema: z.ZodType };
  /** Whether the answer has a secret, which the database must not contain as it is. */
  isSecret?: true;
  run(deps: RouteDeps, call: MerchantCall<unknown, unknown>): Promise<MerchantAnswer>;
};

/** Creates a route whose `run` gets the validated query and body. */
export function createRoute<Query extends z.ZodObject, Body extends z.ZodType>(
  route: Omit<MerchantRoute, 'query' | 'body' | 'run'> & {
    query?: Query;
    body?: Body;
    run(deps: RouteDeps, call: MerchantCall<z.infer<Query>, z.infer<Body>>): Promise<MerchantAnswer>;
  },
): MerchantRoute {
  const { run, ...rest } = route;
  return {
    ...rest,
    // The caller has validated both with the schemas of this route.
    run: (deps, call) => run(deps, call as MerchantCall<z.infer<Query>, z.infer<Body>>),
  };
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

/** Returns the answer of an operation, in the form of the API. */
export function answerWith<Value>(
  answer: StaffAnswer<Value>,
  view: (value: Value) => object,
): MerchantAnswer {
  return answer.ok ? { ok: true, value: view(answer.value) } : answer;
}
