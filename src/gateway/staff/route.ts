import type { Context } from 'hono';
import { z } from 'zod';
import { confirmInput, type SignInAnswer, signInInput } from '../../contract/staff/account.ts';
import { staffPath } from '../../contract/staff/staff.ts';
import { type Api, type ApiAnswer, type ApiEnv, createApi, type Statuses } from '../../kit/api.ts';
import { splitName } from '../../kit/define-route.ts';
import { unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import { createRateLimit } from '../../shared/limits/per-key.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import { ActionRefused } from '../access/action-store.ts';
import { type Actor, can, type Permission } from '../access/permissions.ts';
import {
  type CommandRefusal,
  signInForCommands,
  signInOpenlyForCommands,
} from '../accounts/command-token.ts';
import { confirmOpenlyForCommands, findOpenAccount, type OpenAccount } from '../accounts/open-account.ts';
import { confirmPerson, endSignInSession } from '../accounts/sign-in.ts';
import { maxStatementBytes } from '../service-statement/read-statement.ts';
import { type CallerDeps, findCaller, getProofId, mayBeConfigured } from './caller.ts';
import { type Operation, refuse, type StaffDeps, type StaffFailureCode } from './operation.ts';

/** `staff` is what the operations use. */
type StaffRouteDeps = CallerDeps & {
  staff: StaffDeps;
  operations: readonly Operation[];
  /** Accepts each proof of the configuration once. */
  acceptProof(proof: string): Promise<'accepted' | 'repeated' | 'full'>;
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
const statuses = {
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

type Code = keyof typeof statuses;
/** `undefined`: a route for everyone with a token. */
type StaffApi = Api<Actor, Code, Permission | undefined>;
type StaffContext = Context<ApiEnv<Actor>>;

const maxBodyBytes = 16 * 1024;

/** The statement of a day, as JSON. */
const files = { path: /\/days\/[^/]+\/statement$/, maxBytes: (maxStatementBytes * 5) / 4 };

/** Calls of one person. */
const callRate = { burst: 60, perMinute: 120 };

/** Serves the operations under `/staff/v1`. A request carries a name and a token (HTTP Basic), or a proof of the configuration. */
export function staffRoute(deps: StaffRouteDeps): StaffApi['app'] {
  const limit = createRateLimit(callRate, deps.clock);
  const api: StaffApi = createApi(
    {
      ...{ path: staffPath, statuses, maxBodyBytes, files, needsJsonType: true },
      challenge: 'Basic realm="dialtill staff", charset="UTF-8"',
      authenticate: (c) => authenticate(deps, c),
      isProvenByBody: (c) => mayBeConfigured(deps, c.req.header('authorization')),
      limit: ({ name }) => limit(name),
      refuse: (actor, needs) =>
        needs && actor.kind === 'person' && !can(actor, needs)
          ? { code: 'forbidden', message: `the role ${actor.role} may not do this` }
          : undefined,
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
  if (caller) return { caller };
  const hasSecret = c.req.header('authorization') !== undefined;
  deps.wrongStaffSecrets.record(hasSecret ? 'wrong_secret' : 'no_secret', {
    caller: getSender(c, deps).address,
  });
  const message = 'expected a name and a token of an account';
  return { refused: { code: 'wrong_secret', message } } as const;
}

/** Any JSON: the operation validates it. */
const json = z.unknown().refine((value) => value !== undefined, 'expected unambiguous JSON in UTF-8');

/** Refuses a change whose proof of the configuration was accepted before: a copied request changes nothing. */
async function refuseProof({ acceptProof }: StaffRouteDeps, c: StaffContext) {
  const accepted = await acceptProof(getProofId(c.req.header('authorization')) ?? '');
  if (accepted === 'accepted') return undefined;
  return accepted === 'full'
    ? refuse(
        'too_many_actions',
        'the key of the configuration has sent as many changes as are kept for three days',
      )
    : refuse(
        'conflict',
        'this request has arrived before, and its proof is accepted once: run the command again',
      );
}

function addOperation(api: StaffApi, deps: StaffRouteDeps, operate: Operation): void {
  const { staff, log } = deps;
  const { route: name } = operate;
  const body = name.startsWith('POST') ? json : undefined;
  api.add({ name, needs: 'commands.use', body }, async ({ c, caller: actor, id, ...sent }) => {
    const refused = body && actor.kind === 'configuration' ? await refuseProof(deps, c) : undefined;
    const answer = refused ?? (await operate(staff, { actor, id, input: body ? sent.body : sent.query }));
    const result = answer.ok ? 'done' : answer.code;
    const [, operation] = splitName(name);
    log.info({ request: c.get('requestId'), actor: actor.name, operation, subject: id, result }, 'staff');
    return answer;
  });
}

/** Adds the sign-in of the command line, which needs no token. */
function addSignIn(open: Pick<StaffApi, 'addOpen'>, deps: StaffRouteDeps): void {
  open.addOpen({ name: 'POST /sign-in', body: signInInput }, async ({ c, body: input }) => {
    const { accounts, openAccounts, wrongSignIns, log } = deps;
    const { address, network } = getSender(c, deps);
    const account = findOpenAccount(openAccounts, input.name);
    const answer = account
      ? await signInOpenlyForCommands(accounts, account, input)
      : await signInForCommands(accounts, { ...input, network });
    log.info({ request: c.get('requestId'), result: answer.ok ? 'done' : answer.reason }, 'staff sign-in');
    if (!answer.ok) {
      wrongSignIns.record(answer.reason, { caller: address });
      return refuseSignIn(answer);
    }
    grantAccess(c.env);
    const { person, token, until } = answer;
    const { name, role } = person;
    const value: SignInAnswer = { name, role, token, until: new Date(until).toISOString() };
    return { ok: true, value };
  });
}

/** Adds the routes with which a person confirms a token by the password and a code, and ends it. */
function addTokenRoutes(api: StaffApi, deps: StaffRouteDeps): void {
  const { accounts, openAccounts } = deps;
  api.add(
    { name: 'POST /confirm', needs: undefined, body: confirmInput },
    async ({ c, caller, body: input }) => {
      if (caller.kind !== 'person') return noToken;
      const open = findOpenAccount(openAccounts, caller.name);
      const answer = open
        ? await confirmOpenlyForCommands(accounts, caller, { open, input })
        : await confirmPerson(accounts, caller, { ...input, network: getSender(c, deps).network });
      return answer.ok ? done : refuseSignIn(answer);
    },
  );
  api.add({ name: 'POST /sign-out', needs: undefined }, async ({ caller }) => {
    if (caller.kind !== 'person') return noToken;
    await endSignInSession(accounts, caller, caller.session.id);
    return done;
  });
}

const done = { ok: true, value: { done: true } } as const;

const noToken = refuse('conflict', 'only a token of an account can be confirmed and ended');

function getSender(c: StaffContext, { trustedProxies }: StaffRouteDeps) {
  const address = findClientAddress(c.env?.incoming, c.req.header('x-forwarded-for'), trustedProxies);
  return { address, network: getClientNetwork(address ?? 'unknown') };
}

function refuseSignIn(refusal: CommandRefusal): ApiAnswer<Code> {
  switch (refusal.reason) {
    case 'wrong':
    case 'wrong_passkey': {
      const message =
        'the name, the password or the code is wrong. A code of the app is accepted once: wait for the next one';
      return { ok: false, code: 'wrong_sign_in', message };
    }
    case 'wait': {
      const { waitSeconds: retryAfterSeconds } = refusal;
      const message = `there were wrong attempts: try again after ${retryAfterSeconds} seconds`;
      return { ok: false, code: 'too_many_requests', message, retryAfterSeconds };
    }
    case 'busy':
      return {
        ok: false,
        code: 'busy',
        message: 'too many people are signing in: try again in some seconds',
      };
    case 'no_commands':
      return refuse('forbidden', 'people of a merchant use the console; their systems have keys');
    case 'too_many':
      return refuse('conflict', 'you have as many tokens as a person can have: end one on My account');
    default:
      return unreachable(refusal);
  }
}
