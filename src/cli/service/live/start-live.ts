import type { Environment } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { readAdminToken } from '../find-service.ts';
import { type FileSystemType, liveFaults } from './check-live.ts';
import { loadRail } from './load-rail.ts';
import { type RunningLive, serveLive } from './serve-live.ts';

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

/**
 * Starts the service in live mode.
 *
 * @throws UserError that lists everything that is missing, at once.
 */
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
