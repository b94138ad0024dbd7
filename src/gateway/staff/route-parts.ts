import type { Context } from 'hono';
import type { Answer, Api, ApiEnv } from '../../kit/api.ts';
import type { Statuses } from '../../kit/failure.ts';
import { parseJsonBytes } from '../../kit/request.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { Actor } from '../access/actor.ts';
import type { OpenAccount } from '../accounts/open-account.ts';
import type { CallerDeps } from './caller.ts';
import {
  type Operation,
  refuse,
  type StaffAnswer,
  type StaffDeps,
  type StaffFailureCode,
} from './operation.ts';

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

/** The status of each error code. */
export const statuses = {
  invalid_request: { status: 400 },
  access_ended: { status: 401 },
  wrong_secret: { status: 401 },
  wrong_sign_in: { status: 401 },
  forbidden: { status: 403 },
  confirmation_required: { status: 403 },
  not_found: { status: 404 },
  conflict: { status: 409 },
  body_too_large: { status: 413 },
  too_early: { status: 429 },
  too_many_actions: { status: 429 },
  too_many_requests: { status: 429 },
  busy: { status: 503, retryAfterSeconds: 5 },
} as const satisfies Statuses & Statuses<StaffFailureCode>;

export type StaffApiCode = keyof typeof statuses;
export type StaffApi = Api<Actor, StaffApiCode>;
export type StaffContext = Context<ApiEnv<Actor>>;
export type StaffApiAnswer = Answer<StaffApiCode>;

/** Requires JSON, which a form of another site cannot send without the consent of this server. */
export async function readJson(c: StaffContext): Promise<StaffAnswer<unknown>> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    return refuse('invalid_request', 'expected a body in application/json');
  const value = parseJsonBytes(new Uint8Array(await c.req.arrayBuffer()));
  return value === undefined
    ? refuse('invalid_request', 'expected unambiguous JSON in UTF-8')
    : { ok: true, value };
}
