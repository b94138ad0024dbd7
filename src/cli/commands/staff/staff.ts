import { type Command, Option } from 'commander';
import {
  type AccountRole,
  type AccountView,
  accountList,
  accountRoles,
  accountView,
  accountWithCode,
} from '../../../contract/staff/account.ts';
import type { Tolerant } from '../../../contract/tolerant.ts';
import { showTime } from '../../../shared/time-text.ts';
import { type ActionDeps, act, addGatewayOptions, addGroup, printList } from '../../command-options.ts';
import type { StaffFlags } from '../../staff/staff-client.ts';
import type { SignInDeps, SignInFlags } from './sign-in.ts';

export type StaffCommandDeps = SignInDeps & ActionDeps;

const groupHelp = `
Without a person, these commands act with console.secretsKey of the configuration: so whoever has the files of the gateway adds
its first account. The audit shows such an action as one of "(configuration)". When no gateway runs, they open its ledger.`;

type AddOptions = StaffFlags & { role: AccountRole; merchant?: string };

/** Adds `dialtill staff`: the accounts of people who sign in to the console. */
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

  const load = () => import('./sign-in.ts');
  addGatewayOptions(
    staff.add({
      usage: 'sign-in [name]',
      description: 'sign in with the password and a code, so that the commands act as you for 30 days',
      examples: ['sign-in ama'],
      more: `\n${signInHelp}`,
    }),
  )
    .option('--print', 'print the token as an export line of the shell, and keep no file')
    .action(async (name: string | undefined, options: SignInFlags) =>
      (await load()).signInCommand(deps, name, options),
    );
  addGatewayOptions(
    staff.add({
      usage: 'sign-out',
      description: 'end the token of this user at the gateway',
      examples: ['sign-out'],
    }),
  ).action(async (options: StaffFlags) => (await load()).signOutCommand(deps, options));
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
