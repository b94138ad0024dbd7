import { alignClock, type EpochMs, systemClock } from '../shared/clock.ts';
import { errorMessage, UserError } from '../shared/errors.ts';
import { followingClock } from '../shared/following-clock.ts';
import type { AccessPolicy } from '../shared/http/access.ts';
import type { Served } from '../shared/http/server.ts';
import { noSuspensions, type Suspensions, watchSuspensions } from '../shared/suspensions.ts';
import type { Store } from '../sqlite/store.ts';
import { correctClock } from './collection/apply.ts';
import { adoptAllWrite, releaseLeases } from './collection/store/job-store.ts';
import type { Config } from './config/schema.ts';
import { requireServedHere } from './database/moved-merchants-query.ts';
import { ReplyGate } from './dialogue/reply-gate.ts';
import { inboxWrites } from './inbox/inbox-store.ts';
import type { Seal } from './ledger/chain.ts';
import type { LedgerStore } from './ledger/ledger-store.ts';
import { logHead, sealBlock } from './ledger/seal.ts';
import { checkSigning, type SigningState } from './ledger/seal-key.ts';
import { createReadiness } from './metrics/readiness.ts';
import { notificationWrites } from './notify/notification-store.ts';
import { countEndpoints } from './notify/state-query.ts';
import { sumUnplaced } from './unplaced/list-query.ts';
import { readLastBackup, readServerBackup } from './upkeep/last-backup-store.ts';
import { latestWriteTimes } from './upkeep/recovery-store.ts';
import { createGatewayApp, type GatewayApp } from './wiring/app.ts';
import { createContext, type GatewayContext, type GatewayOverrides } from './wiring/context.ts';
import { createGatewayReader } from './wiring/create-reader.ts';
import { createGatewayMetrics } from './wiring/gateway-metrics.ts';
import { createJobs, type Jobs } from './wiring/jobs.ts';
import {
  type Alerts,
  createAlerts,
  createNotifications,
  createOutbound,
  type Notifications,
  type Outbound,
} from './wiring/outbound.ts';
import type { GatewayReader } from './wiring/reads.ts';
import { createReload } from './wiring/reload.ts';
import { addRoutes } from './wiring/routes.ts';
import { openFile, openServer, type Storage } from './wiring/storage.ts';

export type Gateway = {
  /** Serves USSD callbacks, webhooks, health and metrics. */
  app: GatewayApp;
  /** Which requests the server serves without a limit. */
  access: AccessPolicy;
  /** Answers the usual USSD callbacks and webhooks without the app, faster and with the same result; see `Served`. */
  answerDirectly: Required<Served>['answerDirectly'];
  /** Starts the worker, which makes calls from then on. */
  start(): Promise<void>;
  /**
   * Applies the merchants, menus, channels and people of another configuration, all at once, without a request in between.
   * Requests in flight end with the configuration before, and open dialogues keep their menu.
   *
   * @param next the files of the configuration, read again, when absent.
   * @returns one line for each merchant, channel and person that changed.
   * @throws UserError when the files have errors or a change needs a restart. Nothing has changed then.
   */
  reload(next?: Config): string[];
  /** Makes `/readyz` answer 503, so that a load balancer sends new payers elsewhere. */
  drain(): void;
  /**
   * Waits for the worker's jobs in flight, seals the ledger, and closes the database.
   *
   * @throws the first fault, after everything is closed. The next start seals the rest.
   */
  stop(): Promise<void>;
};

/** Facts of other gateways can be ahead by so much, in milliseconds. */
const otherClocksMs = 60_000;

/** The parts that start and stop with the gateway. */
type Parts = {
  storage: Storage;
  outbound: Outbound;
  jobs: Jobs;
  replyGate: ReplyGate;
  suspensions: Suspensions;
  notifications: Notifications;
  alerts: Alerts;
  reader: GatewayReader;
};

