import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { staffPath } from '../../contract/staff.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { callerOf } from '../../shared/http/caller.ts';
import { wholeBody } from '../../shared/http/whole-body.ts';
import { createRateLimit } from '../../shared/limits/rate-limit.ts';
import { ActionRefused } from '../access/action-store.ts';
import { can } from '../access/permissions.ts';
import { findCaller } from './caller.ts';
import { mayBeConfigurationProof } from './configuration-proof.ts';
import type { StaffFailureCode } from './operation.ts';
import { errorBody, readBody, type StaffEnv, type StaffRouteDeps } from './route-parts.ts';
import { addSignIn, addTokenRoutes } from './sign-in-routes.ts';

const maxBodyBytes = 16 * 1024;

/** Calls of one person. */
const callRate = { burst: 60, perMinute: 120 };

const httpStatus: Record<StaffFailureCode, 400 | 401 | 403 | 404 | 409 | 429> = {
  invalid_request: 400,
  access_ended: 401,
  forbidden: 403,
  confirmation_required: 403,
  not_found: 404,
  conflict: 409,
  too_early: 429,
  too_many_actions: 429,
};

/**
 * Serves the operations of support staff under `/staff/v1`. Each request carries a name and a token as HTTP Basic, or a proof of
 * the configuration.
 */
export function staffRoute(deps: StaffRouteDeps): Hono<StaffEnv> {
  const app = new Hono<StaffEnv>().basePath(staffPath);
  app.onError((fault, c) => {
    if (!(fault instanceof ActionRefused)) throw fault;
    return c.json(errorBody(fault.code, fault.message), httpStatus[fault.code]);
  });
  const limitBody = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c) => c.json(errorBody('body_too_large', `at most ${maxBodyBytes} bytes`), 413),
  });
  addSignIn(app, deps, limitBody);
  app.use(...requireStaff(deps, [limitBody, wholeBody]));
  addTokenRoutes(app, deps);
  for (const operate of deps.operations) {
    const [method = '', path = ''] = operate.route.split(' ');
    app.on(method, path, async (c) => {
      const actor = c.get('caller');
      if (actor.kind === 'person' && !can(actor, 'commands.use'))
        return c.json(errorBody('forbidden', `the role ${actor.role} may not do this`), 403);
      const read = method === 'GET' ? { input: c.req.query() } : await readBody(c);
      if (typeof read === 'string') return c.json(errorBody('invalid_request', read), 400);
      const id = c.req.param('id') ?? '';
      const answer = await operate(deps.staff, { actor, id, input: read.input });
      const result = answer.ok ? 'done' : answer.code;
      const line = { request: c.get('requestId'), actor: actor.name, operation: path, subject: id, result };
      deps.log.info(line, 'staff');
      if (answer.ok) return c.json(answer.value);
      return c.json(errorBody(answer.code, answer.message), httpStatus[answer.code]);
    });
  }
  return app;
}

/** A stranger is answered before `readBody`, and who calls is found after it: the access may end while a body is held back. */
function requireStaff(
  deps: StaffRouteDeps,
  readBody: readonly MiddlewareHandler[],
): MiddlewareHandler<StaffEnv>[] {
  const limit = createRateLimit(callRate, deps.clock);

  function refuseStranger(c: Context<StaffEnv>): Response {
    const address = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
    const hasSecret = c.req.header('authorization') !== undefined;
    deps.wrongStaffSecrets.record(hasSecret ? 'wrong_secret' : 'no_secret', { caller: address });
    c.header('www-authenticate', 'Basic realm="dialtill staff", charset="UTF-8"');
    return c.json(errorBody('wrong_secret', 'expected a name and a token of an account'), 401);
  }

  const requireAny: MiddlewareHandler<StaffEnv> = async (c, next) => {
    if (!deps.accounts) return c.notFound();
    // A proof of the configuration is of the body.
    const isKnown = mayBeConfigurationProof(c.req.header('authorization')) || (await findCaller(deps, c));
    return isKnown ? next() : refuseStranger(c);
  };

  const require: MiddlewareHandler<StaffEnv> = async (c, next) => {
    const caller = await findCaller(deps, c);
    if (!caller) return refuseStranger(c);
    grantAccess(c.env);
    c.set('caller', caller);
    const waitSeconds = limit(caller.name);
    if (waitSeconds === undefined) return next();
    c.header('retry-after', String(waitSeconds));
    return c.json(errorBody('too_many_requests', `try again after ${waitSeconds} seconds`), 429);
  };
  return [requireAny, ...readBody, require];
}
