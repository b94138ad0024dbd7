import type { z } from 'zod';
import type { Operation } from '../../contract/service/operation.ts';
import { fingerprint, idempotencyKeyPattern } from '../../kit/idempotency.ts';
import { type ApiError, apiError, isApiError } from '../api-error.ts';
import type { IdempotencyKey } from '../idempotency-store.ts';
import { fieldName, type RawBody, readFields, readJson } from './body.ts';
import type { ApiRequest } from './request.ts';

/** A request whose query and body fit their schemas. */
export type Call<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
};

/** Reads the JSON body of a request; an empty object if the operation has no body. */
export async function readBody<P, Q, B>(
  request: ApiRequest,
  operation: Operation<P, Q, B>,
): Promise<{ kind: 'json'; value: RawBody } | ApiError> {
  return operation.body ? readJson(request) : { kind: 'json', value: {} };
}

/** Validates the query and the body. `schema` is the schema of the body; default: the operation's. */
export function readCall<P, Q, B>(
  request: ApiRequest,
  operation: Operation<P, Q, B>,
  raw: RawBody,
  schema: z.ZodType<B> | undefined = operation.body,
): (Call<P, Q, B> & { kind: 'call' }) | ApiError {
  const query = operation.query ? readQuery(request, operation.query, operation.fieldErrors) : undefined;
  if (isApiError(query)) return query;
  const body = schema ? readFields(raw, schema, operation.fieldErrors) : undefined;
  if (isApiError(body)) return body;
  return {
    kind: 'call',
    params: request.params as P,
    query: query?.fields as Q,
    body: body?.fields as B,
    requestId: request.requestId,
  };
}

/** Rejects a parameter that is sent twice: either value could be the intended one. */
function readQuery<Q>(
  request: ApiRequest,
  schema: z.ZodType<Q>,
  fieldErrors: Operation<never, never, never>['fieldErrors'],
) {
  const values = new Map<string, string>();
  for (const [name, value] of request.query()) {
    if (values.has(name)) return apiError('invalid_field', { param: fieldName([name]) });
    values.set(name, value);
  }
  return readFields(Object.fromEntries(values), schema, fieldErrors);
}

/** Reads the `Idempotency-Key` header; `undefined` if there is none and none is required. */
export function readIdempotencyKey(
  request: ApiRequest,
  body: RawBody,
  required = false,
): (IdempotencyKey & { kind: 'keyed' }) | ApiError | undefined {
  const key = request.header('idempotency-key');
  if (key === undefined) {
    return required ? apiError('idempotency_key_required', { param: 'Idempotency-Key' }) : undefined;
  }
  if (!idempotencyKeyPattern.test(key)) {
    return apiError('invalid_idempotency_key', { param: 'Idempotency-Key' });
  }
  return { kind: 'keyed', key, fingerprint: fingerprint(request.method, request.path, body) };
}
