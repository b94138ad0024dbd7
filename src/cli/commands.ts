import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Environment, HiddenVariables } from '../gateway/config/secrets.ts';
import { systemClock } from '../shared/clock.ts';
import { signInFile } from './env-file.ts';
import type { DatabaseOptions } from './open-reads.ts';
import type { ConnectStaff, StaffFlags } from './staff/staff-client.ts';
import type { CommandOutput } from './terminal/output.ts';
import type { Input } from './terminal/terminal.ts';

/** What the commands use of the process. */
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

export type CommandEntry = {
  name: string;
  /** One line of the program's help. */
  description: string;
  /** Imports the command's module and adds the command to the program. */
  register(program: Command, context: ProgramContext): Promise<void>;
};

/**
 * The commands of the program. Each one imports its module only when it runs, so that a short command such as
 * `ledger find` does not wait for the gateway and the service to load.
 */
export const commands: readonly CommandEntry[] = [
  {
    name: 'start',
    description: 'run the gateway, or the demo when there is no configuration',
    register: using(withClock, async () => (await import('./commands/start.ts')).registerStart),
  },
  {
    name: 'init',
    description: 'write the files of a new project: settings, a menu, secrets, and a sandbox to try it with',
    async register(program, context) {
      const [{ registerInit }, { findFreePort }] = await Promise.all([
        import('./commands/init/init.ts'),
        import('./commands/init/project-files.ts'),
      ]);
      registerInit(program, { ...(await withIds(context)), freePort: findFreePort });
    },
  },
  {
    name: 'dev',
    description: 'run a project with its sandbox, and reload it when its files change',
    register: using(withClock, async () => (await import('./commands/dev/dev.ts')).registerDev),
  },
  {
    name: 'dial',
    description: 'dial a service code with a simulated phone and answer the prompt',
    register: using(withDialConfig, async () => (await import('./commands/dial/dial.ts')).registerDial),
  },
  {
    name: 'trigger',
    description: 'let a simulated payer bring about an event, such as payment.paid',
    register: using(withConfig, async () => (await import('./commands/trigger/trigger.ts')).registerTrigger),
  },
  {
    name: 'prompts',
    description: 'list the open prompts of a simulated phone, and approve or decline one',
    register: using(withDialConfig, async () => (await import('./commands/dial/prompts.ts')).registerPrompts),
  },
  {
    name: 'ledger',
    description: 'search and audit collections, postings and events',
    register: using(withDatabase, async () => (await import('./commands/ledger/ledger.ts')).registerLedger),
  },
  {
    name: 'review',
    description: 'decide about the money of collections in review, by two people',
    register: using(withDatabase, async () => (await import('./commands/review.ts')).registerReview),
  },
  {
    name: 'unplaced',
    description: 'list and decide about payments that no collection explains',
    register: using(withDatabase, async () => (await import('./commands/unplaced.ts')).registerUnplaced),
  },
  {
    name: 'block',
    description: 'block numbers from requesting payments, or from being asked to pay by other phones',
    register: using(withDatabase, async () => (await import('./commands/block.ts')).registerBlock),
  },
  {
    name: 'listen',
    description: "forward a merchant's notifications to a program on this machine",
    async register(program, context) {
      const [{ readMerchantKey, registerListen }, { findUrl }] = await Promise.all([
        import('./commands/listen.ts'),
        import('./staff/find-gateway.ts'),
      ]);
      registerListen(program, {
        ...(await withIds(context)),
        gatewayUrl: (options) => findUrl(options, context.env).url,
        merchantKey: () => readMerchantKey(context.env),
      });
    },
  },
  {
    name: 'merchant',
    description: "endpoints and keys of merchants' own systems",
    register: using(withOwner, async () => (await import('./commands/merchant.ts')).registerMerchant),
  },
  {
    name: 'staff',
    description: 'accounts of people who sign in to the console',
    register: using(withOwner, async () => (await import('./commands/staff/staff.ts')).registerStaff),
  },
  {
    name: 'sessions',
    description: 'show the dialogues of a phone, also those that never came to a payment; read-only',
    register: using(withDatabase, async () => (await import('./commands/sessions.ts')).registerSessions),
  },
  {
    name: 'channels',
    description: 'list the configured channels and their callback URLs',
    register: using(withConfig, async () => (await import('./commands/channels.ts')).registerChannels),
  },
  {
    name: 'aggregators',
    description: 'list the supported aggregators and their default settings',
    register: using(withClock, async () => (await import('./commands/channels.ts')).registerAggregators),
  },
  {
    name: 'certify',
    description: 'test a channel as its aggregator would call it, and report every deviation',
    register: using(withConfig, async () => (await import('./commands/certify/certify.ts')).registerCertify),
  },
  {
    name: 'menu',
    description: 'check a menu for every payer and channel, or print its flowchart',
    async register(program, context) {
      const [{ registerMenu }, deps] = await Promise.all([
        import('./commands/menu/menu.ts'),
        withConfig(context),
      ]);
      registerMenu(program, { ...deps, loadConfig: deps.loadWithoutSecrets });
    },
  },
  {
    name: 'lookup',
    description: "try a lookup of a menu against the merchant's own system",
    register: using(withConfig, async () => (await import('./commands/lookup/lookup.ts')).registerLookup),
  },
  {
    name: 'rehearse',
    description: 'play transcripts against a simulated till and compare every screen',
    register: using(withClock, async () => (await import('./commands/rehearse.ts')).registerRehearse),
  },
  {
    name: 'service',
    description: 'run and administer the payment collection service',
    async register(program, { env, stdout, ended }) {
      const { registerService } = await import('./service/register.ts');
      registerService(program, { env, clock: systemClock(), fetch, stdout, ended });
    },
  },
  {
    name: 'backup',
    description: 'copy the database while the gateway runs, and verify the copy',
    register: using(withDatabase, async () => (await import('./commands/backup.ts')).registerBackup),
  },
  {
    name: 'restore',
    description: 'replace the database with a backup; the gateway must be stopped',
    register: using(withDatabase, async () => (await import('./commands/backup.ts')).registerRestore),
  },
  {
    name: 'database',
    description: 'move the ledger between a file and a PostgreSQL; gateways must be stopped',
    async register(program, context) {
      const { registerDatabase } = await import('./commands/database.ts');
      registerDatabase(program, { ...context, env: context.readEnv(), clock: systemClock() });
    },
  },
  {
    name: 'reload',
    description: 'apply changed menus, merchants, channels and secrets to a running gateway',
    register: using(withOwner, async () => (await import('./commands/reload.ts')).registerReload),
  },
  {
    name: 'health',
    description: 'check whether a running gateway is ready',
    async register(program, context) {
      const [{ registerHealth }, { findUrl }] = await Promise.all([
        import('./commands/health.ts'),
        import('./staff/find-gateway.ts'),
      ]);
      registerHealth(program, {
        ...context,
        fetch,
        now: systemClock().now,
        gatewayUrl: (config) => findUrl(config === undefined ? {} : { config }, context.env).url,
      });
    },
  },
];

