import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { callerOf } from '../../../shared/http/caller.ts';
import { clientNetworkOf } from '../../../shared/http/client-network.ts';
import type { LogSummary } from '../../../shared/log-summary.ts';
import type { AccountDeps } from '../../accounts/deps.ts';
import type { OpenAccount } from '../../accounts/open-account.ts';
import type { PasskeyDeps } from '../../accounts/passkeys.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleReader } from '../reads.ts';

/** What the pages about people use. */
export type AccessPagesDeps = {
  accounts: AccountDeps;
  /** Absent when the address of the console is an IP address. */
  passkeys: PasskeyDeps | undefined;
  operations: StaffDeps;
  reader: ConsoleReader;
  /** Accounts of the demo, which need no password. */
  openAccounts: readonly OpenAccount[];
  publicUrl: URL;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
  /** Wrong sign-ins: any stranger can send them. */
  wrongSignIns: LogSummary;
};

/** Returns the address of the browser; undefined when it is not known. */
export function addressOf(c: Context, { trustedProxies }: AccessPagesDeps): string | undefined {
  const { incoming }: Partial<HttpBindings> = c.env ?? {};
  return callerOf(incoming, c.req.header('x-forwarded-for'), trustedProxies);
}

/** Returns the network of the browser, by which guesses are counted. */
export function networkOf(c: Context, deps: AccessPagesDeps): string {
  return clientNetworkOf(addressOf(c, deps) ?? 'unknown');
}
