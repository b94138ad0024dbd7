import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { AccountRole } from '../../contract/account.ts';
import type { ErrorBody } from '../../contract/error.ts';
import { staffPath } from '../../contract/staff.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { callerOf } from '../../shared/http/caller.ts';
import { parseJson } from '../../shared/json.ts';
import { createRateLimit } from '../../shared/limits/rate-limit.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import { roleOfToken } from '../accounts/command-token.ts';
import { type Authenticate, readCredentials } from './authenticate.ts';
import type { StaffDeps, StaffFailureCode, StaffOperation } from './operation.ts';

export type StaffRouteDeps = StaffDeps & {
  authenticate: Authenticate;
  /** Without the console, accounts have no tokens. */
  hasConsole: boolean;
  /** Returns whether a role may run an operation, by its method and path. */
  accessOf(role: AccountRole, operation: string): 'allowed' | 'forbidden' | 'confirm';
  operations: readonly StaffOperation[];
  log: Log;
  /** Requests without a valid name and secret: any stranger can send them. */
  wrongStaffSecrets: LogSummary;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
};

type Env = {
  Bindings: Partial<HttpBindings>;
  Variables: RequestIdVariables & { actor: string; role: AccountRole | undefined };
};

const maxBodyBytes = 16 * 1024;

/** Calls of one person. */
const callRate = { burst: 60, perMinute: 120 };

const httpStatus: Record<StaffFailureCode, 400 | 404 | 409 | 429> = {
  invalid_request: 400,
  not_found: 404,
  conflict: 409,
  too_early: 429,
};

function errorBody(code: string, message: string): ErrorBody {
  return { error: { code, message } };
}

/** Serves the operations of support staff under `/staff/v1`. Each request carries a name and a secret as HTTP Basic. */
export function staffRoute(deps: StaffRouteDeps): Hono<Env> {
  const app = new Hono<Env>().basePath(staffPath);
  const tooLarge = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c) => c.json(errorBody('body_too_large', `at most ${maxBodyBytes} bytes`), 413),
  });
  app.use(requireStaff(deps));
  for (const operation of deps.operations) {
    app.on(operation.method, operation.path, tooLarge, async (c) => {
      const refused = refuseRole(deps, c, `${operation.method} ${operation.path}`);
      if (refused) return refused;
      const read = operation.method === 'GET' ? { input: c.req.query() } : await readBody(c);
      if (typeof read === 'string') return c.json(errorBody('invalid_request', read), 400);
      const actor = c.get('actor');
      const id = c.req.param('id') ?? '';
      const answer = await operation.run(deps, { actor, id, input: read.input });
      const result = answer.ok ? 'done' : answer.code;
      const line = { request: c.get('requestId'), actor, operation: operation.path, subject: id, result };
      deps.log.info(line, 'staff');
      if (answer.ok) return c.json(answer.value);
      return c.json(errorBody(answer.code, answer.message), httpStatus[answer.code]);
    });
  }
  return app;
}

/** Returns the answer to a person whose role may not run the operation. People of the configuration have no role. */
function refuseRole({ accessOf }: StaffRouteDeps, c: Context<Env>, operation: string) {
  const role = c.get('role');
  const access = role === undefined ? 'allowed' : accessOf(role, operation);
  if (access === 'allowed') return undefined;
  const message =
    access === 'confirm'
      ? 'this needs your password and a code: use the console'
      : `the role ${role} may not do this`;
  return c.json(errorBody(access === 'confirm' ? 'confirmation_required' : 'forbidden', message), 403);
}

/** Returns the person of a request: one of the configuration, or one with a token of the command line. */
async function findCaller(deps: StaffRouteDeps, header: string | undefined) {
  const actor = deps.authenticate(header);
  if (actor !== undefined) return { actor, role: undefined };
  const given = readCredentials(header);
  if (!deps.hasConsole || !given) return undefined;
  const role = await roleOfToken(deps, given.name, given.secret);
  return role && { actor: given.name, role };
}

function requireStaff(deps: StaffRouteDeps): MiddlewareHandler<Env> {
  const limit = createRateLimit(callRate, deps.clock);
  return async (c, next) => {
    if (deps.staffNames().size === 0 && !deps.hasConsole) return c.notFound();
    const header = c.req.header('authorization');
    const found = await findCaller(deps, header);
    if (!found) {
      const caller = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
      deps.wrongStaffSecrets.record(header === undefined ? 'no_secret' : 'wrong_secret', { caller });
      c.header('www-authenticate', 'Basic realm="dialtill staff", charset="UTF-8"');
      const message =
        'expected a name and a token of the console, or a name and a secret under staff in the configuration';
      return c.json(errorBody('wrong_secret', message), 401);
    }
    grantAccess(c.env);
    const { actor, role } = found;
    c.set('actor', actor);
    c.set('role', role);
    const waitSeconds = limit(actor);
    if (waitSeconds === undefined) return next();
    c.header('retry-after', String(waitSeconds));
    return c.json(errorBody('too_many_requests', `try again after ${waitSeconds} seconds`), 429);
  };
}

/** Requires JSON, which a form of another site cannot send without the consent of this server. */
async function readBody(c: Context<Env>): Promise<{ input: unknown } | string> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    return 'expected a body in application/json';
  try {
    return { input: parseJson(new Uint8Array(await c.req.arrayBuffer())).value };
  } catch {
    return 'expected unambiguous JSON in UTF-8';
  }
}
