import type { MiddlewareHandler } from 'hono';
import type { AccountRole } from '../../contract/staff/account.ts';
import { staffPath } from '../../contract/staff/staff.ts';
import { findForeign } from '../../shared/http/request-url.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/permissions.ts';
import { accountActionWrite, changeAccount } from './account-action.ts';
import { type Account, type AccountStore, accountWrites, maxAccounts } from './account-store.ts';
import { type AccountDeps, createSignInSession } from './session.ts';

/** An account of the demo, which all who reach the console may use without a password. */
export type OpenAccount = {
  name: string;
  role: AccountRole;
  /** The password and the code for the commands. Without them, the account signs in there as others do. */
  commands?: OpenCredentials;
};

export type OpenCredentials = { password: string; code: string };

/** An open account with which people sign in on the command line. */
export type CommandAccount = OpenAccount & { commands: OpenCredentials };

/** Returns the open account with a name that the commands accept; `undefined` for a name of another account. */
export function findOpenAccount(
  openAccounts: readonly OpenAccount[],
  name: string,
): CommandAccount | undefined {
  for (const { commands, ...open } of openAccounts)
    if (open.name === name && commands) return { ...open, commands };
  return undefined;
}

/** Returns whether a person has entered the password and the code that the greeting of the demo prints. */
export function isOpenedBy({ commands }: CommandAccount, given: OpenCredentials): boolean {
  return given.password === commands.password && given.code === commands.code;
}

/** Signs in with an open account, which is added at its first use. @returns the token for the cookie. */
export async function signInOpenly(deps: AccountDeps, open: OpenAccount): Promise<string> {
  const { accounts, clock, livemode } = deps;
  const { account, writes } = await useOpenAccount(deps, open);
  const { token, write } = createSignInSession(deps, account.id, 'full');
  const context = { livemode, now: clock.now() };
  const action = accountActionWrite({ actor: open.name, action: 'sign_in', account }, context);
  await accounts.apply([...writes, accountWrites.makeRoomForSession(account.id), write, action]);
  return token;
}

/** Returns an open account, and the writes that add it at its first use, or set its role back to that of the list. */
export async function useOpenAccount(
  { accounts, clock, ids, livemode }: AccountDeps,
  open: OpenAccount,
): Promise<{ account: Account; writes: Write[] }> {
  const { name, role } = open;
  if (livemode === 1) throw new Error('a live gateway has no open accounts');
  const known = await accounts.findByName(name);
  if (known?.role === role) return { account: known, writes: [] };
  if (known) {
    const account = withListedRole(known, open);
    const detail = { from: known.role, to: role };
    const action = { actor: name, action: 'change_role', account, detail };
    return {
      account,
      writes: [
        accountWrites.changeRole({
          ...account,
          decidesFromRead: known.decidesFrom ?? 0,
          maxDeciders: maxAccounts,
        }),
        accountActionWrite(action, { livemode, now: clock.now() }),
      ],
    };
  }
  const account: Account = {
    ...{ id: ids.next('acc'), name, role, merchantId: null },
    ...{ password: null, seed: null, nextSeed: null, lastStep: 0, lastNetwork: null, decidesFrom: null },
    ...{ codeDigest: null, codeUntil: null, createdAt: clock.now(), disabledAt: null },
  };
  return { account, writes: [accountWrites.insert(account)] };
}

/** Returns the store with only the open accounts, in their roles: accounts of an earlier start neither sign in nor keep sessions. */
export function onlyOpenAccounts(accounts: AccountStore, openAccounts: readonly OpenAccount[]): AccountStore {
  const limit = (account: Account | undefined) => {
    const open = account && openAccounts.find(({ name }) => name === account.name);
    return open && withListedRole(account, open);
  };
  return {
    ...accounts,
    find: async (id) => limit(await accounts.find(id)),
    findByName: async (name) => limit(await accounts.findByName(name)),
    list: async () => (await accounts.list()).flatMap((account) => limit(account) ?? []),
  };
}

function withListedRole(account: Account, { role }: OpenAccount): Account {
  return account.role === role ? account : { ...account, role, merchantId: null };
}

/** Counts the person of an open account as confirmed, as the password and a code do for others. */
export async function confirmOpenly(deps: AccountDeps, person: Person): Promise<void> {
  const { digest } = person.session;
  const writes = [accountWrites.confirmSession({ digest, now: deps.clock.now() })];
  await changeAccount(deps, person, { action: 'confirm', writes });
}

/** As `confirmOpenly`, for a token of the command line, whose person has entered the password and the code again. */
export async function confirmOpenlyForCommands(
  deps: AccountDeps,
  person: Person,
  { open, input }: { open: CommandAccount; input: OpenCredentials },
): Promise<{ ok: true } | { ok: false; reason: 'wrong' }> {
  if (!isOpenedBy(open, input)) return { ok: false, reason: 'wrong' };
  await confirmOpenly(deps, person);
  return { ok: true };
}

/** Returns the paths where open accounts sign in, each with the check of its site: otherwise any page could sign in here. */
export function guardOpenAccounts(publicUrl: URL): [path: string, guard: MiddlewareHandler][] {
  return ['/console', staffPath].map((path) => [
    `${path}/*`,
    async (c, next) => {
      const foreign = findForeign(c, { publicUrl, path: '/console', needsOrigin: path === '/console' });
      return foreign ? c.text(foreign.message, foreign.status) : next();
    },
  ]);
}
