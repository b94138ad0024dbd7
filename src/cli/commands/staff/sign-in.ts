import { doneAnswer, signInAnswer } from '../../../contract/staff/account.ts';
import { staffPath } from '../../../contract/staff/staff.ts';
import { UserError } from '../../../shared/errors.ts';
import { exchange } from '../../../shared/http/exchange.ts';
import { showTime } from '../../../shared/time-text.ts';
import type { CommandContext } from '../../context.ts';
import { signInFile } from '../../env-file.ts';
import { checkTransport } from '../../gateway-url.ts';
import { findUrl, type GatewayAddress } from '../../staff/find-gateway.ts';
import { keepSignIn, readSignIn, removeSignIn } from '../../staff/sign-in-file.ts';
import { createStaffClient, readStaffAnswer, type StaffFlags } from '../../staff/staff-client.ts';
import { printAnswer, shellWord } from '../../terminal/output.ts';
import { askLines, credentialQuestions } from '../../terminal/terminal.ts';

/** The process and the network of a sign-in. */
export type SignInDeps = Pick<CommandContext, 'env' | 'fetch' | 'clock' | 'stdin' | 'stdout' | 'stderr'>;

export type SignInFlags = StaffFlags & { print?: boolean };

/** Signs a person in at a gateway, and keeps the token or prints it. */
export async function signInCommand(
  deps: SignInDeps,
  given: string | undefined,
  options: SignInFlags,
): Promise<void> {
  const { env, clock, stdout } = deps;
  const address = findUrl(options, env);
  checkTransport(address, 'the password');
  const questions = [...(given === undefined ? [{ text: 'Name: ' }] : []), ...credentialQuestions];
  const answers = await askLines(deps, questions);
  if (!answers)
    throw new UserError('not signed in: the name, the password and the code are needed, one a line.');
  const [name = '', password = '', code = ''] = given === undefined ? answers : [given, ...answers];
  const body = JSON.stringify({ name: name.trim(), password, code: code.trim() });
  const headers = { 'content-type': 'application/json' };
  const answer = await exchange(deps, `${address.url}${staffPath}/sign-in`, {
    method: 'POST',
    headers,
    body,
  });
  const signedIn = readStaffAnswer(address, answer, signInAnswer);
  const { role, token, until } = signedIn;
  const signIn = { name: signedIn.name, token, until };
  if (options.print) {
    stdout.write(`export DIALTILL_STAFF=${shellWord(`${signIn.name}:${token}`)}\n`);
    return;
  }
  const before = readSignIn(env, address.url);
  keepSignIn(env, address.url, { signIn, now: clock.now() });
  // The token before has no other copy. A fault of its end is that it lasts as long as it would anyway.
  if (before) await endToken(deps, address, before).catch(() => {});
  const done = { name: signIn.name, role, until, gateway: address.url };
  const end = `until ${showTime(Date.parse(until))} UTC`;
  printAnswer(stdout, options, done, `signed in as ${done.name} (${role}) at ${address.url}, ${end}`);
}

/** Ends the token of this user at a gateway, and removes it. */
export async function signOutCommand(deps: SignInDeps, options: StaffFlags): Promise<void> {
  const { env, stdout } = deps;
  const address = findUrl(options, env);
  const kept = readSignIn(env, address.url);
  if (!kept)
    throw new UserError(`nobody has signed in at ${address.url}: ${signInFile(env)} has no token of it.`);
  const fault = await endToken(deps, address, kept).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (fault !== undefined && !(fault instanceof UserError)) throw fault;
  removeSignIn(env, address.url);
  if (fault)
    throw new UserError(
      `the token was removed here, and it is not known whether it has ended: ${fault.message} End it on My account in the console.`,
      { cause: fault },
    );
  const done = { name: kept.name, gateway: address.url };
  printAnswer(stdout, options, done, `signed out ${kept.name} at ${address.url}`);
}

function endToken(
  { fetch, clock }: SignInDeps,
  address: GatewayAddress,
  { name, token }: { name: string; token: string },
): Promise<unknown> {
  const from = 'the sign-in';
  return createStaffClient({ fetch, clock }, { ...address, name, secret: token, from }).post(
    '/sign-out',
    doneAnswer,
  );
}