/**
 * Creates a gateway whose ledger is a file or a PostgreSQL database. Opens and migrates it, and starts nothing.
 *
 * @throws UserError when the database is in use, cannot be reached, is newer than the program, or cannot be made durable.
 */
export async function openGateway(config: Config, overrides: GatewayOverrides): Promise<Gateway> {
  const { database } = config;
  if (database.file !== undefined) {
    const context = createContext(config, overrides);
    const storage = openFile(context, overrides, database);
    return assembleServed({ context, config, storage }, overrides);
  }
  const clock = followingClock(overrides.clock ?? systemClock());
  const context = createContext(config, { ...overrides, clock });
  const storage = await openServer(context, overrides, { location: database, clock });
  return assembleServed({ context, config, storage }, overrides);
}

/**
 * Creates the gateway once its ledger is known to serve the merchants of the configuration. It then also answers staff commands that use
 * it without a start.
 */
async function assembleServed(opened: Opened, overrides: GatewayOverrides): Promise<Gateway> {
  try {
    await requireOwnMerchants(opened);
  } catch (fault) {
    await opened.storage.store.close();
    throw fault;
  }
  return assemble(opened, overrides);
}

/**
 * Creates a gateway whose ledger is a file, as `openGateway` does, without waiting.
 *
 * @throws UserError as `openGateway` does, and when the configuration names no file.
 */
export function createGateway(config: Config, overrides: GatewayOverrides): Gateway {
  const context = createContext(config, overrides);
  const { database } = config;
  if (database.file === undefined)
    throw new UserError('createGateway needs database.file; openGateway also opens database.url');
  return assemble({ context, config, storage: openFile(context, overrides, database) }, overrides);
}

/** Reads which merchants have moved. @throws UserError when the configuration has one of them. */
async function requireOwnMerchants({ context, storage }: Pick<Opened, 'context' | 'storage'>): Promise<void> {
  await storage.loadMoved();
  requireServedHere(storage.moved, context.directory.now().merchants.keys());
}

type Opened = { context: GatewayContext; config: Config; storage: Storage };

/** Creates the gateway from its parts, and starts nothing. */
function assemble({ context, config, storage }: Opened, overrides: GatewayOverrides): Gateway {
  const { ids, log, clock } = context;
  let isDraining = false;
  let signing: SigningState = 'ok';

  const isShared = storage.members.name !== null;
  const replyGate = new ReplyGate(context.clock, isShared);
  const suspensions = isShared ? (overrides.suspensions ?? watchSuspensions()) : noSuspensions;
  const metrics = createGatewayMetrics(context, storage, {
    readiness: () => readiness(),
    unavailable: () => outbound.health.unavailableMerchants(),
    rateLimited: () => outbound.rates.pausedMerchants(),
  });
  const outbound = createOutbound(context, storage, metrics, overrides);
  const notifications = createNotifications(context, storage, metrics, overrides);
  const alerts = createAlerts(context, storage, overrides);
  const jobs = createJobs(context, {
    ...{ storage, outbound, replyGate, metrics, notifications, alerts },
    readiness: () => readiness(),
  });
  const { store, space, moved } = storage;
  const isHere = ({ merchantId }: { merchantId: string }) => !moved.has(merchantId);
  const readiness = createReadiness({
    ...{ store, space, ...jobs, ...outbound },
    isDraining: () => isDraining,
    isUnsigned: () => signing === 'missing',
    countUnplaced: async () =>
      (await sumUnplaced(store, clock.now())).filter(isHere).reduce((total, { count }) => total + count, 0),
    countFailingEndpoints: async () =>
      (await countEndpoints(store, context.livemode))
        .filter(isHere)
        .reduce((sum, one) => sum + one.failing + one.disabled, 0),
    lastBackupAt: () => lastBackupAt(context, store),
  });

  const prepareReload = createReload(context, config, { ...overrides, moved });
  const reader = createGatewayReader(context, storage);
  const app = createGatewayApp({ ids, log, networkClock: context.networkClock, readiness });
  const { access, answerDirectly, closeStreams } = addRoutes(app, context, {
    ...{ storage, outbound, jobs, replyGate, suspensions, metrics, notifications, alerts },
    ...{ prepareReload, readiness, reader },
  });

  const parts = { storage, outbound, jobs, replyGate, suspensions, notifications, alerts, reader };
  let stopped: Promise<void> | undefined;
  return {
    app,
    access,
    answerDirectly,
    async start() {
      await requireOwnMerchants({ context, storage });
      signing = await checkSigning(storage.ledger, context.signing, log);
      await start(context, parts);
    },
    reload(next) {
      const { changes, apply } = prepareReload(next);
      apply();
      return changes;
    },
    drain() {
      isDraining = true;
      closeStreams();
    },
    stop() {
      isDraining = true;
      closeStreams();
      stopped ??= stop(context, parts);
      return stopped;
    },
  };
}