/** Returns the function that adds a command with what it uses. Both are loaded only when it runs. */
function using<Deps>(
  prepare: (context: ProgramContext) => Promise<Deps>,
  load: () => Promise<(program: Command, deps: NoInfer<Deps>) => void>,
): CommandEntry['register'] {
  return async (program, context) => (await load())(program, await prepare(context));
}

/** Adds a clock and the network. */
async function withClock(context: ProgramContext) {
  return { ...context, clock: systemClock(), fetch };
}

/** Adds the gateway, as the person who has signed in, or else with the key of the configuration. */
async function withOwner(context: ProgramContext) {
  return {
    ...(await withClock(context)),
    staffClient: staffConnector(context, 'configuration'),
  };
}

/** Adds random ids. */
async function withIds(context: ProgramContext) {
  const { systemIds } = await import('../shared/ids.ts');
  const deps = await withClock(context);
  return { ...deps, ids: systemIds(deps.clock) };
}

/**
 * Adds what commands use that read the whole configuration, with its menus, and with the address at which its gateway was started last:
 * with its secrets, or with stand-ins for those that are not set. Both throw a `UserError` when there is none, or it has errors.
 */
async function withConfig(context: ProgramContext) {
  const [{ aggregators }, { findConfig }, { withLastAddress }, { loadConfig, loadWithoutSecrets }] =
    await Promise.all([
      import('../aggregators/registry.ts'),
      import('../gateway/config/find.ts'),
      import('../gateway/config/last-address.ts'),
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

/** Adds what a simulated phone uses of the configuration. */
async function withDialConfig(context: ProgramContext) {
  const [{ getDialConfig: dialConfigOf }, deps] = await Promise.all([
    import('./commands/dial/dial-options.ts'),
    withConfig(context),
  ]);
  return { ...deps, loadConfig: (file?: string) => dialConfigOf(deps.loadConfig(file)) };
}

/**
 * Adds what commands use that read the ledger: the database that `--db` names, or else the one of the configuration, and the gateway of
 * the person who has signed in.
 */
async function withDatabase(context: ProgramContext) {
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
    async loadTranscriptHead({ db, config }: DatabaseOptions, channel: string) {
      // A database file without a configuration can belong to another gateway than the configuration in this folder.
      if (db !== undefined && config === undefined) return {};
      const { readTranscriptHead } = await import('../gateway/support/transcript/read-head.ts');
      return readTranscriptHead(findConfig(config, env), channel);
    },
  };
}

/** Returns whether a person acts at the gateway of the configuration. Loads nothing for a user who has never signed in. */
async function isSignedIn(options: StaffFlags, env: Environment): Promise<boolean> {
  if (env.DIALTILL_STAFF || env.DIALTILL_STAFF_FILE) return true;
  if (!existsSync(signInFile(env))) return false;
  const { findPerson, findUrl } = await import('./staff/find-gateway.ts');
  return findPerson(findUrl(options, env), env) !== undefined;
}

/**
 * Returns a function that connects to the gateway of a command as the person who has signed in.
 *
 * @param fallback `configuration`: without a person, the command acts with the key of the configuration.
 */
function staffConnector({ env, stdin, stderr }: ProgramContext, fallback?: 'configuration'): ConnectStaff {
  return async (options) => {
    const [{ createStaffClient }, { findGateway, findGatewayOrKey }, { askCredentials }, { forgetEnded }] =
      await Promise.all([
        import('./staff/staff-client.ts'),
        import('./staff/find-gateway.ts'),
        import('./terminal/terminal.ts'),
        import('./staff/sign-in-file.ts'),
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
