import { adminToken, type Bench, json } from './support.ts';

/** Calls the admin API with the admin token. */
export function ask(
  bench: Bench,
  method: string,
  path: string,
  body?: unknown,
  { token = adminToken, idempotencyKey }: { token?: string; idempotencyKey?: string } = {},
) {
  return bench.service.app.request(`/backoffice${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The audit, oldest first. */
export async function actions(bench: Bench): Promise<Record<string, unknown>[]> {
  const { data } = await json(await ask(bench, 'GET', '/actions?limit=100'));
  return (data as Record<string, unknown>[]).toReversed();
}
