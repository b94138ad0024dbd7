import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/permissions.ts';
import { type AccountFault, accountActionWrite, changeAccount } from './account-action.ts';
import { accountWrites } from './account-store.ts';
import { type CheckedPerson, type Credentials, checkPerson, type SignInRefusal } from './check-person.ts';
import { quotaWrite, sessionLimits } from './limit-store.ts';
import { type CommandAccount, isOpenedBy, type OpenCredentials, useOpenAccount } from './open-account.ts';
import { type AccountDeps, createSignInSession, findSignInSession, hasEnded } from './session.ts';

/** With it, the server recognises a token before it reads the database. */
export const tokenPrefix = 'dct_';

/** Tokens of one person that have not ended. */
const maxTokens = 5;

/** Creates a token with which the commands act as the person. It is returned once; the database has its digest. */
export async function createCommandToken(
  deps: AccountDeps,
  person: Person,
): Promise<{ ok: true; token: string } | AccountFault> {
  const { accountId } = person;
  // A file with a token must not be enough to approve a payment.
  const created = await newToken(deps, accountId, false);
  if (!created) return { ok: false, message: `You have ${maxTokens} tokens: end one first.` };
  const { token, writes } = created;
  const changed = await changeAccount(deps, person, { action: 'create_command_token', writes });
  return changed.ok ? { ok: true, token } : changed;
}

/** A person who has signed in on the command line. `until` is the end of the token. */
type SignedIn = { ok: true; person: Pick<Person, 'name' | 'role'>; token: string; until: number };

/** Why a sign-in on the command line is refused. */
export type CommandRefusal = SignInRefusal | { ok: false; reason: 'no_commands' | 'too_many' };

/** Signs a person in on the command line. The token counts as confirmed for five minutes, as a session of a browser does. */
export async function signInForCommands(
  deps: AccountDeps,
  credentials: Credentials,
): Promise<SignedIn | CommandRefusal> {
  const checked = await checkPerson(deps, credentials, 'sign_in');
  return checked.ok ? issueToken(deps, checked) : checked;
}

/** As `signInForCommands`, with an open account of the demo. */
export async function signInOpenlyForCommands(
  deps: AccountDeps,
  open: CommandAccount,
  given: OpenCredentials,
): Promise<SignedIn | CommandRefusal> {
  if (!isOpenedBy(open, given)) return { ok: false, reason: 'wrong' };
  return issueToken(deps, { ...(await useOpenAccount(deps, open)), detail: {} });
}

async function issueToken(
  deps: AccountDeps,
  checked: Pick<CheckedPerson, 'account' | 'writes'> & { detail: object },
): Promise<SignedIn | CommandRefusal> {
  const { account, detail } = checked;
  const { name, role } = account;
  const { clock, livemode } = deps;
  const record = (result?: 'refused') =>
    accountActionWrite(
      {
        actor: name,
        action: 'sign_in',
        ...(result && { result }),
        account,
        detail: { ...detail, command: true },
      },
      { livemode, now: clock.now() },
    );
  const refuse = async (reason: 'no_commands' | 'too_many') => {
    await deps.accounts.apply([...checked.writes, record('refused')]);
    return { ok: false, reason } as const;
  };
  if (role === 'merchant') return refuse('no_commands');
  const created = await newToken(deps, account.id, true);
  if (!created) return refuse('too_many');
  const isSignedIn = await deps.accounts.apply([...checked.writes, ...created.writes, record()]);
  if (!isSignedIn) return { ok: false, reason: 'wrong' };
  const until = clock.now() + sessionLimits.commandMs;
  return { ok: true, person: { name, role }, token: created.token, until };
}

/** Returns a token and its writes, which also remove tokens that have ended; `undefined` when the person has too many. */
async function newToken(
  deps: AccountDeps,
  accountId: string,
  isConfirmed: boolean,
): Promise<{ token: string; writes: Write[] } | undefined> {
  const now = deps.clock.now();
  const sessions = await deps.accounts.sessions(accountId);
  const own = sessions.filter((one) => one.kind === 'command');
  const ended = own.filter((one) => hasEnded(one, now));
  if (own.length - ended.length >= maxTokens) return undefined;
  const { token, write } = createSignInSession(deps, accountId, 'command', isConfirmed);
  const removals = ended.map(({ id }) => accountWrites.endSession({ accountId, id }));
  const quota = quotaWrite('tokens', { accountId, max: maxTokens }, now);
  return { token: `${tokenPrefix}${token}`, writes: [...removals, quota, write] };
}

/** Returns the person whose name and token were given; `undefined` when they prove none. */
export async function findTokenHolder(
  deps: Pick<AccountDeps, 'accounts' | 'clock'>,
  name: string,
  token: string,
): Promise<Person | undefined> {
  if (!token.startsWith(tokenPrefix)) return undefined;
  const person = await findSignInSession(deps, token.slice(tokenPrefix.length), { kind: 'command' });
  return person?.name === name ? person : undefined;
}
