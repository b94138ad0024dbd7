import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { ErrorBody } from '../../contract/error.ts';
import { parseJson } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { Actor } from '../access/actor.ts';
import type { OpenAccount } from '../accounts/open-account.ts';
import type { CallerDeps } from './caller.ts';
import type { Operation, StaffDeps } from './operation.ts';

/** `staff` is what the operations use. */
export type StaffRouteDeps = CallerDeps & {
  staff: StaffDeps;
  operations: readonly Operation[];
  /** Accounts of the demo, which need no password of their own. */
  openAccounts: readonly OpenAccount[];
  log: Log;
  /** Requests without a valid name and secret: any stranger can send them. */
  wrongStaffSecrets: LogSummary;
  wrongSignIns: LogSummary;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
};

export type StaffEnv = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables & { caller: Actor };
};

export function errorBody(code: string, message: string): ErrorBody {
  return { error: { code, message } };
}

/** Requires JSON, which a form of another site cannot send without the consent of this server. */
export async function readBody(c: Context<StaffEnv>): Promise<{ input: unknown } | string> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    return 'expected a body in application/json';
  try {
    return { input: parseJson(new Uint8Array(await c.req.arrayBuffer())).value };
  } catch {
    return 'expected unambiguous JSON in UTF-8';
  }
}
