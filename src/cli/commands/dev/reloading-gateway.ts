import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { inspect } from 'node:util';
import { aggregators } from '../../../aggregators/registry.ts';
import { compareConfigs } from '../../../gateway/config/compare.ts';
import { loadConfig } from '../../../gateway/config/load.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import { type RunningGateway, type RunningServer, serveGateway } from '../../../gateway/serve.ts';
import type { GatewayOverrides } from '../../../gateway/wiring/context.ts';
import { readMenu } from '../../../menu/file/load.ts';
import { phoneOverrides } from '../../../phone/create.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { isMap } from '../../../shared/json.ts';
import { readTextFile } from '../../../shared/text-file.ts';
import { readYaml } from '../../../shared/yaml.ts';

type ReloadingDeps = {
  /** Tells when to look at the files. */
  clock: Pick<Clock, 'sleep'>;
  /** Reads the environment again, with the env file. */
  readEnv(): Environment;
  /** Further files whose change matters. */
  alsoWatched: readonly string[];
  overrides: GatewayOverrides;
  /** Called after each start of the gateway, also after a change that needed one. */
  onServing(config: Config, gatewayUrl: string): Promise<void>;
  onReload(changed: string): void;
  /** The files have errors. The gateway keeps the configuration before. */
  onErrors(message: string): void;
};

/**
 * Runs a gateway that applies each change of its configuration and menus. A change with errors is reported, and the gateway
 * keeps the configuration before. For development: where a change needs a restart, requests get no answer for a moment.
 *
 * @throws UserError when the first configuration has errors or cannot be served.
 */
export async function serveReloading(file: string, deps: ReloadingDeps): Promise<RunningServer> {
  let isStopped = false;
  let changedMeanwhile: string | undefined;
  // A change during the start is applied after it.
  let reloading: Promise<void> | undefined = Promise.resolve();
  const fileWatch = createFileWatch(deps.clock, (changed) => {
    changedMeanwhile = changed;
    reloadChanged();
  });
  let config: Config;
  let running: RunningGateway;
  try {
    watchSources();
    config = read();
    running = await serve(config);
  } catch (fault) {
    fileWatch.stop();
    throw fault;
  }
  reloading = undefined;
  reloadChanged();

  function read(): Config {
    return loadConfig(file, deps.readEnv(), aggregators);
  }

  async function serve(next: Config): Promise<RunningGateway> {
    const pages = phoneOverrides(next, file, () => gateway.localUrl);
    const gateway: RunningGateway = await serveGateway(next, {
      ...deps.overrides,
      readConfig: read,
      ...pages,
    });
    try {
      await deps.onServing(next, gateway.localUrl);
    } catch (fault) {
      // Otherwise it would keep the port and the ledger of the one that is served instead.
      await gateway.stop();
      throw fault;
    }
    return gateway;
  }

  /** Watches the files as they are now. Called before they are read, so that no change after the reading is lost. */
  function watchSources(): void {
    fileWatch.watch([...listSourceFiles(file), ...deps.alsoWatched]);
  }

  function reloadChanged(): void {
    reloading ??= reloadAll().finally(() => {
      reloading = undefined;
    });
  }

  /** Reloads until no file has changed meanwhile. */
  async function reloadAll(): Promise<void> {
    while (changedMeanwhile !== undefined && !isStopped) {
      const changed = changedMeanwhile;
      changedMeanwhile = undefined;
      await reload(changed);
    }
  }

  async function reload(changed: string): Promise<void> {
    try {
      watchSources();
      const next = read();
      if (needsRestart(config, next)) {
        await running.stop();
        running = await serveOr(next, config);
      } else running.reload(next);
      config = next;
      deps.onReload(changed);
    } catch (fault) {
      deps.onErrors(fault instanceof UserError ? fault.message : inspect(fault));
    }
  }

  /** Serves a configuration, or else the one before, for example when the new address is in use. */
  async function serveOr(next: Config, before: Config): Promise<RunningGateway> {
    try {
      return await serve(next);
    } catch (fault) {
      running = await serve(before);
      throw fault;
    }
  }

  return {
    get url() {
      return running.url;
    },
    async stop() {
      isStopped = true;
      fileWatch.stop();
      await reloading;
      await running.stop();
    },
  };
}

function needsRestart(before: Config, after: Config): boolean {
  return compareConfigs(before, after).restart.length > 0;
}

/** Returns the files of a configuration: itself, its menus, and what they include or import; also files with errors. */
function listSourceFiles(configFile: string): string[] {
  const source = readYaml(readTextFile(configFile) ?? '', configFile);
  const listed = source.ok && Array.isArray(source.value.merchants) ? source.value.merchants : [];
  const menus = listed
    .filter(isMap)
    .flatMap(({ menu }) => (typeof menu === 'string' ? resolve(dirname(configFile), menu) : []));
  return [...new Set([configFile, ...menus.flatMap(filesOfMenu)].map((file) => resolve(file)))];
}

function filesOfMenu(file: string): string[] {
  if (!existsSync(file)) return [file];
  const read = readMenu(file);
  return read.ok ? [file, ...read.files] : [file, ...read.errors.map((error) => error.file)];
}

const intervalMs = 300;

export type FileWatch = {
  /** Replaces the files. A file that was not watched counts as unchanged now; a change of another one is never lost. */
  watch(files: readonly string[]): void;
  stop(): void;
};

/**
 * Calls `onChange` after a watched file was written, created or removed, within 300 ms. Files are compared by time and size, which
 * works with every editor and file system. Node's `watchFile` compares with a later state than the one at its call, and so loses a
 * change that follows the call at once.
 */
function createFileWatch(clock: Pick<Clock, 'sleep'>, onChange: (file: string) => void): FileWatch {
  let stamps = new Map<string, string>();
  const stopped = new AbortController();

  function look() {
    for (const [file, before] of stamps) {
      const now = getStamp(file);
      if (now === before) continue;
      stamps.set(file, now);
      onChange(file);
    }
  }

  async function lookUntilStopped() {
    while (!stopped.signal.aborted) {
      look();
      await clock.sleep(intervalMs, stopped.signal);
    }
  }

  void lookUntilStopped();
  return {
    watch(files) {
      stamps = new Map(files.map((file) => [file, stamps.get(file) ?? getStamp(file)]));
    },
    stop: () => stopped.abort(),
  };
}

function getStamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}` : 'absent';
}
