import { type Command, Option } from 'commander';
import {
  type AccountRole,
  type AccountView,
  accountList,
  accountRoles,
  accountView,
  accountWithCode,
} from '../../../contract/staff/account.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { personHelp } from '../../staff/person-help.ts';
import { printJson, showTime, table } from '../../terminal/output.ts';
import { type Output, printable } from '../../terminal/protected-output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import type { ConnectStaff, StaffFlags } from '../ledger/types.ts';
import type { SignInDeps, SignInFlags } from './sign-in.ts';

export type StaffCommandDeps = Omit<SignInDeps, 'stdout'> & {
  stdout: Output;
  noColor: boolean;
  /** Returns the client for the person who has signed in, or else for the key of the configuration. */
  staffClient: ConnectStaff;
};

const help = `
Without a person, these commands act with console.secretsKey of the configuration: so whoever has the files of the gateway adds
its first account. The audit shows such an action as one of "(configuration)". When no gateway runs, they open its ledger.

Example:
  $ dialtill staff add ama --role lead
  $ dialtill staff sign-in ama`;

type AddOptions = StaffFlags & { role: AccountRole; merchant?: string };

/** Adds `dialtill staff`: the accounts of people who sign in to the console. */
export function registerStaff(program: Command, deps: StaffCommandDeps): void {
  const staff = program.command('staff').addHelpText('after', help);

  addOptions(
    staff
      .command('add <name>')
      .description('add an account and print the code of its first use, once')
      .addOption(roleOption())
      .option('--merchant <id>', 'the merchant of the role merchant'),
    'add ama --role lead',
  ).action((name: string, options: AddOptions) => addAccount(deps, name, options));

  addOptions(
    staff
      .command('reset <name>')
      .description(
        'end the password, the codes and the sessions of an account, and print a code for its next use',
      ),
    'reset ama',
  ).action(async (name: string, options: StaffFlags) => {
    const client = await deps.staffClient(options);
    printCode(deps, options, await client.post(`/accounts/${pathSegment(name)}/reset`, accountWithCode));
  });

  addOptions(
    staff.command('disable <name>').description('disable an account and end its sessions'),
    'disable ama',
  ).action((name: string, options: StaffFlags) => changeState(deps, { name, action: 'disable', options }));

  addOptions(
    staff.command('enable <name>').description('enable a disabled account again'),
    'enable ama',
  ).action((name: string, options: StaffFlags) => changeState(deps, { name, action: 'enable', options }));

  addOptions(
    staff
      .command('accept <name>')
      .description(
        'let a person decide about money whose right is new; without it, the right holds after 24 hours',
      ),
    'accept ama',
  ).action((name: string, options: StaffFlags) => changeState(deps, { name, action: 'accept', options }));

  addOptions(
    staff
      .command('role <name>')
      .description('change the role of an account, from its next request on')
      .addOption(roleOption())
      .option('--merchant <id>', 'the merchant of the role merchant'),
    'role ama --role finance',
  ).action((name: string, options: AddOptions) => changeRole(deps, name, options));

  addOptions(staff.command('list').description('list the accounts with their roles'), 'list').action(
    (options: StaffFlags) => listAccounts(deps, options),
  );
  addSignIn(staff, deps);
}

function addSignIn(staff: Command, deps: StaffCommandDeps): void {
  addOptions(
    staff
      .command('sign-in [name]')
      .description('sign in with the password and a code, so that the commands act as you for 30 days')
      .option('--print', 'print the token as an export line of the shell, and keep no file'),
    'sign-in ama',
    signInHelp,
  ).action(async (name: string | undefined, options: SignInFlags) =>
    (await import('./sign-in.ts')).signInCommand(deps, name, options),
  );
  addOptions(
    staff.command('sign-out').description('end the token of this user at the gateway'),
    'sign-out',
    '',
  ).action(async (options: StaffFlags) => (await import('./sign-in.ts')).signOutCommand(deps, options));
}

