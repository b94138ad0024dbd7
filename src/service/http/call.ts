import type { z } from 'zod';
import type { ApiErrorCode } from '../../contract/service/api-errors.ts';
import type { ServiceOperation } from '../../contract/service/operation.ts';
import { type Network, networks } from '../../contract/service/session.ts';
import { parseJsonBytes } from '../../kit/define-route.ts';
import { fingerprint, idempotencyKeyPattern } from '../../kit/idempotency.ts';
import { isMap, type UncheckedMap } from '../../shared/json.ts';
import type { IdempotencyKey } from '../idempotency-store.ts';
import type { ApiRequest } from './app.ts';
import { type ApiError, apiError, type FieldFault, isApiError } from './response.ts';

/** A JSON object before validation. */
export type RawBody = UncheckedMap;

const loneSurrogate = /\p{Cs}/u;

/** Deeper than any body of the API; bounds every recursion over a body. */
const maxDepth = 16;

/** Reads the JSON object of a request; an empty object without one, and for an operation that has no body. */
export async function readBody(
  request: ApiRequest,
  operation: { body?: z.ZodType | undefined },
): Promise<{ kind: 'json'; value: RawBody } | ApiError> {
  const bytes = operation.body ? await request.body() : new Uint8Array();
  if (bytes.length === 0) return { kind: 'json', value: {} };
  const type = request.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) return apiError('unsupported_media_type');
  const value = parseJsonBytes(bytes);
  return isMap(value) && isInterchangeable(value) ? { kind: 'json', value } : apiError('invalid_json');
}

/** True when a value can be serialised again unchanged (I-JSON, RFC 7493): no lone surrogate, and no number beyond a double. */
function isInterchangeable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !loneSurrogate.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  return Object.entries(value).every(
    ([name, inner]) => isInterchangeable(name) && isInterchangeable(inner, depth + 1),
  );
}

/** Faults in one answer. */
const maxFaults = 20;

/** Validates fields. The error is for the first problem, with a code of `fieldErrors` for an invalid value, and lists all of them. */
function readFields<Fields>(
  value: RawBody,
  schema: z.ZodType<Fields>,
  fieldErrors: Readonly<Record<string, ApiErrorCode>> = {},
): { kind: 'fields'; fields: Fields } | ApiError {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'fields', fields: parsed.data };
  const faults = parsed.error.issues
    .slice(0, maxFaults)
    .flatMap((issue) => listFaults(issue, value, fieldErrors))
    .slice(0, maxFaults);
  const { code, ...first } = faults[0] ?? { code: 'invalid_field' };
  return apiError(code, faults.length > 1 ? { ...first, faults } : first);
}

/** Adds the fault of a header to the error of the fields, so that one answer lists everything that is wrong. */
export function addFault(error: ApiError, fault: FieldFault): ApiError {
  const listed: readonly FieldFault[] = error.faults ?? [error];
  return { ...error, faults: [...listed.slice(0, maxFaults - 1), fault] };
}

function listFaults(
  issue: z.core.$ZodIssue,
  value: RawBody,
  fieldErrors: Readonly<Record<string, ApiErrorCode>>,
): FieldFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, maxFaults)
      .map((key) => ({ code: 'unknown_field', param: fieldName([...issue.path, key]) }));
  }
  const param = fieldName(issue.path);
  const found = issue.path.reduce<unknown>((inner, name) => Object(inner)[name], value);
  if (found === undefined) return [{ code: 'missing_field', param }];
  const code = fieldErrors[param] ?? fieldErrors[String(issue.path[0])];
  if (code === undefined) return [{ code: 'invalid_field', param, detail: `${issue.message}.` }];
  const hint = code === 'unknown_network' ? networkHint(found) : undefined;
  return [{ code, param, ...(hint === undefined ? {} : { detail: hint }) }];
}

/** Earlier names of the networks. */
const networkNames: Readonly<Record<string, Network>> = {
  vodafone: 'telecel',
  airteltigo: 'at',
  airtel: 'at',
  tigo: 'at',
};

function networkHint(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > 32) return undefined;
  const [word = ''] = given
    .toLowerCase()
    .trim()
    .split(/[^a-z]/);
  const name = networks.find((network) => network === word) ?? networkNames[word];
  return name === undefined ? undefined : `Send "${name}".`;
}

/** The name of a field in an error: at most 64 characters, without lone surrogates. */
function fieldName(path: readonly unknown[]): string {
  return [...path.join('.').slice(0, 256)].slice(0, 64).join('').replace(loneSurrogate, '');
}

/** A request whose query and body fit their schemas. */
export type ServiceCall<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
};

/** Validates the query and the body. `schema` is the schema of the body; default: the operation's. */
export function readCall<P, Q, B>(
  request: ApiRequest,
  operation: ServiceOperation<P, Q, B>,
  raw: RawBody,
  schema: z.ZodType<B> | undefined = operation.body,
): ServiceCall<P, Q, B> | ApiError {
  const query = operation.query ? readQuery(request, operation.query, operation.fieldErrors) : undefined;
  if (isApiError(query)) return query;
  const body = schema ? readFields(raw, schema, operation.fieldErrors) : undefined;
  if (isApiError(body)) return body;
  return {
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
  fieldErrors: ServiceOperation<never, never, never>['fieldErrors'],
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
): IdempotencyKey | ApiError | undefined {
  const key = request.header('idempotency-key');
  if (key === undefined) {
    return required ? apiError('idempotency_key_required', { param: 'Idempotency-Key' }) : undefined;
  }
  if (!idempotencyKeyPattern.test(key)) {
    return apiError('invalid_idempotency_key', { param: 'Idempotency-Key' });
  }
  return { key, fingerprint: fingerprint(request.method, request.path, body) };
}
