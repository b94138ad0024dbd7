import { type Command, Option } from 'commander';
import {
  type AccountRole,
  type AccountView,
  accountList,
  accountRoles,
  accountView,
  accountWithCode,
  doneAnswer,
  signInAnswer,
} from '../../../contract/staff/account.ts';
import { staffPath } from '../../../contract/staff/staff.ts';
import type { Tolerant } from '../../../contract/tolerant.ts';
import { UserError } from '../../../shared/errors.ts';
import { exchange } from '../../../shared/http/exchange.ts';
import { showTime } from '../../../shared/time-text.ts';
import { type ActionDeps, act, addGatewayOptions, addGroup, printList } from '../../command-options.ts';
import type { CommandContext } from '../../context.ts';
import { signInFile } from '../../env-file.ts';
import { checkTransport } from '../../gateway-url.ts';
import {
  findUrl,
  type GatewayAddress,
  keepSignIn,
  readSignIn,
  removeSignIn,
} from '../../staff/find-gateway.ts';
import { createStaffClient, readStaffAnswer, type StaffFlags } from '../../staff/staff-client.ts';
import { printAnswer, shellWord } from '../../terminal/output.ts';
import { askLines, credentialQuestions } from '../../terminal/terminal.ts';

type StaffCommandDeps = SignInDeps & ActionDeps;

const groupHelp = `
Without a person, these commands act with console.secretsKey of the configuration: so whoever has the files of the gateway adds
its first account. The audit shows such an action as one of "(configuration)". When no gateway runs, they open its ledger.`;

type AddOptions = StaffFlags & { role: AccountRole; merchant?: string };

export function registerStaff(program: Command, deps: StaffCommandDeps): void {
  const staff = addGroup(program, {
    path: 'staff',
    examples: ['add ama --role lead', 'sign-in ama'],
    more: groupHelp,
  });
  const add = (usage: string, description: string, example: string) =>
    staff.addAction({ usage, description, examples: [example] });
  const addRole = (command: Command) =>
    command
      .addOption(
        new Option('--role <role>', 'what the person may do').choices(accountRoles).makeOptionMandatory(),
      )
      .option('--merchant <id>', 'the merchant of the role merchant');

  addRole(
    add('add <name>', 'add an account and print the code of its first use, once', 'add ama --role lead'),
  ).action((name: string, options: AddOptions) => addAccount(deps, name, options));

  add(
    'reset <name>',
    'end the password, the codes and the sessions of an account, and print a code for its next use',
    'reset ama',
  ).action((name: string, options: StaffFlags) =>
    act(deps, options, { path: ['accounts', name, 'reset'], schema: accountWithCode }, describeCode),
  );

  for (const [action, done, description] of [
    ['disable', 'disabled', 'disable an account and end its sessions'],
    ['enable', 'enabled', 'enable a disabled account again'],
    [
      'accept',
      'accepted',
      'let a person decide about money whose right is new; without it, the right holds after 24 hours',
    ],
  ] as const)
    add(`${action} <name>`, description, `${action} ama`).action((name: string, options: StaffFlags) => {
      const change = { path: ['accounts', name, action], schema: accountView };
      return act(deps, options, change, (account) => `${done} ${account.name}`);
    });

  addRole(
    add('role <name>', 'change the role of an account, from its next request on', 'role ama --role finance'),
  ).action((name: string, options: AddOptions) => changeRole(deps, name, options));

  add('list', 'list the accounts with their roles', 'list').action((options: StaffFlags) =>
    printList(deps, options, { path: '/accounts', schema: accountList }, accountTable),
  );

  addGatewayOptions(
    staff.add({
      usage: 'sign-in [name]',
      description: 'sign in with the password and a code, so that the commands act as you for 30 days',
      examples: ['sign-in ama'],
      more: `\n${signInHelp}`,
    }),
  )
    .option('--print', 'print the token as an export line of the shell, and keep no file')
    .action((name: string | undefined, options: SignInFlags) => signInCommand(deps, name, options));
  addGatewayOptions(
    staff.add({
      usage: 'sign-out',
      description: 'end the token of this user at the gateway',
      examples: ['sign-out'],
    }),
  ).action((options: StaffFlags) => signOutCommand(deps, options));
}

const signInHelp = `
Asks for the password, which is not shown, and a code. Without a terminal, they are the first two lines of the input. The token
stands in ~/.config/dialtill/sign-ins.json (XDG_CONFIG_HOME), which only you can read: one for each gateway. For five minutes, the
commands also do what needs the password, such as an approval; afterwards they ask for it.

Exit codes:
  0  signed in
  1  the gateway refuses the sign-in or is not reachable, or the token cannot be kept
  2  wrong usage`;

function addAccount(deps: StaffCommandDeps, name: string, options: AddOptions): Promise<void> {
  const { role, merchant: merchantId = null } = options;
  const change = { path: ['accounts'], schema: accountWithCode, body: { name, role, merchantId } };
  return act(deps, options, change, describeCode);
}

function changeRole(deps: StaffCommandDeps, name: string, options: AddOptions): Promise<void> {
  const { role, merchant: merchantId = null } = options;
  const change = { path: ['accounts', name, 'role'], schema: accountView, body: { role, merchantId } };
  return act(deps, options, change, (account) => `${account.name} is ${account.role}`);
}

type WithCode = { account: { name: string; role: string }; code: string; codeUntil: string };

function describeCode({ account, code, codeUntil }: WithCode): string {
  return [
    `account  ${account.name}  ${account.role}`,
    `code     ${code}`,
    `The code is not shown again. Enter it at /console/first-use before ${showTime(Date.parse(codeUntil))} UTC.`,
  ].join('\n');
}

const accountTable = {
  none: 'no accounts',
  head: ['name', 'role', 'merchant', 'state', 'created (UTC)'],
  cells,
};

function cells({ name, role, merchantId, state, codeUntil, createdAt }: Tolerant<AccountView>): string[] {
  const shown = state === 'invited' && codeUntil === null ? 'invited, code ended' : state;
  return [name, role, merchantId ?? '-', shown, showTime(Date.parse(createdAt))];
}

/** The process and the network of a sign-in. */
type SignInDeps = Pick<CommandContext, 'env' | 'fetch' | 'clock' | 'stdin' | 'stdout' | 'stderr'>;

type SignInFlags = StaffFlags & { print?: boolean };

/** Signs a person in at a gateway, and keeps the token or prints it. */
async function signInCommand(
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
async function signOutCommand(deps: SignInDeps, options: StaffFlags): Promise<void> {
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
