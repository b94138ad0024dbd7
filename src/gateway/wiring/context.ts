import type { Hono } from 'hono';
import type { openPostgresGateway } from '../../postgres/member.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import type { WebhookFetch } from '../../shared/http/webhook-fetch.ts';
import { type Ids, systemIds } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { createLogSummary } from '../../shared/log-summary.ts';
import type { Suspensions } from '../../shared/suspensions.ts';
import type { CreateStore, Store } from '../../sqlite/store.ts';
import type { OpenAccount } from '../accounts/open-account.ts';
import type { Passwords } from '../accounts/password.ts';
import type { Fetch } from '../collection/calls/client.ts';
import type { OnServiceExchange } from '../collection/calls/service-exchange.ts';
import type { Config } from '../config/schema.ts';
import { createSealKey, readPublicKeys, type SigningSettings } from '../ledger/seal-key.ts';
import type { Lookups } from '../lookup/lookup.ts';
import { createAlarmFeed, observeAlarms } from '../notify/alarm-feed.ts';
import type { NotificationDelivery } from '../notify/deliver.ts';
import { createCurrentDirectory, type DirectoryConfig } from './directory.ts';
import type { GatewayReader } from './reads.ts';

export type GatewayOverrides = {
  log: Log;
  clock?: Clock;
  /** The clock of network timeouts and latencies, which must run in real time while a test advances `clock`. Defaults to `clock`. */
  networkClock?: Clock;
  ids?: Ids;
  fetch?: Fetch;
  /** Replaces `createSqliteStore`, so that a test can inject faults. */
  createStore?: CreateStore;
  /** Replaces `openPostgresGateway`, so that a test can simulate a server. */
  openServer?: typeof openPostgresGateway;
  /** Replaces the watch for suspensions of this process, so that a test can simulate them. */
  suspensions?: Suspensions;
  /** Upper bound of the worker's idle time, and the interval between seals. Defaults to 1,000 ms. */
  maxIdleMs?: number;
  /** Answers lookups instead of the merchants' own systems. */
  lookup?: Lookups['ask'];
  /** Sends notifications instead of the network. */
  notifyFetch?: WebhookFetch;
  /** Receives each attempt to notify a merchant's system, for development. */
  onDelivery?: (delivery: NotificationDelivery) => void;
  /** Receives each call to the service and each authentic webhook of it, for the browser phone. */
  onServiceExchange?: OnServiceExchange | undefined;
  /**
   * Reads the files of the configuration again, for a reload. Without it, only `Gateway.reload` reloads.
   *
   * @throws UserError when they have errors.
   */
  readConfig?: () => Config;
  /** Hashes passwords, so that a test does not wait for it. */
  passwords?: Passwords;
  /** Accounts of the console without a password, for the demo. A live gateway refuses them. */
  openAccounts?: readonly OpenAccount[];
  /** Only the open accounts sign in, with the roles of `openAccounts` whatever the ledger has. */
  hasOnlyOpenAccounts?: boolean;
  /** Reads for people and merchants' systems in this process instead of a thread, so that a test does not wait for its start. */
  createReader?: ((store: Store) => GatewayReader) | undefined;
  /** Adds pages to the server, such as the browser phone of a test environment. */
  createPages?: readonly CreatePages[] | undefined;
  /** Called when the database has failed permanently. The process must then end. */
  onBroken?: () => void;
};

/** The configuration, the clocks and the merchants that all parts of the gateway share. */
export type GatewayContext = ReturnType<typeof createContext>;

/** Derives the shared context from the configuration and the overrides, without side effects. */
export function createContext(config: Config, overrides: GatewayOverrides) {
  const clock = overrides.clock ?? systemClock();
  const livemode = config.environment === 'live' ? 1 : 0;
  const { promptDelayMs, sessionIdleMs } = config.timings;
  const directory = createCurrentDirectory(config, { livemode, promptDelayMs, sessionIdleMs });
  const { networkClock = clock } = overrides;
  const alarms = createAlarmFeed(clock);
  const log = config.console ? observeAlarms(overrides.log, alarms.add) : overrides.log;
  return {
    /** The settings that only a restart changes. The rest is in the directory. */
    config: config as Omit<Config, keyof DirectoryConfig>,
    directory,
    log,
    /** The alarms that wait for the people who get them. */
    alarms,
    clock,
    networkClock,
    rejections: createRejectionLogs({ log, clock: networkClock }),
    ids: overrides.ids ?? systemIds(clock),
    livemode,
    signing: getSigning(config, livemode),
    maxIdleMs: overrides.maxIdleMs ?? 1_000,
    createPages: overrides.createPages ?? [],
    onServiceExchange: overrides.onServiceExchange,
    createReader: overrides.createReader,
    passwords: overrides.passwords,
    openAccounts: overrides.openAccounts ?? [],
    hasOnlyOpenAccounts: overrides.hasOnlyOpenAccounts ?? false,
    /** Returns the merchant's secret key, or `undefined` when the configuration does not contain the merchant. */
    keyOf: (merchantId: string) => directory.now().merchants.get(merchantId)?.key,
    /** Returns the merchants that use the same key, and so the same account at the service: this merchant first. */
    accountOf: (merchantId: string) => directory.now().accountOf(merchantId),
  } as const;
}

/** The log lines that a caller without a secret can cause. */
function createRejectionLogs(deps: Parameters<typeof createLogSummary>[0]) {
  const forgeries = createLogSummary(deps, 'the signature of a webhook does not match');
  const forbiddenAddresses = createLogSummary(
    deps,
    'rejected a USSD request from an address outside allowFrom',
  );
  const wrongStaffSecrets = createLogSummary(deps, 'rejected a request of support staff');
  const wrongSignIns = createLogSummary(deps, 'rejected a sign-in to the console');
  return {
    forgeries,
    forbiddenAddresses,
    wrongStaffSecrets,
    wrongSignIns,
    stop() {
      forgeries.stop();
      forbiddenAddresses.stop();
      wrongStaffSecrets.stop();
      wrongSignIns.stop();
    },
  };
}

function getSigning({ ledger }: Config, livemode: 0 | 1): SigningSettings {
  const { sealKey, publicKeys, signedFrom } = ledger;
  const key = sealKey === undefined ? undefined : createSealKey(sealKey);
  return {
    key,
    publicKeys: readPublicKeys([...(key ? [{ key: key.publicKey }] : []), ...publicKeys]),
    signedFrom,
    livemode,
  };
}

/** The parts of the gateway that further pages of the server use. */
type PageParts = {
  /** The ledger. Pages only read it. */
  store: Store;
  livemode: 0 | 1;
  /** The clock of the network, which does not follow an advanced test clock. */
  clock: Clock;
  ids: Ids;
  /** Returns the present channels, with their secrets. */
  channels(): readonly Config['channels'][number][];
};

/** Pages of the same server, below one path and open to every caller, such as the browser phone. */
export type Pages = {
  /** The first part of their path: `phone`; empty for the page at `/`. */
  area: string;
  app: Hono;
  /** Ends the streams of events, so that a stopping server does not wait for them. */
  close?(): void;
};

export type CreatePages = (parts: PageParts) => Pages;
