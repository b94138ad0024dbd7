import { addAccountInput, changeRoleInput } from '../../contract/account.ts';
import { noInput } from '../../contract/review.ts';
import { createOperation } from './operation.ts';
import {
  addAccount,
  changeRole,
  disableAccount,
  enableAccount,
  listAccounts,
  resetAccount,
} from './operations/accounts.ts';

/** The operations on accounts of the console. The id in a path is the name of the account. */
export const accountOperations = {
  list: createOperation({ method: 'GET', path: '/accounts', input: noInput, run: listAccounts }),
  add: createOperation({ method: 'POST', path: '/accounts', input: addAccountInput, run: addAccount }),
  reset: createOperation({ method: 'POST', path: '/accounts/:id/reset', input: noInput, run: resetAccount }),
  disable: createOperation({
    method: 'POST',
    path: '/accounts/:id/disable',
    input: noInput,
    run: disableAccount,
  }),
  enable: createOperation({
    method: 'POST',
    path: '/accounts/:id/enable',
    input: noInput,
    run: enableAccount,
  }),
  changeRole: createOperation({
    method: 'POST',
    path: '/accounts/:id/role',
    input: changeRoleInput,
    run: changeRole,
  }),
} as const;
