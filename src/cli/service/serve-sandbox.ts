import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createService } from '../../service/create.ts';
import { type AdvanceableClock, advanceableClock, type Clock } from '../../shared/clock.ts';
import { listen } from '../../shared/http/server.ts';
import { systemIds } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import { createFolder, replacePrivately } from '../../sqlite/private-file.ts';
import { readSandboxMemory, type SandboxMemory, sandboxFile } from './find-service.ts';

export type SandboxOptions = {
  folder: string;
  host: string;
  port: number;
  /** Opens the back office; one is made and kept where none is given. */
  adminToken: string | undefined;
};

export type SandboxDeps = {
  clock: Clock;
  log: Log;
  /** Told when the database has failed for good; without it, the process ends. */
  onBroken?: () => void;
};

export type RunningSandbox = {
  url: string;
  databaseFile: string;
  /** Where the address and, if one was made, the admin token are remembered. */
  memoryFile: string;
  stop(): Promise<void>;
};

const graceMs = 1_000;

/**
 * Runs the collection service alone, as a sandbox: test keys, a simulated rail, and a clock that can be moved on
 * and goes on from there after a restart. Its files are in one folder, readable by their owner alone.
 *
 * @throws UserError when the port or a file cannot be had, or the token is too short.
 */
export async function serveSandbox(
  { adminToken, ...options }: SandboxOptions,
  { onBroken = () => process.exit(1), ...deps }: SandboxDeps,
): Promise<RunningSandbox> {
  const folder = resolve(options.folder);
  createFolder(folder);
  const memoryFile = sandboxFile(folder);
  const known = existsSync(memoryFile) ? readSandboxMemory(memoryFile) : undefined;
  const testClock = advanceableClock(deps.clock, known?.aheadMs);
  const ids = systemIds(testClock);
  const token = adminToken ?? known?.adminToken ?? ids.secret();

  const databaseFile = join(folder, 'sandbox.db');
  const memory: SandboxMemory = {
    url: known?.url ?? '',
    ...(adminToken === undefined ? { adminToken: token } : {}),
    aheadMs: known?.aheadMs ?? 0,
    startedAt: known?.startedAt,
  };
  const remember = () => replacePrivately(memoryFile, `${JSON.stringify(memory, null, 2)}\n`);
  const clock: AdvanceableClock = {
    ...testClock,
    advance(ms) {
      testClock.advance(ms);
      // Before the next commit: rows of a time that the next start has not reached would never be due.
      memory.aheadMs += ms;
      remember();
    },
  };
  const overrides = { ...deps, ids, testClock: clock, onBroken };
  const service = createService({ databaseFile, adminToken: token }, overrides);
  try {
    const { url, close } = await listen(service.app, options, '--port');
    memory.url = url;
    memory.startedAt = deps.clock.now();
    remember();
    service.start();
    return {
      url,
      databaseFile,
      memoryFile,
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
