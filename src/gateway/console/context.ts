import type { Clock } from '../../shared/clock.ts';
import type { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import type { Log } from '../../shared/log.ts';
import type { LogSummary } from '../../shared/log-summary.ts';
import type { Assets } from '../../shared/pages/assets.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import type { OpenAccount } from '../accounts/open-account.ts';
import type { PasskeyDeps } from '../accounts/passkeys.ts';
import type { SavedViewStore } from '../accounts/saved-view-store.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { StaffDeps } from '../staff/operation.ts';
import type { ConsoleReader } from './reads.ts';

/** What the running gateway knows about itself and about the calls of its merchants. */
export type GatewayCondition = {
  readiness: Readiness;
  /** Merchants whose calls the service does not answer. */
  unavailable: readonly string[];
  /** Merchants whose key the service rejects. */
  keysRejected: readonly string[];
};

/** What pages use. A page takes the parts that it needs. */
export type ConsoleContext = {
  reader: ConsoleReader;
  /** What people change. It has the mode and the merchants. */
  operations: StaffDeps;
  accounts: AccountDeps;
  /** Absent when the address of the console is an IP address. */
  passkeys: PasskeyDeps | undefined;
  views: SavedViewStore;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  log: Log;
  assets: Assets;
  publicUrl: URL;
  /** Addresses of proxies whose `x-forwarded-for` header is trusted. */
  trustedProxies: { has(address: string): boolean };
  /** Accounts of the demo, which need no password. */
  openAccounts: readonly OpenAccount[];
  /** Wrong sign-ins: any stranger can send them. */
  wrongSignIns: LogSummary;
  condition(): Promise<GatewayCondition>;
  /** The files that are being sent, by account. */
  exports: InFlightLimit;
  /** The streams of changes that are open, by account. */
  streams: InFlightLimit;
  /** Aborts when the server stops. */
  closing: AbortSignal;
};
