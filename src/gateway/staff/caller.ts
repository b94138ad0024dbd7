import type { Context } from 'hono';
import type { AccountRole } from '../../contract/account.ts';
import { findTokenHolder } from '../accounts/command-token.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import { isConfirmed, type Person } from '../accounts/session.ts';
import { configurationActor, isConfigurationProof, mayBeConfigurationProof } from './configuration-proof.ts';
import { readCredentials } from './credentials.ts';

/** Who sends a request: a person with an account, or a program with the keys of the configuration. */
export type StaffCaller =
  | { kind: 'account'; actor: string; person: Person }
  | { kind: 'configuration'; actor: string };

export type CallerDeps = {
  /** Absent without the console, where accounts have no tokens. */
  accounts: AccountDeps | undefined;
  /** The key whose possession proves access to the configuration; absent without the console. */
  configurationKey: string | undefined;
  clock: AccountDeps['clock'];
  /** Returns whether a role may run an operation, by its method and path. */
  accessOf(role: AccountRole, operation: string): 'allowed' | 'forbidden' | 'confirm';
};

/** Returns who sends a request; `undefined` when it proves nobody. */
export async function findCaller(deps: CallerDeps, c: Context): Promise<StaffCaller | undefined> {
  const header = c.req.header('authorization');
  if (mayBeConfigurationProof(header)) return findConfiguration(deps, c, header);
  const given = readCredentials(header);
  if (!deps.accounts || !given) return undefined;
  const person = await findTokenHolder(deps.accounts, given.name, given.secret);
  return person && { kind: 'account', actor: person.name, person };
}

async function findConfiguration(
  { configurationKey: key, clock }: CallerDeps,
  c: Context,
  header: string | undefined,
): Promise<StaffCaller | undefined> {
  if (key === undefined) return undefined;
  const { pathname, search } = new URL(c.req.url);
  const request = { method: c.req.method, path: `${pathname}${search}`, body: await c.req.text() };
  if (!isConfigurationProof(header, { key, request, now: clock.now() })) return undefined;
  return { kind: 'configuration', actor: configurationActor };
}

/**
 * The operations of whoever has the keys of the configuration: the accounts of people, what connects a merchant's own system, whose
 * secrets these keys decrypt, and reading its files again. None of them decides about money.
 */
const ofConfiguration = /^(GET|POST) \/((accounts|endpoints|merchant-keys)(\/.*)?|reload)$/;

/** Why an operation is refused to a caller. */
export type RoleRefusal = { code: 'forbidden' | 'confirmation_required'; message: string };

/** Returns why a caller may not run an operation; `undefined` when the caller may. */
export function refuseRole(
  { accessOf, clock }: CallerDeps,
  caller: StaffCaller,
  operation: string,
): RoleRefusal | undefined {
  if (caller.kind !== 'account') {
    if (ofConfiguration.test(operation)) return undefined;
    return { code: 'forbidden', message: 'this needs a person: sign in with "dialtill staff sign-in"' };
  }
  const { role } = caller.person;
  const access = accessOf(role, operation);
  if (access === 'forbidden') return { code: 'forbidden', message: `the role ${role} may not do this` };
  if (access === 'allowed' || isConfirmed(caller.person, clock.now())) return undefined;
  const message =
    'this needs the password and a code, entered within five minutes: sign in again with "dialtill staff sign-in", or use the console';
  return { code: 'confirmation_required', message };
}
