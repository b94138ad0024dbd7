import type { z } from 'zod';
import {
  type AccountView,
  type AccountWithCode,
  type accountList,
  addAccountInput,
  changeRoleInput,
} from '../../../contract/staff/account.ts';
import type { Write } from '../../../sqlite/store.ts';
import { accountActionWrite } from '../../accounts/account-action.ts';
import { type Account, accountWrites, maxAccounts } from '../../accounts/account-store.ts';
import { createCode, digestOfCode } from '../../accounts/code.ts';
import { passkeyWrites } from '../../accounts/passkey-store.ts';
import { alertWrites } from '../../notify/alert-store.ts';
import { decidesAfterReset, decidesFrom, isWaiting, newDeciderRefusal } from '../deciders.ts';
import {
  defineOperation,
  type OperationRefusal,
  refuse,
  type StaffAnswer,
  type StaffDeps,
  type Subject,
} from '../operation.ts';

const codeMs = 60 * 60_000;

const accountSubject: Subject<StaffDeps, Account> = {
  find: ({ accounts }, { id }) => accounts.findByName(id),
  unknown: ({ id }) => refuse('not_found', `no account ${id}: list them with "dialtill staff list"`),
};

export const listAccounts = defineOperation({
  route: 'GET /accounts',
  permission: 'accounts.manage',
  async run(deps: StaffDeps): Promise<StaffAnswer<z.infer<typeof accountList>>> {
    const data = (await deps.accounts.list()).map((one) => viewAccount(deps, one));
    return { ok: true, value: { data, total: data.length, next: null } };
  },
});

/** Adds an account and returns the code of its first use, once. */
export const addAccount = defineOperation({
  route: 'POST /accounts',
  permission: 'accounts.manage',
  confirm: true,
  input: addAccountInput,
  async run(deps: StaffDeps, { actor, input }): Promise<StaffAnswer<AccountWithCode>> {
    const fault = roleFault(deps, input);
    if (fault) return fault;
    const now = deps.clock.now();
    const code = createCode(deps.ids);
    const id = deps.ids.next('acc');
    const { decidesFrom: from, maxDeciders } = await decidesFrom(deps, { id, role: input.role });
    const row: Account = {
      ...{ id, ...input },
      ...{ password: null, seed: null, nextSeed: null, lastStep: 0, lastNetwork: null },
      decidesFrom: from,
      ...{ codeDigest: digestOfCode(code), codeUntil: now + codeMs },
      ...{ createdAt: now, disabledAt: null },
    };
    const { role } = input;
    const isAdded = await apply(deps, { actor, action: 'add_account', account: row, detail: { role } }, [
      accountWrites.insert(row, maxDeciders),
    ]);
    if (!isAdded) {
      const all = await deps.accounts.list();
      if (all.some(({ name }) => name === input.name))
        return refuse('conflict', `there is an account ${input.name} already`);
      if (all.length >= maxAccounts) return refuse('conflict', `there are ${maxAccounts} accounts`);
      return changedMeanwhile;
    }
    return { ok: true, value: withCode(deps, row, code) };
  },
});

/** Ends everything with which a person signs in and gets alerts, and returns a new code for the first use. */
export const resetAccount = defineOperation({
  route: 'POST /accounts/:id/reset',
  permission: 'accounts.manage',
  confirm: true,
  subject: accountSubject,
  async run(deps: StaffDeps, { actor, subject: account }): Promise<StaffAnswer<AccountWithCode>> {
    if (account.disabledAt !== null) return refuse('conflict', 'the account is disabled: enable it first');
    const code = createCode(deps.ids);
    const now = deps.clock.now();
    const codeUntil = now + codeMs;
    const from = await decidesAfterReset(deps, account);
    const { id, decidesFrom: read } = account;
    const invited = { id, codeDigest: digestOfCode(code), codeUntil, decidesFrom: from };
    const isReset = await apply(deps, { actor, action: 'reset_account', account }, [
      accountWrites.invite({ ...invited, decidesFromRead: read ?? 0 }),
      accountWrites.deleteCodes({ id: account.id }),
      passkeyWrites.removeAll({ accountId: account.id }),
      accountWrites.endSessions({ accountId: account.id }),
      alertWrites.removeAll({ accountId: account.id }),
    ]);
    if (!isReset) return changedMeanwhile;
    return {
      ok: true,
      value: withCode(deps, { ...account, password: null, codeUntil, decidesFrom: from }, code),
    };
  },
});

/** Disables an account, ends its sessions and removes the addresses of its alerts. */
export const disableAccount = defineOperation({
  route: 'POST /accounts/:id/disable',
  permission: 'accounts.manage',
  confirm: true,
  subject: accountSubject,
  async run(deps: StaffDeps, { actor, subject: account }): Promise<StaffAnswer<AccountView>> {
    if (account.name === actor.name) return refuse('conflict', 'another person must disable your account');
    const now = deps.clock.now();
    const isDisabled = await apply(deps, { actor, action: 'disable_account', account }, [
      accountWrites.disable({ id: account.id, now }),
      accountWrites.endSessions({ accountId: account.id }),
      alertWrites.removeAll({ accountId: account.id }),
    ]);
    if (!isDisabled) return refuse('conflict', 'the account is disabled already');
    return { ok: true, value: viewAccount(deps, { ...account, disabledAt: now }) };
  },
});

