import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { aggregators } from '../../src/aggregators/registry.ts';
import { sandboxFile } from '../../src/cli/service/find-service.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { requireFile } from '../../src/gateway/database/database-location.ts';
import { createReader } from '../../src/gateway/wiring/reads.ts';
import type { EpochMs } from '../../src/shared/clock.ts';
import { UserError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { replacePrivately } from '../../src/sqlite/private-file.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { type StillClock, stillClock } from '../../src/testing/clock.ts';
import {
  addProgramMerchant,
  gatewayUrl,
  type Programs,
  serviceFile,
  startPrograms,
} from '../../src/testing/programs.ts';
import { addAccounts, endTokens } from './accounts.ts';
import { createFiles, type SeedFiles, type SeedPorts, seedPorts } from './files.ts';
import { seededIds } from './ids.ts';
import { type SeedNetwork, seedNetwork } from './network.ts';
import { createReadNewest, createScene, weekMs } from './scene.ts';
import { shops } from './shops.ts';
import { type Progress, stageWeek } from './stage.ts';

/** Longer than the programs need to stop, which the clock counts. */
const stopMs = 120_000;

/** Upper bound of the worker's idle time, and the interval between seals. Rounds without work would take a third of the time. */
const maxIdleMs = 60_000;

type Keys = Map<string, string>;

export type SeedOptions = {
  ports?: SeedPorts;
  /** Called after each thing that happens in the week. */
  onProgress?(progress: Progress): void;
};

/**
 * Fills a ledger with a week of payments: through the gateway and the service of this process, on a clock that is advanced.
 * The same `endsAt` gives the same ledger, except for the secrets of the configuration and the signatures. Both programs
 * can be started on the files.
 *
 * @param endsAt the end of the week. The ledger has no later time.
 * @throws UserError when the folder has a ledger.
 */
export async function createSeed(
  folder: string,
  endsAt: EpochMs,
  { ports = seedPorts, onProgress = () => {} }: SeedOptions = {},
): Promise<SeedFiles> {
  if (existsSync(join(folder, 'gateway.db')))
    throw new UserError(`${folder} has a ledger: remove the folder, or choose another one with --folder`);
  const work = createFiles(mkdtempSync(join(fastFolder(), 'dialtill-seed-')), ports);
  try {
    await fill(work, endsAt, onProgress);
    return moveFiles(work, folder);
  } finally {
    rmSync(work.folder, { recursive: true, force: true });
  }
}

/** In memory where there is such a folder: nothing must survive a crash before the ledger is full. */
function fastFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

async function fill(
  files: SeedFiles,
  endsAt: EpochMs,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const clock = stillClock(endsAt - stopMs - weekMs);
  const ids = seededIds(clock);
  const network = seedNetwork();
  const keys: Keys = new Map();
  const stores: Store[] = [];
  const programs = await startSeedPrograms({
    files,
    clock,
    ids,
    network,
    keys,
    onStore: (one) => stores.push(one),
  });
  const store = () => stores.at(-1) as Store;
  try {
    await addShops(programs, files, keys);
    await addAccounts(store(), files.secrets, clock);
    const readNewest = createReadNewest(programs.config.database.file);
    const scene = createScene({ programs, network, clock, ids, files, readNewest });
    await stageWeek(scene, onProgress).finally(readNewest.close);
    await setWebhooks(programs, files, `http://127.0.0.1:${files.ports.gateway}`);
    await endTokens(store());
  } finally {
    await programs.stop();
  }
  writeSandboxSettings(files, clock.now());
}

/** Moves the files of the programs. The service's database gets its name of `dialtill service start`. */
function moveFiles(work: SeedFiles, to: string): SeedFiles {
  const files = createFiles(to, work.ports, work.secrets);
  for (const name of readdirSync(work.folder).filter((one) => !one.endsWith('.lock'))) {
    const target = join(files.folder, name === basename(serviceFile('')) ? 'sandbox.db' : name);
    cpSync(join(work.folder, name), target);
    chmodSync(target, 0o600);
  }
  return files;
}

type StartDeps = {
  files: SeedFiles;
  clock: StillClock;
  ids: ReturnType<typeof seededIds>;
  network: SeedNetwork;
  keys: Keys;
  /** Called with the store of each gateway that is created. */
  onStore(store: Store): void;
};

function startSeedPrograms({ files, clock, ids, network, keys, onStore }: StartDeps): Promise<Programs> {
  const [{ id, name }] = shops;
  return startPrograms({
    ...{ folder: files.folder, clock, ids, network },
    log: createLog({ level: 'silent', pretty: false }),
    merchant: { id, name, webhookSecret: files.secrets.webhooks[id] ?? '' },
    service: { adminToken: files.secrets.admin },
    configure(key) {
      keys.set(id, key);
      return writeConfig(files, keys);
    },
    overrides: () => ({
      ...{ createReader, maxIdleMs },
      createStore(settings) {
        const store = createSqliteStore(settings);
        onStore(store);
        return store;
      },
    }),
  });
}

function writeConfig(files: SeedFiles, keys: Keys) {
  files.writeConfig(keys);
  const config = loadConfig(files.configFile, {}, aggregators);
  return { ...config, database: { file: requireFile(config.database) } };
}

/** Registers the other merchants, and restarts the gateway with all of them. */
async function addShops(programs: Programs, files: SeedFiles, keys: Keys): Promise<void> {
  for (const { id, name } of shops.slice(1)) {
    const { key } = await addProgramMerchant(programs.service, name);
    keys.set(id, key);
  }
  await setWebhooks(programs, files, gatewayUrl);
  Object.assign(programs.config, writeConfig(files, keys));
  await programs.restartGateway();
}

async function setWebhooks({ service }: Programs, { secrets }: SeedFiles, url: string): Promise<void> {
  for (const merchant of await service.listMerchants()) {
    const shop = shops.find(({ name }) => name === merchant.name);
    if (!shop) throw new Error(`no shop ${merchant.name}`);
    const endpoint = { merchantId: merchant.id, livemode: false, url: `${url}/webhooks/${shop.id}` };
    await service.setWebhook({ ...endpoint, secret: secrets.webhooks[shop.id] ?? '' });
  }
}

/** Writes the settings of `dialtill service start --data <folder>`. */
function writeSandboxSettings({ folder, secrets, ports }: SeedFiles, startedAt: EpochMs): void {
  const url = `http://127.0.0.1:${ports.service}`;
  const settings = { url, adminToken: secrets.admin, advancedMs: 0, startedAt };
  replacePrivately(sandboxFile(folder), `${JSON.stringify(settings, null, 2)}\n`);
}
