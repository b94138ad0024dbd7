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

/** The commands of the program. Each imports its module only when it runs, so that a short command loads neither gateway nor service. */
const table: Readonly<Record<string, readonly [CommandEntry['description'], CommandEntry['register']]>> = {
  start: [
    'run the gateway, or the demo when there is no configuration',
    using(withClock, async () => (await import('./commands/start.ts')).registerStart),
  ],
  init: [
    'write the files of a new project: settings, a menu, secrets, and a sandbox to try it with',
    async (program, context) => {
      const [{ registerInit }, { findFreePort }] = await Promise.all([
        import('./commands/init/init.ts'),
        import('./commands/init/project-files.ts'),
      ]);
      registerInit(program, { ...(await withIds(context)), freePort: findFreePort });
    },
  ],
  dev: [
    'run a project with its sandbox, and reload it when its files change',
    using(withClock, async () => (await import('./commands/dev/dev.ts')).registerDev),
  ],
  dial: [
    'dial a service code with a simulated phone and answer the prompt',
    using(withDialConfig, async () => (await import('./commands/dial/dial.ts')).registerDial),
  ],
  trigger: [
    'let a simulated payer bring about an event, such as payment.paid',
    using(withConfig, async () => (await import('./commands/trigger/trigger.ts')).registerTrigger),
  ],
  prompts: [
    'list the open prompts of a simulated phone, and approve or decline one',
    using(withDialConfig, async () => (await import('./commands/dial/prompts.ts')).registerPrompts),
  ],
  ledger: [
    'search and audit collections, postings and events',
    using(withDatabase, async () => (await import('./commands/ledger/ledger.ts')).registerLedger),
  ],
  review: [
    'decide about the money of collections in review, by two people',
    using(withDatabase, async () => (await import('./commands/review.ts')).registerReview),
  ],
  unplaced: [
    'list and decide about payments that no collection explains',
    using(withDatabase, async () => (await import('./commands/unplaced.ts')).registerUnplaced),
  ],
  statement: [
    "compare the books of a day with the service's statement, and explain the differences",
    using(withDatabase, async () => (await import('./commands/statement.ts')).registerStatement),
  ],
  block: [
    'block numbers from requesting payments, or from being asked to pay by other phones',
    using(withDatabase, async () => (await import('./commands/block.ts')).registerBlock),
  ],
  listen: [
    "forward a merchant's notifications to a program on this machine",
    using(withGatewayUrl, async () => (await import('./commands/listen.ts')).registerListen),
  ],
  merchant: [
    "endpoints and keys of merchants' own systems",
    using(withOwner, async () => (await import('./commands/merchant.ts')).registerMerchant),
  ],
  staff: [
    'accounts of people who sign in to the console',
    using(withOwner, async () => (await import('./commands/staff/staff.ts')).registerStaff),
  ],
  insights: [
    'print the figures of a day: payments, success, and where dialogues end',
    using(withDatabase, async () => (await import('./commands/insights.ts')).registerInsights),
  ],
  sessions: [
    'show the dialogues of a phone, also those that never came to a payment; read-only',
    using(withDatabase, async () => (await import('./commands/sessions.ts')).registerSessions),
  ],
  channels: [
    'list the configured channels and their callback URLs',
    using(withConfig, async () => (await import('./commands/channels.ts')).registerChannels),
  ],
  aggregators: [
    'list the supported aggregators and their default settings',
    using(withClock, async () => (await import('./commands/channels.ts')).registerAggregators),
  ],
  certify: [
    'test a channel as its aggregator would call it, and report every deviation',
    using(withConfig, async () => (await import('./commands/certify/certify.ts')).registerCertify),
  ],
  menu: [
    'check a menu for every payer and channel, or print its flowchart',
    using(withConfig, async () => (await import('./commands/menu/menu.ts')).registerMenu),
  ],
  lookup: [
    "try a lookup of a menu against the merchant's own system",
    using(withConfig, async () => (await import('./commands/lookup/lookup.ts')).registerLookup),
  ],
  rehearse: [
    'play transcripts against a simulated till and compare every screen',
    using(withClock, async () => (await import('./commands/rehearse.ts')).registerRehearse),
  ],
  service: [
    'run and administer the payment collection service',
    using(withClock, async () => (await import('./service/register.ts')).registerService),
  ],
  backup: [
    'copy the database while the gateway runs, and verify the copy',
    using(withDatabase, async () => (await import('./commands/backup.ts')).registerBackup),
  ],
  restore: [
    'replace the database with a backup; the gateway must be stopped',
    using(withDatabase, async () => (await import('./commands/backup.ts')).registerRestore),
  ],
  database: [
    'move the ledger between a file and a PostgreSQL; gateways must be stopped',
    using(withClock, async () => (await import('./commands/database.ts')).registerDatabase),
  ],
  reload: [
    'apply changed menus, merchants, channels and secrets to a running gateway',
    using(withOwner, async () => (await import('./commands/reload.ts')).registerReload),
  ],
  health: [
    'check whether a running gateway is ready',
    using(withGatewayUrl, async () => (await import('./commands/health.ts')).registerHealth),
  ],
};

export const commands: readonly CommandEntry[] = Object.entries(table).map(
  ([name, [description, register]]) => ({ name, description, register }),
);

/** Returns the function that adds a command with what it uses. Both are loaded only when it runs. */
function using<Deps>(
  prepare: (context: ProgramContext) => Promise<Deps>,
  load: () => Promise<(program: Command, deps: NoInfer<Deps>) => void>,
): CommandEntry['register'] {
  return async (program, context) => (await load())(program, await prepare(context));
}

async function withDialConfig(context: ProgramContext) {
  const [{ getDialConfig: dialConfigOf }, deps] = await Promise.all([
    import('./commands/dial/dial-options.ts'),
    withConfig(context),
  ]);
  return { ...deps, loadConfig: (file?: string) => dialConfigOf(deps.loadConfig(file)) };
}
