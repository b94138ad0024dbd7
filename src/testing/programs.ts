import { join } from 'node:path';
import type { Fetch } from '../gateway/collection/calls/client.ts';
import type { FileConfig } from '../gateway/config/schema.ts';
import { createGateway, type Gateway } from '../gateway/create.ts';
import type { GatewayOverrides } from '../gateway/wiring/context.ts';
import { createService, type Service, type ServiceConfig } from '../service/create.ts';
import type { Ids } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { createSqliteReader } from '../sqlite/sqlite.ts';
import type { Store } from '../sqlite/store.ts';
import type { StillClock } from './clock.ts';

export const gatewayUrl = 'http://gateway.test';
export const serviceUrl = 'http://service.test';

/** Time for both programs to stop. */
const stopMs = 60_000;

/** Time for the gateway alone to stop. */
const gatewayStopMs = 30_000;

/** The merchant that the service registers. */
export type ProgramMerchant = {
  /** The merchant's id in the gateway's configuration. */
  readonly id: string;
  readonly name: string;
  readonly webhookSecret: string;
};

/** Intercepts the traffic between the programs. `pass` sends the request on. */
export type ProgramNetwork = {
  call?(url: string, init: Parameters<Fetch>[1], pass: () => Promise<Response>): Promise<Response>;
  webhook?(init: RequestInit | undefined, pass: () => Promise<Response>): Promise<Response>;
};

export type ProgramOptions = {
  /** An existing folder for the two databases. */
  readonly folder: string;
  readonly clock: StillClock;
  readonly ids: Ids;
  readonly log: Log;
  readonly merchant: ProgramMerchant;
  readonly service: Omit<ServiceConfig, 'databaseFile'>;
  /** Returns the gateway's configuration for the API key of the merchant. */
  configure(key: string): FileConfig;
  readonly network?: ProgramNetwork;
  /** Returns further overrides for each gateway that is created, also for one after a restart. */
  overrides?(): Partial<GatewayOverrides> | Promise<Partial<GatewayOverrides>>;
  /** Opens the gateway's database for reading; its file by default. */
  openReader?(): Promise<Store>;
};

/** A gateway and a service in this process, joined without sockets, on one clock. */
export type Programs = {
  readonly config: FileConfig;
  readonly service: Service;
  /** @throws Error when the gateway is not running. */
  gateway(): Gateway;
  request(url: string, init?: RequestInit): Promise<Response>;
  read<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Stops the gateway and creates a new one on the same files. `between` runs while no gateway is open. */
  restartGateway(between?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
};

/** Creates the service, registers the merchant, and starts both programs. */
export async function startPrograms(options: ProgramOptions): Promise<Programs> {
  const { folder, clock, ids, log, merchant, network = {} } = options;
  let gateway: Gateway | undefined;
  let read: Programs['read'] | undefined;
  const runningGateway = () => {
    if (!gateway) throw new Error('the gateway is not running');
    return gateway;
  };
  const request = async (url: string, init?: RequestInit) => runningGateway().app.request(url, init);
  const service = createService(
    { ...options.service, databaseFile: serviceFile(folder) },
    {
      clock,
      ids,
      log: log.child({ program: 'service' }),
      async fetch(input, init) {
        const pass = () => request(String(input), init);
        return network.webhook ? network.webhook(init, pass) : pass();
      },
    },
  );
  const fetch: Fetch = async (url, init) => {
    const { signal: _signal, ...rest } = init;
    const pass = async () => service.app.request(url, rest);
    return network.call ? network.call(url, init, pass) : pass();
  };
  const startGateway = async (config: FileConfig) => {
    const parts = { clock, ids, fetch, log: log.child({ program: 'gateway' }) };
    const created = createGateway(config, { ...parts, ...(await options.overrides?.()) });
    const reads = createReads(config.database.file, options.openReader);
    gateway = {
      ...created,
      async stop() {
        await reads.close();
        await created.stop();
      },
    };
    read = reads.read;
    await gateway.start();
  };
  const stop = async () => {
    await Promise.all([gateway?.stop(), service.stop(), clock.advance(stopMs)]);
  };
  try {
    const { merchantId, key } = await addProgramMerchant(service, merchant.name);
    const url = `${gatewayUrl}/webhooks/${merchant.id}`;
    await service.setWebhook({ merchantId, livemode: false, url, secret: merchant.webhookSecret });
    const config = options.configure(key);
    await startGateway(config);
    service.start();
    return {
      config,
      service,
      gateway: runningGateway,
      request,
      read: (work) => (read ? read(work) : readDatabase(config.database.file, work)),
      async restartGateway(between) {
        await Promise.all([runningGateway().stop(), clock.advance(gatewayStopMs)]);
        await between?.();
        await startGateway(config);
        await clock.advance(0);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The service's database in the folder of the programs. */
export function serviceFile(folder: string): string {
  return join(folder, 'service.db');
}

/** Registers an approved merchant at the service. Returns its test key. */
export async function addProgramMerchant(
  service: Service,
  name: string,
): Promise<{ merchantId: string; key: string }> {
  const { id: merchantId } = await service.createMerchant({ name });
  await service.approveOffline(merchantId);
  const { key } = await service.createKey({ merchantId, livemode: false });
  return { merchantId, key };
}

/** Reads the database of a running gateway, on one connection; after `close`, when the file may be replaced, on one each. */
function createReads(
  file: string,
  openReader: ProgramOptions['openReader'],
): { read: Programs['read']; close(): Promise<void> } {
  let store: Store | undefined;
  let isClosed = false;
  return {
    async read(work) {
      if (openReader) return readOnce(await openReader(), work);
      if (isClosed) return readDatabase(file, work);
      store ??= createSqliteReader(file, { live: true });
      return work(store);
    },
    async close() {
      isClosed = true;
      await store?.close();
    },
  };
}

/** Runs `work` on a read-only connection to a database, and closes the connection. */
export async function readDatabase<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  return readOnce(createSqliteReader(file), work);
}

async function readOnce<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
