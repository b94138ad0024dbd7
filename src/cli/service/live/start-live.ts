import { existsSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Environment } from '../../../gateway/config/secrets.ts';
import { createService } from '../../../service/create.ts';
import type { SmsSender } from '../../../service/otp/sms.ts';
import type { Rail, RailModule, ReportRailResult } from '../../../service/rail/rail.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorMessage, UserError } from '../../../shared/errors.ts';
import { isAddressOrNetwork } from '../../../shared/http/addresses.ts';
import { systemIds } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { findWeakness } from '../../../shared/secret-strength.ts';
import { createFolder, replacePrivately } from '../../../sqlite/private-file.ts';
import { liveFile, readAdminToken } from '../find-service.ts';
import { runService } from '../sandbox.ts';

/** A created rail, to be attached to the service that accepts its results. */
type LoadedRail = { kind: 'rail'; attach(report: ReportRailResult): Rail; sms?: SmsSender };

const isFunction = (value: unknown) => typeof value === 'function';

const railModule = z.object({
  createRail: z.custom<RailModule['createRail']>(isFunction, 'it exports no function createRail'),
  sms: z
    .custom<NonNullable<RailModule['sms']>>(
      (value) => typeof value === 'object' && value !== null && 'send' in value && isFunction(value.send),
      'its export sms has no function send',
    )
    .optional(),
});

const createdRail = z.object({
  push: z.custom(isFunction, 'its rail has no function push'),
  inquire: z.custom(isFunction, 'its rail has no function inquire'),
  round: z.custom(isFunction, 'its rail has no function round'),
});

const getReasons = ({ issues }: z.ZodError) => issues.map(({ message }) => message).join('; ');

/** Imports a rail module and creates its rail. Results that are reported before it is attached are rejected, and the rail repeats them. */
async function loadRail(file: string): Promise<LoadedRail | { kind: 'fault'; message: string }> {
  const fault = (reason: string) =>
    ({ kind: 'fault', message: `--rail: cannot use ${file}: ${reason}` }) as const;
  let report: ReportRailResult | undefined;
  const reportLater: ReportRailResult = async (result) => {
    if (!report) throw new Error('the service has not started');
    await report(result);
  };
  try {
    const loaded = railModule.safeParse(await import(pathToFileURL(resolve(file)).href));
    if (!loaded.success) return fault(getReasons(loaded.error));
    const { createRail, sms } = loaded.data;
    const rail = createRail(reportLater);
    const checked = createdRail.safeParse(rail);
    if (!checked.success) return fault(getReasons(checked.error));
    const attach = (given: ReportRailResult) => {
      report = given;
      return rail;
    };
    return { kind: 'rail', attach, ...(sms ? { sms } : {}) };
  } catch (error) {
    return fault(errorMessage(error));
  }
}

export type LiveStart = {
  data?: string;
  host: string;
  port: number;
  rail?: string;
  publicUrl?: string;
  trustedProxy?: readonly string[];
};

type StartLiveDeps = {
  env: Environment;
  clock: Clock;
  log: Log;
  fileSystemType?: FileSystemType | undefined;
};

/** Starts the service in live mode. @throws UserError that lists everything that is missing, at once. */
export async function startLive(
  options: LiveStart,
  { env, fileSystemType, ...deps }: StartLiveDeps,
): Promise<RunningLive> {
  const folder = options.data || env.DIALTILL_DATA;
  const adminToken = readAdminToken(env);
  const trustedProxies = options.trustedProxy ?? [];
  const loaded = options.rail
    ? await loadRail(options.rail)
    : ({
        kind: 'fault',
        message: '--rail: name the module that sends the prompts of live sessions, such as ./rail.mjs',
      } as const);
  const faults = liveFaults(
    { data: folder, publicUrl: options.publicUrl, trustedProxies, adminToken },
    fileSystemType,
  );
  if (loaded.kind === 'fault' || faults.length > 0 || folder === undefined || adminToken === undefined) {
    const all = [...(loaded.kind === 'fault' ? [loaded.message] : []), ...faults];
    throw new UserError(
      `cannot start in live mode:\n${all.map((fault) => `  ${fault}.\n`).join('')}` +
        'See "Live mode" in docs/collection-service.md.',
    );
  }
  const { host, port } = options;
  return serveLive({ folder, host, port, adminToken, trustedProxies, rail: loaded }, deps);
}