/** Enables an account again. Its password and its one-time passwords are valid as before; its right to decide about money is new. */
export const enableAccount = defineOperation({
  route: 'POST /accounts/:id/enable',
  permission: 'accounts.manage',
  confirm: true,
  subject: accountSubject,
  async run(deps: StaffDeps, { actor, subject: account }): Promise<StaffAnswer<AccountView>> {
    if (account.disabledAt === null) return refuse('conflict', 'the account is not disabled');
    const { id, role, decidesFrom: read } = account;
    const { decidesFrom: from } = await decidesFrom(deps, { id, role, before: account });
    const isEnabled = await apply(deps, { actor, action: 'enable_account', account }, [
      accountWrites.enable({ id, decidesFrom: from, decidesFromRead: read ?? 0 }),
    ]);
    if (!isEnabled) return changedMeanwhile;
    return { ok: true, value: viewAccount(deps, { ...account, decidesFrom: from, disabledAt: null }) };
  },
});

/** Changes the role of an account, from its next request on. The addresses of its alerts end: they were proven for another role. */
export const changeRole = defineOperation({
  route: 'POST /accounts/:id/role',
  permission: 'accounts.manage',
  confirm: true,
  input: changeRoleInput,
  subject: accountSubject,
  async run(deps: StaffDeps, { actor, input, subject: account }): Promise<StaffAnswer<AccountView>> {
    if (account.name === actor.name) return refuse('conflict', 'another person must change your role');
    const fault = roleFault(deps, input);
    if (fault) return fault;
    const detail = { from: account.role, to: input.role };
    const { maxDeciders, ...from } = await decidesFrom(deps, {
      id: account.id,
      role: input.role,
      before: account,
    });
    const changed = { ...account, ...input, ...from };
    const isChanged = await apply(deps, { actor, action: 'change_role', account: changed, detail }, [
      accountWrites.changeRole({ ...changed, decidesFromRead: account.decidesFrom ?? 0, maxDeciders }),
      alertWrites.removeAll({ accountId: account.id }),
    ]);
    if (!isChanged) return changedMeanwhile;
    return { ok: true, value: viewAccount(deps, changed) };
  },
});

/** Lists the people whose right to decide about money is new, for those who decide; also those who are disabled meanwhile. */
export const listNewDeciders = defineOperation({
  route: 'GET /deciders',
  permission: 'proposals.decide',
  async run(deps: StaffDeps): Promise<StaffAnswer<z.infer<typeof accountList>>> {
    const now = deps.clock.now();
    const data = (await deps.accounts.list())
      .filter((one) => isWaiting(one, now))
      .map((one) => viewAccount(deps, one));
    return { ok: true, value: { data, total: data.length, next: null } };
  },
});

/** Lets a person whose right to decide about money is new decide from now on. */
export const acceptDecider = defineOperation({
  route: 'POST /accounts/:id/accept',
  permission: 'proposals.decide',
  confirm: true,
  subject: accountSubject,
  async run(deps: StaffDeps, { actor, subject: account }): Promise<StaffAnswer<AccountView>> {
    if (account.name === actor.name) return refuse('conflict', 'another person must accept you');
    const refused = await newDeciderRefusal(deps, actor);
    if (refused) return refused;
    if (account.disabledAt !== null)
      return refuse('conflict', `${account.name} is disabled, and waits again when it is enabled`);
    const now = deps.clock.now();
    const isAccepted =
      isWaiting(account, now) &&
      (await apply(deps, { actor, action: 'accept_decider', account }, [
        accountWrites.acceptDecider({ id: account.id, now, decidesFromRead: account.decidesFrom ?? 0 }),
      ]));
    if (!isAccepted) return refuse('conflict', `${account.name} waits for nobody`);
    return { ok: true, value: viewAccount(deps, { ...account, decidesFrom: now }) };
  },
});

const changedMeanwhile = refuse('conflict', 'the accounts have just changed: look at them, and try again');

function apply(
  { accounts, clock, livemode }: StaffDeps,
  action: Parameters<typeof accountActionWrite>[0],
  writes: readonly Write[],
): Promise<boolean> {
  return accounts.apply([...writes, accountActionWrite(action, { livemode, now: clock.now() })]);
}

function roleFault(
  { hasMerchant }: StaffDeps,
  { role, merchantId }: Pick<Account, 'role' | 'merchantId'>,
): OperationRefusal | undefined {
  if (role === 'merchant' && merchantId === null)
    return refuse('invalid_request', 'the role merchant needs the id of its merchant, such as demo-shop');
  if (role !== 'merchant' && merchantId !== null)
    return refuse('invalid_request', `the role ${role} has no merchant: leave ${merchantId} out`);
  if (merchantId !== null && !hasMerchant(merchantId))
    return refuse('not_found', `no merchant ${merchantId} in the configuration`);
  return undefined;
}

function withCode(deps: StaffDeps, account: Account, code: string): AccountWithCode {
  const codeUntil = new Date(account.codeUntil ?? 0).toISOString();
  return { account: viewAccount(deps, account), code, codeUntil };
}

function viewAccount({ clock, isOpenAccount }: StaffDeps, account: Account): AccountView {
  const { name, role, merchantId, password, codeUntil, createdAt, disabledAt } = account;
  const enabled = password === null && !isOpenAccount(name) ? 'invited' : 'active';
  const hasCode = disabledAt === null && codeUntil !== null && codeUntil > clock.now();
  return {
    decidesFrom: isWaiting(account, clock.now()) ? new Date(account.decidesFrom ?? 0).toISOString() : null,
    codeUntil: hasCode ? new Date(codeUntil).toISOString() : null,
    ...{ name, role, merchantId, state: disabledAt === null ? enabled : 'disabled' },
    createdAt: new Date(createdAt).toISOString(),
  };
}
