import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { printJson } from '../terminal/output.ts';
import { type Output, type Paint, paintFor, printable } from '../terminal/terminal.ts';
import { type AdminClient, createAdminClient } from './admin-client.ts';
import { findService } from './find-service.ts';
import { merchants } from './responses.ts';

export type CommandKitDeps = {
  env: Environment;
  fetch: typeof fetch;
  clock: Clock;
  stdout: Output;
};

export type CommonOptions = { json?: true; url?: string; data?: string };

/** What the commands of the back office share. */
export type CommandKit = {
  /** A command under `group`, with the options that all have. `list` is what the group does when it is named alone. */
  command(group: Command, usage: string, description: string, example: string): Command;
  office(options: CommonOptions): AdminClient;
  paint: Paint;
  /** Prints the service's own answer with `--json`, else the text made of it. */
  show<Answer>(options: CommonOptions, answer: Answer, text: (answer: Answer) => string): void;
};

export function createCommandKit(deps: CommandKitDeps): CommandKit {
  const paint = paintFor(deps.stdout, Boolean(deps.env.NO_COLOR));
  return {
    paint,
    command(group, usage, description, example) {
      const path = [...ancestors(group), group.name()].join(' ');
      return group
        .command(usage, { isDefault: /^(list|show)$/.test(usage) })
        .description(description)
        .option('--json', "print the service's own answer, JSON")
        .option('--url <url>', 'where the service is (default: DIALTILL_SERVICE_URL, else the data folder)')
        .option('--data <dir>', 'data folder of the demo or sandbox (default: DIALTILL_DATA, else ./data)')
        .addHelpText('after', `\nExample:\n  $ dialtill ${path} ${example}`);
    },
    office: (options) => createAdminClient(deps, findService(options, deps.env)),
    show(options, answer, text) {
      if (options.json) printJson(deps.stdout, answer);
      else deps.stdout.write(text(onOneLine(answer)));
    },
  };
}

/** Names above a command, without the program's own. */
function ancestors(command: Command): string[] {
  const above = command.parent;
  return above?.parent ? [...ancestors(above), above.name()] : [];
}

/** An answer without what could move a cursor or colour a terminal, in any of its texts. */
function onOneLine<Value>(value: Value): Value {
  if (typeof value === 'string') return printable(value).replaceAll('\n', ' ') as Value;
  if (Array.isArray(value)) return value.map(onOneLine) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, onOneLine(inner)])) as Value;
}

export const merchantOption = () =>
  new Option('--merchant <id>', 'the merchant (default: the only one there is)');

/**
 * The merchant that a command means: the one named, or the only one.
 *
 * @throws UserError when there is none or more than one.
 */
export async function merchantOf(office: AdminClient, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { merchants: all } = await office.get('/merchants', merchants);
  const [only, ...more] = all;
  if (!only) {
    throw new UserError(
      'there is no merchant yet. Make one: dialtill service merchants create "Abena Stores"',
    );
  }
  if (more.length === 0) return only.id;
  const few = all.slice(0, 5).map(({ id, name }) => `${id} (${printable(name)})`);
  throw new UserError(
    `name one of the merchants with --merchant: ${few.join(', ')}${all.length > 5 ? ', …' : ''}`,
  );
}

/** A choice among words, for commander. */
export function oneOf<Word extends string>(words: readonly Word[]) {
  return (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new InvalidArgumentError(`Choose one of: ${words.join(', ')}.`);
    return found;
  };
}

/** A whole number within bounds, for commander. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d{1,12}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}
