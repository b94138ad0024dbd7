import { staffPath } from '../../contract/staff/staff.ts';
import { createApi } from '../../kit/api.ts';
import { findClientAddress } from '../../shared/http/addresses.ts';
import { createRateLimit } from '../../shared/limits/per-key.ts';
import { ActionRefused } from '../access/action-store.ts';
import type { Actor } from '../access/actor.ts';
import { can } from '../access/permissions.ts';
import { findCaller, mayBeConfigured } from './caller.ts';
import { type Operation, refuse } from './operation.ts';
import {
  readJson,
  type StaffApi,
  type StaffApiCode,
  type StaffContext,
  type StaffRouteDeps,
  statuses,
} from './route-parts.ts';
import { addSignIn, addTokenRoutes } from './sign-in-routes.ts';

const maxBodyBytes = 16 * 1024;

/** Calls of one person. */
const callRate = { burst: 60, perMinute: 120 };

/**
 * Serves the operations of support staff under `/staff/v1`. Each request carries a name and a token as HTTP Basic, or a proof of
 * the configuration.
 */
export function staffRoute(deps: StaffRouteDeps): StaffApi['app'] {
  const limit = createRateLimit(callRate, deps.clock);
  const api = createApi<Actor, StaffApiCode>(
    {
      ...{ path: staffPath, statuses, maxBodyBytes },
      challenge: 'Basic realm="dialtill staff", charset="UTF-8"',
      authenticate: (c) => authenticate(deps, c),
      isProvenByBody: (c) => mayBeConfigured(deps, c.req.header('authorization')),
      limit: ({ name }) => limit(name),
    },
    (open) => addSignIn(open, deps),
  );
  api.app.onError((fault, c) => {
    if (!(fault instanceof ActionRefused)) throw fault;
    return api.reply(c, { ok: false, code: fault.code, message: fault.message });
  });
  addTokenRoutes(api, deps);
  for (const operate of deps.operations) addOperation(api, deps, operate);
  return api.app;
}

async function authenticate(deps: StaffRouteDeps, c: StaffContext) {
  const caller = await findCaller(deps, c);
  if (caller) return { ok: true, caller } as const;
  const address = findClientAddress(c.env?.incoming, c.req.header('x-forwarded-for'), deps.trustedProxies);
  const hasSecret = c.req.header('authorization') !== undefined;
  deps.wrongStaffSecrets.record(hasSecret ? 'wrong_secret' : 'no_secret', { caller: address });
  return { ok: false, code: 'wrong_secret', message: 'expected a name and a token of an account' } as const;
}

function addOperation(api: StaffApi, { staff, log }: StaffRouteDeps, operate: Operation): void {
  const [method = '', path = ''] = operate.route.split(' ');
  api.add(method, path, async (c) => {
    const actor = c.get('caller');
    if (actor.kind === 'person' && !can(actor, 'commands.use'))
      return refuse('forbidden', `the role ${actor.role} may not do this`);
    const read = method === 'GET' ? ({ ok: true, value: c.req.query() } as const) : await readJson(c);
    if (!read.ok) return read;
    const id = c.req.param('id') ?? '';
    const answer = await operate(staff, { actor, id, input: read.value });
    const result = answer.ok ? 'done' : answer.code;
    const line = { request: c.get('requestId'), actor: actor.name, operation: path, subject: id, result };
    log.info(line, 'staff');
    return answer;
  });
}
