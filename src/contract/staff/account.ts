import { z } from 'zod';

/*
 * The bodies of the operations on accounts of the console, under `/staff/v1/accounts`. Times are RFC 3339.
 */

/** The roles of staff at the console: docs/console.md lists their rights. */
export const accountRoles = ['agent', 'lead', 'finance', 'auditor', 'admin', 'merchant'] as const;
export type AccountRole = (typeof accountRoles)[number];

const role = z.enum(accountRoles, `expected one of ${accountRoles.join(', ')}`);
const merchantId = z.string().min(1).max(64).nullable().default(null);

const accountName = z
  .string('expected a name such as ama')
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected a name of small letters, digits and -, at most 32');

export const addAccountInput = z.strictObject({ name: accountName, role, merchantId });

export const changeRoleInput = z.strictObject({ role, merchantId });

export const accountView = z.object({
  name: z.string(),
  role,
  merchantId: z.string().nullable(),
  /** `invited` until the person has used the code of the first use. */
  state: z.enum(['invited', 'active', 'disabled']),
  /** The end of the code of an invited person; null when there is none, or it has ended. */
  codeUntil: z.iso.datetime().nullable(),
  /** For a person whose right to decide about money is new: from when it holds. Null for everybody else. */
  decidesFrom: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
});
export type AccountView = z.infer<typeof accountView>;

/** A sign-in on the command line. `code` is a one-time password or a recovery code. */
export const confirmInput = z.strictObject({
  password: z.string().min(1).max(512),
  code: z.string().min(1).max(64),
});
export type ConfirmInput = z.infer<typeof confirmInput>;

export const signInInput = confirmInput.extend({ name: accountName });

/** The token acts as the person until it ends, when the person signs out, or by what ends sessions. */
export const signInAnswer = z.object({
  name: z.string(),
  role,
  token: z.string(),
  until: z.iso.datetime(),
});
export type SignInAnswer = z.infer<typeof signInAnswer>;

/** The answer to a confirmation and to a sign-out. */
export const doneAnswer = z.object({ done: z.literal(true) });

/** Complete: the number of accounts has a bound. */
export const accountList = z.object({ data: z.array(accountView), total: z.int(), next: z.null() });

/** The code is shown once. It ends after one hour, or when the person has used it. */
export const accountWithCode = z.object({
  account: accountView,
  code: z.string(),
  codeUntil: z.iso.datetime(),
});
export type AccountWithCode = z.infer<typeof accountWithCode>;