const signInHelp = `
Asks for the password, which is not shown, and a code. Without a terminal, they are the first two lines of the input. The token
stands in ~/.config/dialtill/sign-ins.json (XDG_CONFIG_HOME), which only you can read: one for each gateway. For five minutes, the
commands also do what needs the password, such as an approval; afterwards they ask for it.

Exit codes:
  0  signed in
  1  the gateway refuses the sign-in or is not reachable, or the token cannot be kept
  2  wrong usage`;

function addOptions(command: Command, example: string, more = personHelp): Command {
  return command
    .option('--json', 'print JSON')
    .option('--url <url>', 'URL of the gateway (default: from the configuration)')
    .option('--config <file>', 'configuration file that names the gateway')
    .addHelpText('after', `\nExample:\n  $ dialtill staff ${example}\n${more}`);
}

async function addAccount(deps: StaffCommandDeps, name: string, options: AddOptions): Promise<void> {
  const client = await deps.staffClient(options);
  const { role, merchant: merchantId = null } = options;
  printCode(deps, options, await client.post('/accounts', accountWithCode, { name, role, merchantId }));
}

function roleOption(): Option {
  return new Option('--role <role>', 'what the person may do').choices(accountRoles).makeOptionMandatory();
}

async function changeRole(
  { stdout, staffClient }: StaffCommandDeps,
  name: string,
  options: AddOptions,
): Promise<void> {
  const { role, merchant: merchantId = null } = options;
  const client = await staffClient(options);
  const answer = await client.post(`/accounts/${pathSegment(name)}/role`, accountView, { role, merchantId });
  if (options.json) return printJson(stdout, answer);
  stdout.write(printable(`${answer.name} is ${answer.role}\n`));
}

type WithCode = { account: { name: string; role: string }; code: string; codeUntil: string };

function printCode({ stdout }: StaffCommandDeps, { json }: StaffFlags, answer: WithCode): void {
  if (json) {
    printJson(stdout, answer);
    return;
  }
  const { account, code, codeUntil } = answer;
  const lines = [
    `account  ${account.name}  ${account.role}`,
    `code     ${code}`,
    `The code is not shown again. Enter it at /console/first-use before ${showTime(Date.parse(codeUntil))} UTC.`,
  ];
  stdout.write(printable(`${lines.join('\n')}\n`));
}

const done = { disable: 'disabled', enable: 'enabled', accept: 'accepted' } as const;

async function changeState(
  { stdout, staffClient }: StaffCommandDeps,
  { name, action, options }: { name: string; action: keyof typeof done; options: StaffFlags },
): Promise<void> {
  const client = await staffClient(options);
  const answer = await client.post(`/accounts/${pathSegment(name)}/${action}`, accountView);
  if (options.json) return printJson(stdout, answer);
  stdout.write(printable(`${done[action]} ${answer.name}\n`));
}

async function listAccounts({ stdout, noColor, staffClient }: StaffCommandDeps, options: StaffFlags) {
  const answer = await (await staffClient(options)).get('/accounts', accountList);
  if (options.json) return printJson(stdout, answer);
  const { data } = answer;
  if (data.length === 0) return stdout.write('no accounts\n');
  const head = ['name', 'role', 'merchant', 'state', 'created (UTC)'];
  stdout.write(table(paintFor(stdout, noColor), [head, ...data.map(cells)]));
}

function cells({
  name,
  role,
  merchantId,
  state,
  codeUntil,
  createdAt,
}: Pick<AccountView, 'name' | 'merchantId' | 'createdAt' | 'codeUntil'> & {
  role: string;
  state: string;
}): string[] {
  const hasLapsed = state === 'invited' && codeUntil === null;
  return [
    name,
    role,
    merchantId ?? '-',
    hasLapsed ? 'invited, code ended' : state,
    showTime(Date.parse(createdAt)),
  ];
}
