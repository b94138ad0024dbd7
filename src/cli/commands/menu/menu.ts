import type { Command } from 'commander';
import type { Config } from '../../../gateway/config/schema.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import { drawingOf } from '../../../menu/graph/arrows.ts';
import { mermaidOf } from '../../../menu/graph/mermaid.ts';
import { svgOf } from '../../../menu/graph/svg.ts';
import { proveFile } from '../../../menu/prove/prove-text.ts';
import type { Menu } from '../../../menu/schema.ts';
import { formatFaults } from '../../../shared/yaml.ts';
import { printJson } from '../../terminal/output.ts';
import { type Output, paintFor, printable } from '../../terminal/terminal.ts';
import { type CheckFlags, defaultMaxHops, type GraphFormat, isGraphFormat, readCheck } from './options.ts';
import { type CheckedFile, isClean, reportChecked, summaryOf } from './report.ts';

export type MenuDeps = {
  /** @throws UserError when there is no configuration to read. */
  loadConfig(path: string): Config;
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

/** How the commands end; their help texts list them. */
const exitCode = { well: 0, wrong: 1, usage: 2 } as const;

const checkHelp = `
Every way through a menu is walked, in every language, on both sides of every condition, with the values that take the
most room: the largest amount, the longest name and reference, the longest answer of a payer and of a look-up; and with
look-ups that find nothing, or do not answer. Without --config that is done for all aggregators that ship, with a
merchant's name of 20 letters; with it, for the channels that use the menu.

Examples:
  $ dialtill menu check fixtures/menus/*.yaml
  $ dialtill menu check shop.yaml --config dialtill.yaml
  $ dialtill menu check shop.yaml --limit 120 --max-hops 6
  $ dialtill menu check menu.ts
  $ dialtill menu check shop.yaml --graph svg > shop.svg

Exit codes:
  0  nothing is wrong
  1  something is wrong with a menu
  2  wrong usage`;

const graphHelp = `
Examples:
  $ dialtill menu graph fixtures/menus/shop.yaml
  $ dialtill menu graph fixtures/menus/shop.yaml --format svg > shop.svg`;

/** `dialtill menu`: menus, proven and drawn. */
export function registerMenu(program: Command, deps: MenuDeps): void {
  const menu = program.command('menu').description('prove a menu before payers see it, or draw it');
  menu
    .command('check')
    .description('walk every way through menus, and say what payers could run into')
    .argument('<files...>', 'menu files')
    .option('--config <file>', "a gateway's configuration file: its channels, merchants and approvals")
    .option('--limit <septets>', 'one limit of screens, instead of those of all aggregators')
    .option('--max-hops <n>', `inputs that the shortest way to an end may take (default: ${defaultMaxHops})`)
    .option('--json', 'print one JSON object: ok, menus with findings')
    .option('--graph [format]', 'draw each clean menu, as mermaid or svg, instead of its line')
    .addHelpText('after', checkHelp)
    .action((files: string[], flags: CheckFlags) => deps.exit(check(deps, files, flags)));
  menu
    .command('graph')
    .description('draw a menu: its screens, and what leads from one to another')
    .argument('<file>', 'a menu file')
    .option('--format <format>', 'mermaid or svg', 'mermaid')
    .addHelpText('after', graphHelp)
    .action((file: string, { format }: { format: string }) => deps.exit(graph(deps, file, format)));
}

const drawers: Readonly<Record<GraphFormat, typeof mermaidOf>> = { mermaid: mermaidOf, svg: svgOf };

function graph(deps: MenuDeps, file: string, format: string): number {
  if (!isGraphFormat(format)) {
    deps.stderr.write('--format takes mermaid or svg\n');
    return exitCode.usage;
  }
  const loaded = loadMenu(file);
  if (loaded.ok) return draw(deps, file, loaded.menu, format);
  deps.stderr.write(`${printable(formatFaults(loaded.faults))}\n`);
  return exitCode.wrong;
}

function draw({ stdout, stderr }: MenuDeps, file: string, menu: Menu, format: GraphFormat): number {
  const drawing = drawingOf(menu);
  if (!drawing) {
    stderr.write(`${printable(file)}: expected a menu small enough to be drawn\n`);
    return exitCode.wrong;
  }
  stdout.write(drawers[format](drawing));
  return exitCode.well;
}

function check(deps: MenuDeps, files: readonly string[], flags: CheckFlags): number {
  const { stdout, stderr, noColor, loadConfig } = deps;
  const asked = readCheck(flags, loadConfig);
  if (!asked.ok) {
    stderr.write(`${asked.message}\n`);
    return exitCode.usage;
  }
  const { circumstancesOf, graph: format } = asked.value;
  const checked = files.map((file): CheckedFile => ({ file, ...proveFile(file, circumstancesOf) }));
  const unused = checked.flatMap(({ isUnused, file }) => (isUnused ? file : []));
  if (unused.length > 0) {
    stderr.write(printable(`no channel of ${flags.config} has the menu of ${unused.join(', ')}\n`));
    return exitCode.usage;
  }
  const told = format === undefined ? checked : checked.filter((one) => !isClean(one));
  if (flags.json) printJson(stdout, summaryOf(checked));
  else stdout.write(reportChecked(paintFor(stdout, noColor), told));
  for (const { file, proven } of format === undefined ? [] : checked.filter(isClean)) {
    if (format && proven) draw(deps, file, proven.menu, format);
  }
  return checked.every(isClean) ? exitCode.well : exitCode.wrong;
}
