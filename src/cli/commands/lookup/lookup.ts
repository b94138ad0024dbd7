import type { Command } from 'commander';
import type { Config } from '../../../gateway/config/schema.ts';
import { isList, type Value } from '../../../menu/state/value.ts';
import { showValue } from '../../../menu/text/format.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { type CommandOutput, type Paint, paintFor, printable, printJson } from '../../terminal/output.ts';
import { readTry, type TryFlags } from './options.ts';
import { type Tried, tryLookup } from './try-lookup.ts';

type LookupDeps = CommandOutput & {
  /** @throws UserError when the file is missing or invalid. */
  loadConfig(path: string): Config;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  ids: Ids;
};

/** Documented in the help text. */
const exitCode = { ok: 0, unusable: 1 } as const;

const help = `
The command sends the request that a payer's dialogue would send, signed, and shows the request, the answer, the values
that the menu takes from it, and the screen that the payer would see next. It opens no dialogue and collects nothing.
With --config, the address and the secret are those of the merchant who uses the menu. Without it, --url gives the address,
and the environment variable LOOKUPS_SECRET the secret.

Examples:
  $ dialtill lookup try menu.yaml --reference ST-1001 --url http://127.0.0.1:8100
  $ dialtill lookup try menu.yaml record --reference ST-1001 --config dialtill.yaml
  $ dialtill lookup try menu.yaml fees --value class='JHS 1' --value seats=3 --json
  $ dialtill lookup try menu.yaml order --input 3 --state 1-1 --turn 4

Exit codes:
  0  the answer is usable, also when the record does not exist
  1  no usable answer arrived
  2  invalid usage`;

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** Registers `dialtill lookup try`. */
export function registerLookup(program: Command, deps: LookupDeps): void {
  program
    .command('lookup')
    .command('try')
    .description('send one request of a menu to your own system, and show what comes of the answer')
    .argument('<menu>', 'a menu file')
    .argument('[screen]', 'the lookup or proxy screen (default: the only one of the menu)')
    .option('--reference <text>', 'the reference that the payer has typed')
    .option('--amount <cedis>', 'the amount that the payer has typed')
    .option('--msisdn <number>', 'the phone that dials', '0244123456')
    .option('--payer <number>', 'the phone that pays (default: the one that dials)')
    .option('--language <code>', 'the language of the dialogue (default: the first one of the menu)')
    .option('--value <name=text>', 'a value of the menu, a text or a whole number; can be repeated', collect)
    .option('--turn <number>', 'the request of a proxy screen (default: 1, or 2 with --input)')
    .option('--input <text>', 'what the payer has typed on a proxy screen')
    .option('--state <text>', 'the state of the previous answer to a proxy screen')
    .option('--config <file>', 'gateway configuration file with the address and the secret')
    .option('--merchant <id>', 'the merchant, when several use the menu')
    .option('--url <url>', 'address of your system, in place of the configured one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (menu: string, screen: string | undefined, flags: TryFlags) =>
      deps.exit(await run(deps, { menu, screen, flags })),
    );
}

async function run(
  deps: LookupDeps,
  asked: { menu: string; screen: string | undefined; flags: TryFlags },
): Promise<number> {
  const { stdout, noColor } = deps;
  const tried = await tryLookup(deps, readTry(deps, asked));
  if (asked.flags.json) printJson(stdout, tried);
  else stdout.write(reportTried(paintFor(stdout, noColor), tried));
  return tried.problem === undefined ? exitCode.ok : exitCode.unusable;
}

/** More values of a list would hide the rest. */
const maxShownItems = 10;

/** Describes a tried lookup in the order in which it happened. */
function reportTried(paint: Paint, tried: Tried): string {
  const { request, outcome, ms, answer, values, problem, next } = tried;
  const lines: string[] = [];
  if (request) {
    lines.push(paint('bold', 'Request'), `  POST ${printable(request.url)}`);
    for (const [name, value] of Object.entries(request.headers)) lines.push(`  ${name}: ${value}`);
    lines.push(`  ${printable(request.body)}`, '');
  }
  lines.push(paint('bold', 'Answer'), `  ${outcome} after ${ms} ms`);
  if (answer !== undefined) lines.push(`  ${printable(JSON.stringify(answer))}`);
  if (problem !== undefined) lines.push(`  ${paint('red', printable(problem))}`);
  if (values !== undefined) {
    lines.push('', paint('bold', 'Values'));
    const all = Object.entries(values);
    for (const [name, value] of all) lines.push(...describe(name, value));
    if (all.length === 0) lines.push('  none');
  }
  lines.push('', `${paint('bold', 'The payer sees')}  ${next.screen}`);
  for (const line of next.text.split('\n')) lines.push(`  | ${printable(line)}`);
  return `${lines.join('\n')}\n`;
}

function describe(name: string, value: Value): string[] {
  if (!isList(value)) return [`  {${name}}  ${printable(showValue(value))}`];
  const items = value.slice(0, maxShownItems).map((item) => {
    const fields = Object.entries(item).map(([field, one]) => `${field} ${showValue(one)}`);
    return `    ${printable(fields.join(', '))}`;
  });
  const more = value.length > maxShownItems ? [`    and ${value.length - maxShownItems} more`] : [];
  return [`  {${name}}  ${value.length} items`, ...items, ...more];
}
