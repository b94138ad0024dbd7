import type { Command } from 'commander';
import {
  type ProgramContext,
  withClock,
  withConfig,
  withDatabase,
  withGatewayUrl,
  withIds,
  withOwner,
} from './context.ts';

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
    name: 'statement',
    description: "compare the books of a day with the service's statement, and explain the differences",
    register: using(withDatabase, async () => (await import('./commands/statement.ts')).registerStatement),
  },
  {
    name: 'block',
    description: 'block numbers from requesting payments, or from being asked to pay by other phones',
    register: using(withDatabase, async () => (await import('./commands/block.ts')).registerBlock),
  },
  {
    name: 'listen',
    description: "forward a merchant's notifications to a program on this machine",
    register: using(withGatewayUrl, async () => (await import('./commands/listen.ts')).registerListen),
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
    name: 'insights',
    description: 'print the figures of a day: payments, success, and where dialogues end',
    register: using(withDatabase, async () => (await import('./commands/insights.ts')).registerInsights),
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
    register: using(withConfig, async () => (await import('./commands/menu/menu.ts')).registerMenu),
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
    register: using(withClock, async () => (await import('./service/register.ts')).registerService),
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
    register: using(withClock, async () => (await import('./commands/database.ts')).registerDatabase),
  },
  {
    name: 'reload',
    description: 'apply changed menus, merchants, channels and secrets to a running gateway',
    register: using(withOwner, async () => (await import('./commands/reload.ts')).registerReload),
  },
  {
    name: 'health',
    description: 'check whether a running gateway is ready',
    register: using(withGatewayUrl, async () => (await import('./commands/health.ts')).registerHealth),
  },
];

/** Returns the function that adds a command with what it uses. Both are loaded only when it runs. */
function using<Deps>(
  prepare: (context: ProgramContext) => Promise<Deps>,
  load: () => Promise<(program: Command, deps: NoInfer<Deps>) => void>,
): CommandEntry['register'] {
  return async (program, context) => (await load())(program, await prepare(context));
}

/** Adds what a simulated phone uses of the configuration. */
async function withDialConfig(context: ProgramContext) {
  const [{ getDialConfig: dialConfigOf }, deps] = await Promise.all([
    import('./commands/dial/dial-options.ts'),
    withConfig(context),
  ]);
  return { ...deps, loadConfig: (file?: string) => dialConfigOf(deps.loadConfig(file)) };
}
