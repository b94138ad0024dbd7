import { createHash } from 'node:crypto';
import type { AccountRole } from '../../src/contract/staff/account.ts';
import { accountStore, accountWrites } from '../../src/gateway/accounts/account-store.ts';
import { tokenPrefix } from '../../src/gateway/accounts/command-token.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { createConfigurationProof } from '../../src/gateway/staff/caller.ts';
import type { Write } from '../../src/sqlite/store.ts';
import type { Till } from './till.ts';

/** Support staff of test gateways: two people who decide about money, an admin, and an auditor. */
export const staffRoles = {
  ama: 'lead',
  kofi: 'finance',
  adwoa: 'admin',
  efua: 'auditor',
} as const satisfies Record<string, AccountRole>;
export type StaffName = keyof typeof staffRoles;

/** The tokens with which the commands of these people act. */
export const staffTokens = {
  ama: `${tokenPrefix}kT3vQ8mZ1xW7pL5nR2dY9c`,
  kofi: `${tokenPrefix}hB6jF4sG0uN8eM2aX7qV3t`,
  adwoa: `${tokenPrefix}rC5wD1yH9kS3bE7oP4iU6z`,
  efua: `${tokenPrefix}mN2pK8tJ5gR9vA3cX6fW1q`,
} as const satisfies Record<StaffName, string>;

/** Later than a test lasts: a token of then has not ended, and what needs the password can be done with it. */
const late = Date.UTC(2100, 0);

const digestOf = (name: StaffName) =>
  createHash('sha256').update(staffTokens[name].slice(tokenPrefix.length)).digest('hex');

/** Adds the console to a configuration, without which a gateway has no accounts. At an IP address, it has no passkeys. */
export function withStaff(config: Pick<Config, 'console'>): void {
  config.console = { publicUrl: 'http://127.0.0.1:8080', secretsKey: Buffer.alloc(32, 9).toString('base64') };
}

/** Adds the account of a person as a sign-in leaves it, without the password and what the audit says about it. */
export function accountOfStaff(name: StaffName): Write {
  return accountWrites.insert({
    ...{ id: `acc_of_${name}`, name, role: staffRoles[name], merchantId: null },
    ...{ password: null, seed: null, nextSeed: null, lastStep: 0, lastNetwork: null, decidesFrom: null },
    ...{ codeDigest: null, codeUntil: null, createdAt: late, disabledAt: null },
  });
}

/** Adds the token of a person. */
export function tokenOfStaff(name: StaffName): Write {
  return accountWrites.insertSession({
    ...{ digest: digestOf(name), id: `ses_of_${name}`, accountId: `acc_of_${name}`, kind: 'command' },
    ...{ createdAt: late, seenAt: late, confirmedAt: late },
  });
}

/** Adds what is missing for a person to act at the gateway of a till. A restore ends tokens. */
export async function signInStaff(till: Till, name: StaffName): Promise<void> {
  const missing = await till.read(async (store) => {
    const accounts = accountStore(store);
    if (await accounts.findSession(digestOf(name))) return [];
    const account = await accounts.findByName(name);
    return [...(account ? [] : [accountOfStaff(name)]), tokenOfStaff(name)];
  });
  // Loses when another call of the same moment has added it.
  if (missing.length > 0) await till.write(missing);
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

export type StaffAnswer = { status: number; body: Record<string, unknown> };

/** Calls an operation of support staff as a person. A body makes the call a POST. The till needs `withStaff`. */
export async function callStaff(
  till: Till,
  name: StaffName,
  path: string,
  body?: unknown,
): Promise<StaffAnswer> {
  await signInStaff(till, name);
  return call(till, path, body, () => basic(name, staffTokens[name]));
}

/** As `callStaff`, with the key of the configuration instead of a person: for accounts, endpoints, keys and a reload. */
export function callWithConfiguration(till: Till, path: string, body?: unknown): Promise<StaffAnswer> {
  const key = till.config.console?.secretsKey ?? '';
  sent += 1;
  // A proof is accepted once: equal requests of one moment differ by the clocks of their senders.
  const at = till.clock.now() + (sent % 1_000);
  return call(till, path, body, (request) => createConfigurationProof(key, request, at));
}

let sent = 0;

async function call(
  till: Till,
  path: string,
  input: unknown,
  authorize: (request: { method: string; path: string; body: string }) => string,
): Promise<StaffAnswer> {
  const request = {
    method: input === undefined ? 'GET' : 'POST',
    path: `/staff/v1${path}`,
    body: input === undefined ? '' : JSON.stringify(input),
  };
  const answer = await till.gateway().app.request(request.path, {
    method: request.method,
    headers: { authorization: authorize(request), 'content-type': 'application/json' },
    ...(input === undefined ? {} : { body: request.body }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export type RecordedAction = {
  actor: string;
  action: string;
  result: string;
  subject: string;
  detail: unknown;
};

/** Returns every recorded action of support staff, oldest first. */
export async function staffActions(till: Till): Promise<RecordedAction[]> {
  const rows = await till.ledger.rows<Omit<RecordedAction, 'detail'> & { detail: string }>(
    'SELECT actor, action, result, subject_id AS subject, detail FROM staff_action ORDER BY seq',
  );
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}