type LiveOptions = {
  folder: string;
  host: string;
  port: number;
  adminToken: string;
  trustedProxies: readonly string[];
  rail: LoadedRail;
};

type RunningLive = {
  /** The address on this machine, to which the proxy forwards. */
  url: string;
  databaseFile: string;
  stop(): Promise<void>;
};

const graceMs = 10_000;

/**
 * Runs the collection service with live keys and a real rail, on the clock of the system. The simulated phone is not
 * served, and the admin token is stored nowhere.
 *
 * @throws UserError if the port or a file is not available.
 */
async function serveLive(
  { folder: given, rail, ...options }: LiveOptions,
  { clock, log }: { clock: Clock; log: Log },
): Promise<RunningLive> {
  const folder = resolve(given);
  createFolder(folder);
  const databaseFile = join(folder, 'live.db');
  const { adminToken, trustedProxies } = options;
  const service = createService(
    { databaseFile, adminToken, trustedProxies },
    {
      clock,
      ids: systemIds(clock),
      log,
      liveRail: rail.attach,
      ...(rail.sms ? { sms: rail.sms } : {}),
      onBroken: () => process.exit(1),
    },
  );
  const { host, port } = options;
  const { url, stop } = await runService(
    service,
    { host, port, portSetting: '--port', graceMs },
    (address) => {
      const content = { url: address, startedAt: clock.now() };
      replacePrivately(liveFile(folder), `${JSON.stringify(content, null, 2)}\n`);
    },
  );
  return { url, databaseFile, stop };
}

type LiveRequest = {
  data: string | undefined;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
  adminToken: string | undefined;
};

/** Types of Linux file systems that a restart empties: tmpfs and ramfs. */
const memoryFileSystems: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** The number of the file system's type. */
export type FileSystemType = (folder: string) => number;

const systemType: FileSystemType = (folder) => statfsSync(folder).type;

/** Returns everything that a live start lacks, besides its rail. Empty when nothing is missing. */
export function liveFaults(request: LiveRequest, fileSystemType = systemType): string[] {
  return [
    ...publicUrlFaults(request.publicUrl),
    ...request.trustedProxies
      .filter((address) => !isAddressOrNetwork(address))
      .map(
        (address) =>
          `--trusted-proxy: expected an address or a network such as 10.0.0.0/8, found "${address}"`,
      ),
    ...tokenFaults(request.adminToken),
    ...folderFaults(request.data, fileSystemType),
  ];
}

function publicUrlFaults(text: string | undefined): string[] {
  const expected =
    'the address at which merchants reach the service, such as https://pay.example.com. A proxy ends TLS';
  if (!text) return [`--public-url: name ${expected}`];
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  const isPublic = url?.hostname.includes('.') && !/^(127|0)\./.test(url.hostname);
  if (isPlain && isPublic && url.protocol === 'https:') return [];
  return [`--public-url: expected ${expected}; found "${text}"`];
}

function tokenFaults(token: string | undefined): string[] {
  const remedy = 'Generate one with "openssl rand -base64 32"';
  if (token === undefined) {
    return [`DIALTILL_ADMIN_TOKEN (or DIALTILL_ADMIN_TOKEN_FILE): set the admin token. ${remedy}`];
  }
  const weakness = findWeakness(token);
  return weakness === undefined ? [] : [`DIALTILL_ADMIN_TOKEN: the admin token ${weakness}. ${remedy}`];
}

function folderFaults(data: string | undefined, fileSystemType: FileSystemType): string[] {
  if (!data) return ['--data (or DIALTILL_DATA): name the folder of the database'];
  const folder = resolve(data);
  const used = ['sandbox.json', 'demo.json'].find((name) => existsSync(join(folder, name)));
  const sandbox = used && `--data: ${folder} belongs to a sandbox or a demo (${used}). Use another folder`;
  const isInMemory = memoryFileSystems.has(fileSystemType(existingFolder(folder)));
  const memory =
    isInMemory && `--data: ${folder} is in memory, and a restart would lose payments. Use a disk`;
  return [sandbox, memory].filter((fault) => typeof fault === 'string' && fault !== '') as string[];
}

/** The folder itself, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
