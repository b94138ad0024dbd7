import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type { Tolerant } from '../contract/tolerant.ts';
import type { Environment } from '../gateway/config/secrets.ts';
import type { DatabaseLocation } from '../gateway/database/database-location.ts';
import { defaultPageLimit, maxPageLimit, type PageRequest } from '../gateway/support/page.ts';
import { UserError } from '../shared/errors.ts';
import { pathSegment } from './gateway-url.ts';
import { wholeNumber } from './service/arguments.ts';
import type { ConnectStaff, StaffFlags } from './staff/staff-client.ts';
import { type Output, printAnswer, printJson, printRows } from './terminal/output.ts';

export type CommandHelp = {
  usage: string;
  description: string;
  /** Without `dialtill` and the name of the group. */
  examples: readonly string[];
  more?: string;
};

/** Adds a command to a group: as it is, as one that reads, or as one that a running gateway carries out. */
export type CommandGroup = {
  command: Command;
  add(help: CommandHelp): Command;
  addRead(help: CommandHelp): Command;
  addAction(help: CommandHelp): Command;
};

const personHelp = `
Acts as the person who has signed in: dialtill staff sign-in

Environment:
  DIALTILL_STAFF       the person as name:token instead, for scripts
  DIALTILL_STAFF_FILE  a file with it`;

const readHelp = `
Reads through the gateway, with masked numbers, when it runs and a person has signed in; otherwise from the database.`;

/** The help of commands that the key of the configuration may run, beside `personHelp`. */
export const configurationHelp = `
Without a person, or when the gateway of the configuration rejects the sign-in, acts with console.secretsKey of the configuration, and
the audit shows "(configuration)". When no gateway runs, the command opens its ledger.`;

/**
 * Adds a group of commands, such as `dialtill ledger`. Each command accepts `--json`.
 *
 * @param path of a group below another one, for the examples.
 */
export function addGroup(
  parent: Command,
  {
    path,
    examples,
    description,
    more = '',
  }: Pick<CommandHelp, 'examples' | 'more'> & { path: string; description?: string },
): CommandGroup {
  const command = parent
    .command(path.split(' ').at(-1) ?? path)
    .addHelpText('after', `${more}${more && '\n'}${helpExamples(path, examples)}`);
  if (description !== undefined) command.description(description);
  const add = ({ usage, description, examples, more = '' }: CommandHelp) =>
    command
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `${helpExamples(path, examples)}${more}`);
  return {
    command,
    add,
    addRead: ({ more = '', ...help }) => addReadOptions(add({ ...help, more })),
    addAction: ({ more = '', ...help }) =>
      addGatewayOptions(add({ ...help, more: `${more}\n${personHelp}` })),
  };
}

/** Adds the options of a command that reads through a gateway, or from the database, and says so in its help. */
export function addReadOptions(command: Command): Command {
  return addDatabaseOptions(command)
    .addOption(
      new Option('--url <url>', 'URL of a gateway to read from, as the person who has signed in').conflicts(
        'db',
      ),
    )
    .addHelpText('after', readHelp);
}

const port = wholeNumber(0, 65_535);

export function addPortOptions(command: Command): Command {
  return command
    .option('--port <port>', 'port of the gateway (default: DIALTILL_PORT, else listen.port)', port)
    .option(
      '--service-port <port>',
      'port of its sandbox (default: DIALTILL_SERVICE_PORT, else that of service.url)',
      port,
    );
}

function helpExamples(group: string, examples: readonly string[]): string {
  const lines = examples.map((example) => `  $ dialtill ${group} ${example}`);
  return ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n');
}

export type PageOptions = { limit?: number; after?: string };

/** Adds the options of a list that has pages. Without a number of rows, the page has `defaultPageLimit` or all that it may have. */
export function addPageOptions(command: Command, max = maxPageLimit): Command {
  return command
    .option(
      '--limit <count>',
      `rows of the page, 1 to ${max} (default: ${Math.min(max, defaultPageLimit)})`,
      wholeNumber(1, max),
    )
    .option('--after <cursor>', 'start after the page that printed this cursor');
}

export function readPageRequest({ limit = defaultPageLimit, after }: PageOptions): PageRequest {
  return { limit, after };
}

export const fullHelp =
  'with --json: print idempotency keys and bodies of requests and events, too; reads the database';

export function addDatabaseOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file that names the database')
    .option('--db <database>', 'a file, a postgres:// URL, or $NAME for the URL in a variable');
}

/**
 * Reads where a database is: a file, a `postgres://` URL, or `$NAME` for the URL in a variable, so that its password is in no list
 * of processes.
 *
 * @throws UserError for a variable that is not set, and for a URL of another kind.
 */
export function readLocation(text: string, env: Environment): DatabaseLocation {
  const variable = /^\$\{?(\w+)\}?$/.exec(text)?.[1];
  const value = variable === undefined ? text : env[variable];
  if (!value) throw new UserError(`the variable ${variable ?? ''} is not set`);
  if (!/^\w+:\/\//.test(value)) return { file: value };
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new UserError('expected a file, or a URL that begins with postgres://');
  return { url: value, maxConnections: 1 };
}

export function addGatewayOptions(command: Command): Command {
  return command
    .option('--url <url>', 'URL of the gateway (default: from the configuration)')
    .option('--config <file>', 'configuration file that names the gateway');
}

export type ActionDeps = { stdout: Output; staffClient: ConnectStaff };

/** A change of the staff API: the segments of its path below `/staff/v1`, its body, and the answer. */
type Change<Answer> = { path: readonly string[]; schema: z.ZodType<Answer>; body?: object };

/** Sends a change to the gateway, and prints the answer. @throws UserError when the gateway refuses or cannot be reached. */
export async function act<Answer>(
  { stdout, staffClient }: ActionDeps,
  options: StaffFlags,
  { path, schema, body }: Change<Answer>,
  describe: (answer: Tolerant<Answer>) => string,
): Promise<void> {
  const client = await staffClient(options);
  const answer = await client.post(toPath(path), schema, body);
  printAnswer(stdout, options, answer, describe(answer));
}

export function toPath(segments: readonly string[]): string {
  return segments.map((one) => `/${pathSegment(one)}`).join('');
}

/** Reads a whole list of the staff API, and prints it. @throws UserError as `act` does. */
export async function printList<Row>(
  deps: ActionDeps,
  options: StaffFlags,
  { path, schema }: { path: string; schema: z.ZodType<{ data: Row[] }> },
  shown: Parameters<typeof printRows<Tolerant<Row>>>[2],
): Promise<void> {
  const client = await deps.staffClient(options);
  const list = await client.get(path, schema);
  if (options.json) printJson(deps.stdout, list);
  else printRows(deps.stdout, list, shown);
}
