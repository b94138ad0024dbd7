import type { Command } from 'commander';
import { defaultPageLimit, maxPageLimit, type PageRequest } from '../gateway/support/page.ts';
import { wholeNumber } from './service/arguments.ts';

const port = wholeNumber(0, 65_535);

/** Adds the options for the ports of a gateway and its sandbox. */
export function addPortOptions(command: Command): Command {
  return command
    .option('--port <port>', 'port of the gateway (default: DIALTILL_PORT, else listen.port)', port)
    .option(
      '--service-port <port>',
      'port of its sandbox (default: DIALTILL_SERVICE_PORT, else that of service.url)',
      port,
    );
}

/** Returns the examples of a command of a group, as its help prints them. */
export function helpExamples(group: string, examples: readonly string[]): string {
  const lines = examples.map((example) => `  $ dialtill ${group} ${example}`);
  return ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n');
}

export type PageOptions = { limit?: number; after?: string };

/** Adds the options of a list that has pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option(
      '--limit <count>',
      `rows of the page, 1 to ${maxPageLimit} (default: ${defaultPageLimit})`,
      wholeNumber(1, maxPageLimit),
    )
    .option('--after <cursor>', 'start after the page that printed this cursor');
}

export function readPageRequest({ limit = defaultPageLimit, after }: PageOptions): PageRequest {
  return { limit, after };
}

/** The help of `--full`. */
export const fullHelp = 'with --json: print idempotency keys and bodies of requests and events, too';

/** Adds the options that name the database of a command. */
export function addDatabaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <database>', 'a file, a postgres:// URL, or $NAME for the URL in a variable');
}

/** Adds the options that name the gateway that carries a command out. */
export function addGatewayOptions(command: Command): Command {
  return command
    .option('--url <url>', 'URL of the gateway (default: from the configuration)')
    .option('--config <file>', 'configuration file that names the gateway');
}
