import type { z } from 'zod';
import { confirmInput, type SignInAnswer, signInInput } from '../../contract/staff/account.ts';
import { parseRequest } from '../../kit/request.ts';
import { unreachable } from '../../shared/errors.ts';
import { grantAccess } from '../../shared/http/access.ts';
import { findClientAddress, getClientNetwork } from '../../shared/http/addresses.ts';
import {
  type CommandRefusal,
  signInForCommands,
  signInOpenlyForCommands,
} from '../accounts/command-token.ts';
import { confirmOpenlyForCommands, findOpenAccount } from '../accounts/open-account.ts';
import { confirmPerson, endSession } from '../accounts/sign-in.ts';
import { refuse } from './operation.ts';
import {
  readJson,
  type StaffApi,
  type StaffApiAnswer,
  type StaffContext,
  type StaffRouteDeps,
} from './route-parts.ts';

/** Adds the sign-in of the command line, which needs no token. */
export function addSignIn(open: Pick<StaffApi, 'add'>, deps: StaffRouteDeps): void {
  open.add('POST', '/sign-in', async (c) => {
    const { accounts, openAccounts, wrongSignIns, log } = deps;
    const read = await readInput(c, signInInput);
    if (!read.ok) return read;
    const { value: input } = read;
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

/** Adds what a person with a token does with it: enter the password again, and end it. */
export function addTokenRoutes(api: StaffApi, deps: StaffRouteDeps): void {
  const { accounts, openAccounts } = deps;
  api.add('POST', '/confirm', async (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'person') return noToken;
    const read = await readInput(c, confirmInput);
    if (!read.ok) return read;
    const account = findOpenAccount(openAccounts, caller.name);
    const { network } = getSender(c, deps);
    const answer = account
      ? await confirmOpenlyForCommands(accounts, caller, { open: account, input: read.value })
      : await confirmPerson(accounts, caller, { ...read.value, network });
    return answer.ok ? done : refuseSignIn(answer);
  });
  api.add('POST', '/sign-out', async (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'person') return noToken;
    await endSession(accounts, caller, caller.session.id);
    return done;
  });
}

const done = { ok: true, value: { done: true } } as const;

const noToken = refuse('conflict', 'only a token of an account can be confirmed and ended');

function getSender(c: StaffContext, { trustedProxies }: StaffRouteDeps) {
  const address = findClientAddress(c.env?.incoming, c.req.header('x-forwarded-for'), trustedProxies);
  return { address, network: getClientNetwork(address ?? 'unknown') };
}

function refuseSignIn(refusal: CommandRefusal): StaffApiAnswer {
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

async function readInput<Input>(c: StaffContext, schema: z.ZodType<Input>) {
  const read = await readJson(c);
  if (!read.ok) return read;
  const parsed = parseRequest(schema, read.value);
  return parsed.ok ? parsed : refuse('invalid_request', parsed.message);
}
