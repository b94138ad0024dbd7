import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Environment, HiddenVariables } from '../gateway/config/secrets.ts';
import { systemClock } from '../shared/clock.ts';
import { signInFile } from './env-file.ts';
import type { DatabaseOptions } from './open-reads.ts';
import type { ConnectStaff, StaffFlags } from './staff/staff-client.ts';
import type { Output } from './terminal/protected-output.ts';
import type { Input } from './terminal/terminal.ts';

/** What the commands use of the process. */
export type ProgramContext = {
  env: Environment;
  /** Reads the environment again, with the env file. */
  readEnv(): Environment;
  /** Returns the variables of the env file that the environment of the process hides. */
  hiddenVariables(): HiddenVariables;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** True when the environment variable NO_COLOR is set. */
  noColor: boolean;
  /** Resolves when the process receives SIGTERM or SIGINT. */
  ended(): Promise<string>;
  /** Calls `reload` at each SIGHUP. */
  onHangup(reload: () => void): void;
  /** Sets the exit code of the process. */
  exit(code: number): void;
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
    async register(program, context) {
      const { registerStart } = await import('./commands/start.ts');
      registerStart(program, { ...context, clock: systemClock(), fetch });
    },
  },
  {
    name: 'init',
    description: 'write the files of a new project: settings, a menu, secrets, and a sandbox to try it with',
    async register(program, context) {
      const [{ registerInit }, { findFreePort }] = await Promise.all([
        import('./commands/init/init.ts'),
        import('./commands/init/free-port.ts'),
      ]);
      registerInit(program, { ...(await withIds(context)), freePort: findFreePort });
    },
  },
  {
    name: 'dev',
    description: 'run a project with its sandbox, and reload it when its files change',
    async register(program, context) {
      const { registerDev } = await import('./commands/dev/dev.ts');
      registerDev(program, { ...context, clock: systemClock(), fetch });
    },
  },
  {
    name: 'dial',
    description: 'dial a service code with a simulated phone and answer the prompt',
    async register(program, context) {
      const [{ registerDial }, { dialConfigOf }, deps] = await Promise.all([
        import('./commands/dial/dial.ts'),
        import('./commands/dial/options.ts'),
        withConfig(context),
      ]);
      registerDial(program, { ...deps, loadConfig: (file) => dialConfigOf(deps.loadConfig(file)) });
    },
  },
  {
    name: 'trigger',
    description: 'let a simulated payer bring about an event, such as payment.paid',
    async register(program, context) {
      const { registerTrigger } = await import('./commands/trigger/trigger.ts');
      registerTrigger(program, await withConfig(context));
    },
  },
  {
    name: 'prompts',
    description: 'list the open prompts of a simulated phone, and approve or decline one',
    async register(program, context) {
      const [{ registerPrompts }, deps] = await Promise.all([
        import('./commands/dial/prompts.ts'),
        withConfig(context),
      ]);
      registerPrompts(program, {
        ...deps,
        loadConfig(file) {
          const { url: serviceUrl, simulator } = deps.loadConfig(file).service;
          return { serviceUrl, simulator };
        },
      });
    },
  },
  {
    name: 'ledger',
    description: 'search and audit collections, postings and events',
    async register(program, context) {
      const [{ registerLedger }, { findConfig }, { configuredSealKeys, expectationReader }] =
        await Promise.all([
          import('./commands/ledger/ledger.ts'),
          import('../gateway/config/find.ts'),
          import('./chain.ts'),
        ]);
      registerLedger(program, {
        ...(await withDatabase(context)),
        readExpectation: expectationReader(context.env),
        sealKeys: (options) => configuredSealKeys(options, context.env),
        async loadTranscriptHead({ db, config }, channel) {
          // A database file without a configuration can belong to another gateway than the configuration in this folder.
          if (db !== undefined && config === undefined) return {};
          const { readTranscriptHead } = await import('../gateway/support/transcript/read-head.ts');
          return readTranscriptHead(findConfig(config, context.env), channel);
        },
      });
    },
  },
  {
    name: 'review',
    description: 'decide about the money of collections in review, by two people',
    async register(program, context) {
      const { registerReview } = await import('./commands/review.ts');
      registerReview(program, await withDatabase(context));
    },
  },
  {
    name: 'unplaced',
    description: 'list and decide about payments that no collection explains',
    async register(program, context) {
      const { registerUnplaced } = await import('./commands/unplaced/unplaced.ts');
      registerUnplaced(program, await withDatabase(context));
    },
  },
  {
    name: 'block',
    description: 'block numbers from requesting payments, or from being asked to pay by other phones',
    async register(program, context) {
      const { registerBlock } = await import('./commands/block.ts');
      registerBlock(program, await withDatabase(context));
    },
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
        fetch,
        gatewayUrl: (options) => findUrl(options, context.env).url,
        merchantKey: () => readMerchantKey(context.env),
      });
    },
  },
  {
    name: 'merchant',
    description: "endpoints and keys of merchants' own systems",
    async register(program, context) {
      const { registerMerchant } = await import('./commands/merchant/merchant.ts');
      registerMerchant(program, { ...context, staffClient: staffConnector(context, 'configuration') });
    },
  },
  {
    name: 'staff',
    description: 'accounts of people who sign in to the console',
    async register(program, context) {
      const { registerStaff } = await import('./commands/staff/staff.ts');
      const staffClient = staffConnector(context, 'configuration');
      registerStaff(program, { ...context, clock: systemClock(), fetch, staffClient });
    },
  },
  {
    name: 'sessions',
    description: 'show the dialogues of a phone, also those that never came to a payment; read-only',
    async register(program, context) {
      const { registerSessions } = await import('./commands/sessions.ts');
      registerSessions(program, await withDatabase(context));
    },
  },
  {
    name: 'channels',
    description: 'list the configured channels and their callback URLs',
    async register(program, context) {
      const { registerChannels } = await import('./commands/channels.ts');
      registerChannels(program, await withConfig(context));
    },
  },
  {
    name: 'aggregators',
    description: 'list the supported aggregators and their default settings',
    async register(program, context) {
      const { registerAggregators } = await import('./commands/aggregators.ts');
      registerAggregators(program, context);
    },
  },
  {
    name: 'certify',
    description: 'test a channel as its aggregator would call it, and report every deviation',
    async register(program, context) {
      const { registerCertify } = await import('./commands/certify/certify.ts');
      registerCertify(program, await withConfig(context));
    },
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
    async register(program, context) {
      const { registerLookup } = await import('./commands/lookup/lookup.ts');
      registerLookup(program, await withConfig(context));
    },
  },
  {
    name: 'rehearse',
    description: 'play transcripts against a simulated till and compare every screen',
    async register(program, context) {
      const { registerRehearse } = await import('./commands/rehearse.ts');
      registerRehearse(program, context);
    },
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
    async register(program, context) {
      const [{ registerBackup }, { expectationReader }] = await Promise.all([
        import('./commands/backup.ts'),
        import('./chain.ts'),
      ]);
      const readExpectation = expectationReader(context.env);
      registerBackup(program, { ...(await withDatabase(context)), readExpectation });
    },
  },
  {
    name: 'restore',
    description: 'replace the database with a backup; the gateway must be stopped',
    async register(program, context) {
      const [{ registerRestore }, { expectationReader }] = await Promise.all([
        import('./commands/backup.ts'),
        import('./chain.ts'),
      ]);
      const readExpectation = expectationReader(context.env);
      registerRestore(program, { ...(await withDatabase(context)), readExpectation });
    },
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
    async register(program, context) {
      const { registerReload } = await import('./commands/reload.ts');
      registerReload(program, { ...context, staffClient: staffConnector(context, 'configuration') });
    },
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

/** Adds a clock and random ids. */
async function withIds(context: ProgramContext) {
  const { systemIds } = await import('../shared/ids.ts');
  const clock = systemClock();
  return { ...context, clock, ids: systemIds(clock) };
}

/** Adds what commands use that read the whole configuration, with and without its secrets. */
async function withConfig(context: ProgramContext) {
  const { readConfig, readConfigWithoutSecrets } = await import('./read-config.ts');
  return {
    ...(await withIds(context)),
    fetch,
    loadConfig: (file: string | undefined) => readConfig(file, context.env),
    loadWithoutSecrets: (file: string | undefined) => readConfigWithoutSecrets(file, context.env),
  };
}

/**
 * Adds what commands use that read the ledger: the database that `--db` names, or else the one of the configuration, and the gateway of
 * the person who has signed in.
 */
async function withDatabase(context: ProgramContext) {
  const { env } = context;
  const [{ findConfig, findDatabase }, { readLocation }] = await Promise.all([
    import('../gateway/config/find.ts'),
    import('./command-options.ts'),
  ]);
  const clock = systemClock();
  const staffClient = staffConnector(context);
  return {
    ...{ ...context, clock, now: clock.now, staffClient },
    database: ({ db, config }: DatabaseOptions) =>
      db === undefined ? findDatabase(findConfig(config, env), env) : readLocation(db, env),
    signedIn: async (options: StaffFlags) =>
      options.url !== undefined || (await isSignedIn(options, env)) ? staffClient(options) : undefined,
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
        import('./staff/ask-credentials.ts'),
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