/** A live ledger in a file needs backups; a server can have others than those of this program. */
async function lastBackupAt(
  { config, livemode }: GatewayContext,
  store: Store,
): Promise<EpochMs | null | undefined> {
  const { file } = config.database;
  if (file === undefined) return readServerBackup(store);
  return readLastBackup(file)?.at ?? (livemode === 1 ? null : undefined);
}

async function start(
  context: GatewayContext,
  { storage, jobs, replyGate, notifications }: Parts,
): Promise<void> {
  const { clock, log } = context;
  const { store, members, collections } = storage;
  await members.startAlone(async (isAlone) => {
    alignClock(clock, await latestWriteTimes(store), log);
    const now = clock.now();
    // No other process writes a file, so every lease belongs to a process that has ended. On a server, a gateway that has lost its
    // connections for a moment may still make a call: leases expire there.
    const isOnFile = members.name === null;
    const released = isOnFile ? [releaseLeases(now), inboxWrites.releaseLeases(now)] : [];
    const adopted = isAlone && members.name !== null ? [adoptAllWrite(members.name)] : [];
    await store.apply([...released, ...adopted, inboxWrites.limitDelays(now)]);
    if (notifications) await store.apply([notificationWrites.limitDelays(now)]);
    await jobs.recovery.start();
    // After the recovery, which marks collections at the time of their last fact.
    const { reconciliation } = jobs;
    await correctClock({ collections, clock, reconciliation }, isOnFile ? 0 : otherClocksMs);
  });
  replyGate.start();
  jobs.worker.start();
}

async function stop(
  context: GatewayContext,
  { storage, outbound, jobs, suspensions, notifications, alerts, reader }: Parts,
): Promise<void> {
  const { store, ledger } = storage;
  context.rejections.stop();
  suspensions.stop();
  await inOrder([
    () => reader.close(),
    () => jobs.worker.stop(),
    () => store.usable() && releaseEvents(context, jobs),
    () => store.usable() && sealRest(context, ledger),
    () => outbound.quotes.close(),
    () => store.usable() && jobs.recovery.close(),
    () => outbound.close(),
    () => notifications?.close(),
    () => alerts?.close(),
    () => store.close(),
  ]);
}

/** Runs all steps, one after the other. @throws the first fault, after the last step. */
async function inOrder(steps: readonly (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/** Without the release, the events that wait in memory are handled when their leases end. */
async function releaseEvents({ log }: GatewayContext, { events }: Jobs): Promise<void> {
  try {
    await events.release();
  } catch (fault) {
    log.warn({ fault: errorMessage(fault) }, 'the leases of waiting events were not released');
  }
}

/** Seals one block at a time until every row is sealed, and logs the head. */
async function sealRest({ clock, log, signing }: GatewayContext, ledger: LedgerStore): Promise<void> {
  let head: Seal | undefined;
  for (let block = await sealBlock(ledger, clock, signing.key); block; ) {
    head = block;
    block = await sealBlock(ledger, clock, signing.key);
  }
  if (head) logHead(log, head);
}
