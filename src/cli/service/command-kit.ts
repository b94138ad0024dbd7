import { type Command, Option } from 'commander';
import { serviceOperations } from '../../contract/service/service-operations.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { labelledLines, type Output, type Paint, printable, printJson } from '../terminal/output.ts';
import { createAdminClient, type ServiceClient } from './admin-client.ts';
import { findService } from './find-service.ts';

type CommandKitDeps = {
  env: Environment;
  fetch: typeof fetch;
  clock: Clock;
  stdout: Output;
};

type CommonOptions = { json?: true; url?: string; data?: string };

export type CommandKit = {
  paint: Paint;
  /** Adds a command to `group` with the common options. `list` and `show` are the default commands of a group. */
  command(group: Command, usage: string, description: string, example: string): Command;
  client(options: CommonOptions): ServiceClient;
  /** Prints the response of the service as JSON with `--json`, else the text that `format` returns. */
  print<Value>(options: CommonOptions, response: Value, format: (response: Value) => string): void;
};

export function createCommandKit(deps: CommandKitDeps): CommandKit {
  const { paint } = deps.stdout;
  const client: CommandKit['client'] = (options) => createAdminClient(deps, findService(options, deps.env));
  const print: CommandKit['print'] = (options, response, format) => {
    if (options.json) printJson(deps.stdout, response);
    else deps.stdout.write(format(withoutControls(response)));
  };

  return {
    paint,
    client,
    print,
    command(group, usage, description, example) {
      const path = [...ancestors(group), group.name()].join(' ');
      return group
        .command(usage, { isDefault: /^(list|show)$/.test(usage) })
        .description(description)
        .option('--json', 'print the response of the service as JSON')
        .option(
          '--url <url>',
          'URL of the service (default: DIALTILL_SERVICE_URL, else from the data folder)',
        )
        .option('--data <dir>', 'data folder of the demo or sandbox (default: DIALTILL_DATA, else ./data)')
        .addHelpText('after', `\nExample:\n  $ dialtill ${path} ${example}`);
    },
  };
}

/** Names of the commands above, without the program's own. */
function ancestors(command: Command): string[] {
  const parent = command.parent;
  return parent?.parent ? [...ancestors(parent), parent.name()] : [];
}

/** A response whose texts contain no control characters and no line breaks. */
function withoutControls<Value>(value: Value): Value {
  if (typeof value === 'string') return printable(value).replaceAll('\n', ' ') as Value;
  if (Array.isArray(value)) return value.map(withoutControls) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withoutControls(inner)]);
  return Object.fromEntries(fields) as Value;
}

export type MerchantOptions = CommonOptions & { merchant?: string };

export const merchantOption = () =>
  new Option('--merchant <id>', 'the merchant (default: the only merchant of the service)');

/**
 * Returns the given merchant's id, or that of the only merchant.
 *
 * @throws UserError if no merchant was given and the service has none or several.
 */
export async function readMerchantId(client: ServiceClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { data: merchants } = await client.operate(serviceOperations.listMerchants, {
    query: { limit: '6' },
  });
  const [only, ...others] = merchants;
  if (!only) {
    throw new UserError(
      'the service has no merchant. Create one: dialtill service merchants create "Abena Stores"',
    );
  }
  if (others.length === 0) return only.id;
  const first = merchants.slice(0, 5).map(({ id, name }) => `${id} (${printable(name)})`);
  throw new UserError(
    `the service has several merchants. Choose one with --merchant: ${first.join(', ')}` +
      (merchants.length > 5 ? ', …' : ''),
  );
}

/** A time of the service as `2026-03-06 09:00:01.500`, UTC; `-` if there is none. */
export function formatIsoTime(iso: string | null | undefined): string {
  return iso ? iso.replace('T', ' ').replace('Z', '') : '-';
}

/** Names and values, one pair per line. */
export function formatFields(pairs: readonly (readonly [string, string])[]): string {
  return `${labelledLines(pairs, 12).join('\n')}\n`;
}

/** A secret that is shown only once, alone on its line for copying. With `quiet`, only the secret. */
export function formatSecret(
  paint: Paint,
  { title, secret, quiet }: { title: string; secret: string; quiet: boolean | undefined },
): string {
  if (quiet) return `${secret}\n`;
  const hint = 'Store it where your program reads its secrets.';
  return `${title}\n\n${paint('bold', secret)}\n\n${paint('dim', hint)}\n`;
}

/** The hint after a page that has a successor. */
export function nextPageHint(paint: Paint, cursor: string | null): string {
  return cursor === null ? '' : `${paint('dim', `more: --cursor ${cursor}`)}\n`;
}
