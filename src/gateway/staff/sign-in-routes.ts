import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { confirmInput, type SignInAnswer, signInInput } from '../../contract/account.ts';
import { unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { callerOf } from '../../shared/http/caller.ts';
import { clientNetworkOf } from '../../shared/http/client-network.ts';
import {
  type CommandRefusal,
  signInForCommands,
  signInOpenlyForCommands,
} from '../accounts/command-token.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import { confirmOpenlyForCommands, findOpenAccount } from '../accounts/open-account.ts';
import { confirmPerson, endSession } from '../accounts/sign-in.ts';
import { errorBody, readBody, type StaffEnv, type StaffRouteDeps } from './route-parts.ts';

/** Adds the sign-in of the command line, which needs no token. `limitBody` bounds its body. */
export function addSignIn(
  app: Hono<StaffEnv>,
  { accounts, openAccounts, wrongSignIns, trustedProxies, log }: StaffRouteDeps,
  limitBody: MiddlewareHandler<StaffEnv>,
): void {
  if (!accounts) return;
  app.post('/sign-in', limitBody, async (c) => {
    const input = await readInput(c, signInInput);
    if (input instanceof Response) return input;
    const caller = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), trustedProxies);
    const network = clientNetworkOf(caller ?? 'unknown');
    const open = findOpenAccount(openAccounts, input.name);
    const answer = open
      ? await signInOpenlyForCommands(accounts, open, input)
      : await signInForCommands(accounts, { ...input, network });
    log.info({ request: c.get('requestId'), result: answer.ok ? 'done' : answer.reason }, 'staff sign-in');
    if (!answer.ok) {
      wrongSignIns.record(answer.reason, { caller });
      return refuse(c, answer);
    }
    grantAccess(c.env);
    const { person, token, until } = answer;
    const { name, role } = person;
    return c.json({ name, role, token, until: new Date(until).toISOString() } satisfies SignInAnswer);
  });
}

/** Adds what a person with a token does with it: enter the password again, and end it. */
export function addTokenRoutes(
  app: Hono<StaffEnv>,
  { accounts, openAccounts, trustedProxies }: StaffRouteDeps,
): void {
  if (!accounts) return;
  app.post('/confirm', async (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'person') return noToken(c);
    const input = await readInput(c, confirmInput);
    if (input instanceof Response) return input;
    const address = callerOf(c.env?.incoming, c.req.header('x-forwarded-for'), trustedProxies);
    const network = clientNetworkOf(address ?? 'unknown');
    const open = findOpenAccount(openAccounts, caller.name);
    const answer = open
      ? await confirmOpenlyForCommands(accounts, caller, { open, input })
      : await confirmPerson(accounts, caller, { ...input, network });
    return answer.ok ? c.json({ done: true }) : refuse(c, answer);
  });
  app.post('/sign-out', async (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'person') return noToken(c);
    await endOwnToken(accounts, caller);
    return c.json({ done: true });
  });
}

function endOwnToken(accounts: AccountDeps, person: Parameters<typeof endSession>[1]): Promise<boolean> {
  return endSession(accounts, person, person.session.id);
}

function noToken(c: Context) {
  return c.json(errorBody('conflict', 'only a token of an account can be confirmed and ended'), 409);
}

function refuse(c: Context, refusal: CommandRefusal) {
  switch (refusal.reason) {
    case 'wrong':
    case 'wrong_passkey':
      return c.json(
        errorBody(
          'wrong_sign_in',
          'the name, the password or the code is wrong. A code of the app is accepted once: wait for the next one',
        ),
        401,
      );
    case 'wait': {
      c.header('retry-after', String(refusal.waitSeconds));
      const message = `there were wrong attempts: try again after ${refusal.waitSeconds} seconds`;
      return c.json(errorBody('too_many_requests', message), 429);
    }
    case 'busy': {
      c.header('retry-after', '5');
      return c.json(errorBody('busy', 'too many people are signing in: try again in some seconds'), 503);
    }
    case 'no_commands':
      return c.json(
        errorBody('forbidden', 'people of a merchant use the console; their systems have keys'),
        403,
      );
    case 'too_many':
      return c.json(
        errorBody('conflict', 'you have as many tokens as a person can have: end one on My account'),
        409,
      );
    default:
      return unreachable(refusal);
  }
}

async function readInput<Input>(c: Context<StaffEnv>, schema: z.ZodType<Input>): Promise<Input | Response> {
  const read = await readBody(c);
  if (typeof read === 'string') return c.json(errorBody('invalid_request', read), 400);
  const parsed = schema.safeParse(read.input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return c.json(errorBody('invalid_request', `${issue?.path.join('.')}: ${issue?.message}`), 400);
}
