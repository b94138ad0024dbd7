import { join, resolve } from 'node:path';
import { createService } from '../../../service/create.ts';
import type { Clock } from '../../../shared/clock.ts';
import { systemIds } from '../../../shared/ids.ts';
import type { Log } from '../../../shared/log.ts';
import { createFolder, replacePrivately } from '../../../sqlite/private-file.ts';
import { liveFile } from '../find-service.ts';
import { runService } from '../run-service.ts';
import type { LoadedRail } from './load-rail.ts';

export type LiveOptions = {
  folder: string;
  host: string;
  port: number;
  adminToken: string;
  trustedProxies: readonly string[];
  rail: LoadedRail;
};

export type RunningLive = {
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
export async function serveLive(
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
