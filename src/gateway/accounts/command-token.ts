import type { AccountRole } from '../../contract/account.ts';
import { accountWrites } from './account-store.ts';
import { changeAccount, type Fault } from './change-account.ts';
import type { AccountDeps } from './deps.ts';
import { createSession, findSession, hasEnded, type Person } from './session.ts';

/** With it, the server recognises a token before it reads the database. */
export const tokenPrefix = 'dct_';

/** Tokens of one person that have not ended. */
const maxTokens = 5;

/** Creates a token with which the commands act as the person. It is returned once; the database has its digest. */
export async function createCommandToken(
  deps: AccountDeps,
  person: Person,
): Promise<{ ok: true; token: string } | Fault> {
  const now = deps.clock.now();
  const sessions = await deps.accounts.sessions(person.accountId);
  const own = sessions.filter((one) => one.kind === 'command');
  if (own.filter((one) => !hasEnded(one, now)).length >= maxTokens)
    return { ok: false, message: `You have ${maxTokens} tokens: end one first.` };
  const { token, write } = createSession(deps, person.accountId, 'command');
  const ended = own.filter((one) => hasEnded(one, now));
  const removals = ended.map(({ id }) => accountWrites.endSession({ accountId: person.accountId, id }));
  const changed = await changeAccount(deps, person, {
    action: 'create_command_token',
    writes: [...removals, write],
  });
  return changed.ok ? { ok: true, token: `${tokenPrefix}${token}` } : changed;
}

/** Returns the role of the person whose name and token were given; `undefined` when they prove none. */
export async function roleOfToken(
  deps: Pick<AccountDeps, 'accounts' | 'clock'>,
  name: string,
  token: string,
): Promise<AccountRole | undefined> {
  if (!token.startsWith(tokenPrefix)) return undefined;
  const person = await findSession(deps, token.slice(tokenPrefix.length), { kind: 'command' });
  return person?.name === name ? person.role : undefined;
}
