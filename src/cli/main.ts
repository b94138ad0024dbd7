#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { aggregators } from '../aggregators/registry.ts';
import { findConfig, findDatabase, findListen } from '../gateway/config/find.ts';
import { loadConfig } from '../gateway/config/load.ts';
import type { Config } from '../gateway/config/schema.ts';
import { systemClock } from '../shared/clock.ts';
import { codeOf, UserError } from '../shared/errors.ts';
import { systemIds } from '../shared/ids.ts';
import { registerAggregators } from './commands/aggregators.ts';
import { registerBackup } from './commands/backup/backup.ts';
import { registerRestore } from './commands/backup/restore.ts';
import { registerCertify } from './commands/certify/certify.ts';
import { registerChannels } from './commands/channels.ts';
import { registerDial } from './commands/dial/dial.ts';
import { registerPrompts } from './commands/dial/prompts.ts';
import { registerHealth } from './commands/health.ts';
import { registerLedger } from './commands/ledger/ledger.ts';
import { registerMenu } from './commands/menu/menu.ts';
import { readChannel } from './commands/read-channel.ts';
import { registerRehearse } from './commands/rehearse/rehearse.ts';
import { registerStart } from './commands/start.ts';
import { registerService } from './service/register.ts';

const { env, stdin, stdout, stderr } = process;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const exit = (code: number) => {
  process.exitCode = code;
};

for (const output of [stdout, stderr]) {
  output.on('error', (fault) => {
    // Whoever reads has read enough: `… | head`.
    if (codeOf(fault) !== 'EPIPE') throw fault;
    process.exit();
  });
}

/** The first signal asks the program to drain; a second one ends it. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(130));
      });
    }
  });
}

const read = (file?: string): Config => loadConfig(findConfig(file, env), env, aggregators);

/** The address under which this machine reaches a gateway: one that listens everywhere is also at home. */
function addressOf({ listen }: Pick<Config, 'listen'>): string {
  const host = listen.host === '0.0.0.0' || listen.host === '::' ? '127.0.0.1' : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

const clock = systemClock();
const program = new Command('dialtill')
  .description('offline USSD collection gateway: from a dialled code to a paid, reconciled collection')
  .version(version)
  .showHelpAfterError('(add --help for what there is)')
  .exitOverride((fault) => {
    throw fault;
  });

registerStart(program, { env, stdout, ended: untilSignal });
registerDial(program, {
  loadConfig(file) {
    const config = read(file);
    return {
      channels: config.channels,
      gatewayUrl: addressOf(config),
      serviceUrl: config.service.url,
      simulator: config.service.simulator,
      databaseFile: config.database.file,
    };
  },
  clock,
  ids: systemIds(clock),
  fetch,
  stdin,
  stdout,
  stderr,
  noColor: Boolean(env.NO_COLOR),
  exit,
});
registerPrompts(program, {
  loadConfig(file) {
    const { url: serviceUrl, simulator } = read(file).service;
    return { serviceUrl, simulator };
  },
  clock,
  fetch,
  stdout,
  stderr,
  noColor: Boolean(env.NO_COLOR),
  exit,
});
const copies = {
  clock,
  stdout,
  noColor: Boolean(env.NO_COLOR),
  databaseFile: ({ db, config }: { db?: string; config?: string }) =>
    db ?? findDatabase(findConfig(config, env), env),
  exit,
};
registerBackup(program, copies);
registerRestore(program, copies);
registerLedger(program, {
  stdout,
  noColor: Boolean(env.NO_COLOR),
  databaseFile: ({ db, config }) => db ?? findDatabase(findConfig(config, env), env),
  // A database that is named alone may be another gateway's than the configuration that lies here.
  channelOf: ({ db, config }, channel) =>
    db !== undefined && config === undefined ? {} : readChannel(findConfig(config, env), channel),
  exit,
});
registerChannels(program, {
  loadConfig: read,
  addressOf,
  stdout,
  stderr,
  noColor: Boolean(env.NO_COLOR),
  exit,
});
registerCertify(program, {
  loadConfig: read,
  addressOf,
  clock,
  ids: systemIds(clock),
  fetch,
  stdout,
  stderr,
  noColor: Boolean(env.NO_COLOR),
  exit,
});
registerRehearse(program, { stdout, stderr, noColor: Boolean(env.NO_COLOR), exit });
registerMenu(program, { loadConfig: read, stdout, stderr, noColor: Boolean(env.NO_COLOR), exit });
registerAggregators(program, { stdout, noColor: Boolean(env.NO_COLOR) });
registerService(program, { env, clock, fetch, stdout, ended: untilSignal });
registerHealth(program, {
  fetch,
  stdout,
  stderr,
  noColor: Boolean(env.NO_COLOR),
  gatewayUrl: (file) => addressOf({ listen: findListen(findConfig(file, env), env) }),
  exit,
});

try {
  await program.parseAsync();
} catch (fault) {
  if (fault instanceof UserError) {
    stderr.write(`${fault.message}\n`);
    exit(1);
  } else if (fault instanceof Error && 'exitCode' in fault && typeof fault.exitCode === 'number') {
    exit(fault.exitCode === 0 ? 0 : 2);
  } else {
    throw fault;
  }
}
