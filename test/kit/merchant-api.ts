import { expect } from 'vitest';
import {
  type MerchantScope,
  merchantApiPath,
  merchantScopes,
} from '../../src/contract/merchant/merchant-api.ts';
import { merchantDocument } from '../../src/gateway/merchant-api/openapi.ts';
import { createResponseCheck } from './openapi.ts';
import { callStaff } from './staff.ts';
import type { Till } from './till.ts';

export type ApiAnswer = { status: number; body: Record<string, unknown>; headers: Headers };

/** Creates a key of a merchant. The till needs `withStaff`. */
export async function createMerchantKey(
  till: Till,
  {
    merchantId = 'demo-shop',
    scopes = merchantScopes,
  }: { merchantId?: string; scopes?: readonly MerchantScope[] } = {},
) {
  const { body } = await callStaff(till, 'adwoa', '/merchant-keys', { merchantId, scopes });
  return body as { key: { id: string }; secret: string };
}

let idempotencyKeys = 0;

export type ApiRequest = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Null for none; by default, each POST has one of its own. */
  idempotencyKey?: string | null;
};

/** Calls the API of merchants' systems with a key, and compares the answer with the OpenAPI document. */
export async function callApi(
  till: Till,
  secret: string | undefined,
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', idempotencyKey }: ApiRequest = {},
): Promise<ApiAnswer> {
  idempotencyKeys += 1;
  const key = idempotencyKey === undefined ? `key-${idempotencyKeys}` : idempotencyKey;
  const response = await till.gateway().app.request(`${merchantApiPath}${path}`, {
    method,
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(method === 'POST' && key !== null ? { 'idempotency-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const headers = new Headers(response.headers);
  headers.set('request-id', headers.get('x-request-id') ?? '');
  const check = createResponseCheck(merchantDocument());
  const faults = check({ method, url: path }, { status: response.status, headers, body: text });
  expect(faults, `${method} ${path}`).toEqual([]);
  return { status: response.status, body: JSON.parse(text), headers: response.headers };
}
