import { existsSync } from 'node:fs';
import type { Config } from '../gateway/config/schema.ts';
import type { Environment, HiddenVariables } from '../gateway/config/secrets.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import { signInFile } from './env-file.ts';
import type { DatabaseOptions, ReadOptions } from './open-reads.ts';
import type { StaffOptions } from './staff/find-gateway.ts';
import type { ConnectStaff, StaffFlags } from './staff/staff-client.ts';
import type { CommandOutput } from './terminal/output.ts';
import type { Input } from './terminal/terminal.ts';

export type ProgramContext = CommandOutput & {
  env: Environment;
  /** Reads the environment again, with the env file. */
  readEnv(): Environment;
  /** Returns the variables of the env file that the environment of the process hides. */
  hiddenVariables(): HiddenVariables;
  stdin: Input;
  /** Resolves when the process receives SIGTERM or SIGINT. */
  ended(): Promise<string>;
  /** Calls `reload` at each SIGHUP. */
  onHangup(reload: () => void): void;
};

/** Everything that a command can pick from. The configuration is loaded with its menus. */
export type CommandContext = ProgramContext & {
  clock: Clock;
  ids: Ids;
  fetch: typeof fetch;
  /** @throws UserError when there is no valid configuration. */
  loadConfig(path?: string): Config;
  /** Loads it with stand-ins for secrets that are not set. @throws UserError as `loadConfig` does. */
  loadWithoutSecrets(path?: string): Config;
};

export async function withClock(context: ProgramContext) {
  return { ...context, clock: systemClock(), fetch };
}

/** Adds the gateway, as the person who has signed in, or else with the key of the configuration. */
export async function withOwner(context: ProgramContext) {
  return {
    ...(await withClock(context)),
    staffClient: staffConnector(context, 'configuration'),
  };
}

export async function withIds(context: ProgramContext) {
  const { systemIds } = await import('../shared/ids.ts');
  const deps = await withClock(context);
  return { ...deps, ids: systemIds(deps.clock) };
}

export async function withGatewayUrl(context: ProgramContext) {
  const { findUrl } = await import('./staff/find-gateway.ts');
  return {
    ...(await withIds(context)),
    gatewayUrl: (options: StaffOptions) => findUrl(options, context.env).url,
  };
}

/**
 * Adds what commands use that read the whole configuration, with its menus, and with the address at which its gateway was started last:
 * with its secrets, or with stand-ins for those that are not set. Both throw a `UserError` when there is none, or it has errors.
 */
export async function withConfig(context: ProgramContext) {
  const [{ aggregators }, { findConfig }, { withLastAddress }, { loadConfig, loadWithoutSecrets }] =
    await Promise.all([
      import('../aggregators/registry.ts'),
      import('../gateway/config/find.ts'),
      import('../gateway/config/listen.ts'),
      import('../gateway/config/load.ts'),
    ]);
  const readWith = (load: typeof loadWithoutSecrets) => (file: string | undefined) => {
    const found = findConfig(file, context.env);
    return load(found, withLastAddress(found, context.env), aggregators);
  };
  return {
    ...(await withIds(context)),
    loadConfig: readWith(loadConfig),
    loadWithoutSecrets: readWith(loadWithoutSecrets),
  };
}

/** Adds the database that `--db` names or the configuration has, and the gateway of the person who has signed in. */
export async function withDatabase(context: ProgramContext) {
  const { env } = context;
  const [{ findConfig, findDatabase }, { readLocation }, { configuredSealKeys, expectationReader }] =
    await Promise.all([
      import('../gateway/config/find.ts'),
      import('./command-options.ts'),
      import('./chain.ts'),
    ]);
  const clock = systemClock();
  const staffClient = staffConnector(context);
  return {
    ...{ ...context, clock, now: clock.now, staffClient },
    database: ({ db, config }: DatabaseOptions) =>
      db === undefined ? findDatabase(findConfig(config, env), env) : readLocation(db, env),
    signedIn: async (options: StaffFlags) =>
      options.url !== undefined || (await isSignedIn(options, env)) ? staffClient(options) : undefined,
    readExpectation: expectationReader(env),
    sealKeys: (options: DatabaseOptions) => configuredSealKeys(options, env),
    async loadTranscriptHead(options: DatabaseOptions, channel: string) {
      if (isForeign(options)) return {};
      const { readTranscriptHead } = await import('../gateway/support/transcript/read-head.ts');
      return readTranscriptHead(findConfig(options.config, env), channel);
    },
    async timeZones(options: DatabaseOptions) {
      if (isForeign(options)) return {};
      const { readTimeZones } = await import('../gateway/support/transcript/read-head.ts');
      return readTimeZones(findConfig(options.config, env));
    },
    async menus(options: ReadOptions) {
      // Another gateway can have other menus than the configuration in this folder.
      if (options.url !== undefined || isForeign(options)) return {};
      const { readMenus } = await import('../gateway/support/transcript/read-head.ts');
      return readMenus(findConfig(options.config, env));
    },
  };
}

/** A database file without a configuration can belong to another gateway than the configuration in this folder. */
function isForeign({ db, config }: DatabaseOptions): boolean {
  return db !== undefined && config === undefined;
}

/** Returns whether a person acts at the gateway of the configuration. Loads nothing for a user who has never signed in. */
async function isSignedIn(options: StaffFlags, env: Environment): Promise<boolean> {
  if (env.DIALTILL_STAFF || env.DIALTILL_STAFF_FILE) return true;
  if (!existsSync(signInFile(env))) return false;
  const { findSignedInPerson: findPerson, findUrl } = await import('./staff/find-gateway.ts');
  return findPerson(findUrl(options, env), env) !== undefined;
}

/**
 * Returns a function that connects to the gateway of a command as the person who has signed in.
 *
 * @param fallback `configuration`: without a person, the command acts with the key of the configuration.
 */
function staffConnector({ env, stdin, stderr }: ProgramContext, fallback?: 'configuration'): ConnectStaff {
  return async (options) => {
    const [{ createStaffClient }, { findGateway, findGatewayOrKey, forgetEnded }, { askCredentials }] =
      await Promise.all([
        import('./staff/staff-client.ts'),
        import('./staff/find-gateway.ts'),
        import('./terminal/terminal.ts'),
      ]);
    const access = (fallback === undefined ? findGateway : findGatewayOrKey)(options, env);
    const askAgain = (name: string) => askCredentials({ stdin, stderr }, name);
    const send =
      'configFile' in access && options.url === undefined ? fetchOrOpen(access.configFile, env) : fetch;
    const forget = forgetEnded({ env, stderr });
    return createStaffClient({ fetch: send, clock: systemClock(), askAgain, forget }, access);
  };
}

/** Sends a request to the gateway of a configuration. When none runs, the ledger is opened for the request. */
function fetchOrOpen(configFile: string, env: Environment): typeof fetch {
  return async (input, init = {}) => {
    try {
      return await fetch(input, init);
    } catch (fault) {
      const { code } = (fault instanceof Error ? fault.cause : undefined) as { code?: string };
      if (code !== 'ECONNREFUSED') throw fault;
      const { askLedger } = await import('./staff/open-ledger.ts');
      const { pathname, search } = new URL(String(input));
      return askLedger(configFile, env, { path: `${pathname}${search}`, init });
    }
  };
}
