import { join, resolve } from 'node:path';
import { createService } from '../../service/create.ts';
import { type AdvanceableClock, advanceableClock, type Clock } from '../../shared/clock.ts';
import { listen, type Served } from '../../shared/http/server.ts';
import { type Ids, systemIds } from '../../shared/ids.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { findWeakness } from '../../shared/secret-strength.ts';
import { createFolder, replacePrivately } from '../../sqlite/private-file.ts';
import { readSandboxSettings, type SandboxSettings, sandboxFile } from './find-service.ts';

type Service = {
  served: Served;
  start(): void;
  stop(): Promise<void>;
};

type RunOptions = {
  host: string;
  port: number;
  /** Names the setting of the port when it is not available. */
  portSetting: string;
  /** How long `stop` waits for running requests, in milliseconds. */
  graceMs: number;
};

/**
 * Serves a service and starts its background work. `saveAddress` runs after the port is open and before the work starts.
 *
 * @returns the address, and a function that stops both.
 * @throws UserError if the port is not available, or the error of `saveAddress`. The service is stopped first.
 */
export async function runService(
  service: Service,
  { graceMs, portSetting, ...address }: RunOptions,
  saveAddress: (url: string) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  try {
    const { url, close } = await listen(service.served, address, portSetting);
    saveAddress(url);
    service.start();
    return {
      url,
      async stop() {
        await close(graceMs);
        await service.stop();
      },
    };
  } catch (fault) {
    await service.stop();
    throw fault;
  }
}

type SandboxOptions = {
  folder: string;
  host: string;
  port: number;
  /** Names the setting of the port when it is not available. Default: the option of `service start`. */
  portSetting?: string;
  /** Opens the admin API. Without it, the first start creates one and stores it. */
  adminToken: string | undefined;
};

type SandboxDeps = {
  clock: Clock;
  log: Log;
  /** Called when the database is no longer usable. Default: the process exits. */
  onBroken?: () => void;
  /** Returns whether a webhook receiver follows the sandbox's test clock, as a gateway in the same process does. */
  isOnTestClock?: (url: string) => boolean;
};

export type RunningSandbox = {
  url: string;
  clock: Clock;
  databaseFile: string;
  /** Holds the address and, if it was created here, the admin token. */
  settingsFile: string;
  stop(): Promise<void>;
};

const graceMs = 1_000;

/**
 * Runs the collection service as a sandbox: test keys, a simulated rail, and a clock that can be advanced and
 * continues from there after a restart. Its files are in one folder; only their owner can read them.
 *
 * @throws UserError if the port or a file is not available, or the token is too short.
 */
export async function serveSandbox(
  { adminToken, ...options }: SandboxOptions,
  { onBroken = () => process.exit(1), ...deps }: SandboxDeps,
): Promise<RunningSandbox> {
  const folder = resolve(options.folder);
  createFolder(folder);
  const settingsFile = sandboxFile(folder);
  const previous = readSandboxSettings(settingsFile);
  const testClock = advanceableClock(deps.clock, previous?.advancedMs);
  const ids = systemIds(testClock);
  const token = adminToken ?? previous?.adminToken ?? ids.secret();

  const weakness = findWeakness(token);
  if (weakness !== undefined) {
    const remedy = 'Generate one with "openssl rand -base64 32".';
    deps.log.warn({ setting: 'DIALTILL_ADMIN_TOKEN' }, `the admin token ${weakness}. ${remedy}`);
  }
  const databaseFile = join(folder, 'sandbox.db');
  const settings: SandboxSettings = {
    url: previous?.url ?? '',
    ...(adminToken === undefined ? { adminToken: token } : {}),
    advancedMs: previous?.advancedMs ?? 0,
    startedAt: deps.clock.now(),
  };
  const save = () => replacePrivately(settingsFile, `${JSON.stringify(settings, null, 2)}\n`);
  const clock: AdvanceableClock = {
    ...testClock,
    advance(ms) {
      testClock.advance(ms);
      // Saved before the next commit: rows of a time that the next start has not reached would never be due.
      settings.advancedMs += ms;
      save();
    },
  };
  const service = createService(
    { databaseFile, adminToken: token },
    { ...deps, ids, testClock: clock, onBroken },
  );
  const { host, port, portSetting = '--port or DIALTILL_SERVICE_PORT' } = options;
  const { url, stop } = await runService(service, { host, port, portSetting, graceMs }, (address) => {
    settings.url = address;
    settings.startedAt = deps.clock.now();
    save();
  });
  return { url, clock, databaseFile, settingsFile, stop };
}

/**
 * Creates the collection service of a project: a sandbox with one merchant, approved for offline collections, whose events
 * go to the project's gateway. `dialtill service start` runs it, and creates its admin token.
 *
 * @returns the merchant's secret key.
 * @throws UserError when the files cannot be created.
 */
export async function createSandboxProcess(
  folder: string,
  merchant: { name: string; webhookUrl: string; webhookSecret: string },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  createFolder(folder);
  const service = createService(
    // The admin API is not used here.
    { databaseFile: join(folder, 'sandbox.db'), adminToken: ids.secret() },
    { clock, ids, log: createLog({ level: 'warn', pretty: true }) },
  );
  try {
    const { id: merchantId } = await service.createMerchant({ name: merchant.name });
    await service.approveOffline(merchantId);
    const { key } = await service.createKey({ merchantId, livemode: false });
    const { webhookUrl: url, webhookSecret: secret } = merchant;
    await service.setWebhook({ merchantId, livemode: false, url, secret });
    return key;
  } finally {
    await service.stop();
  }
}
