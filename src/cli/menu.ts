import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Config } from '../config/schema.ts';
import { drawingOf } from '../menu/graph/arrows.ts';
import { mermaidOf } from '../menu/graph/mermaid.ts';
import { svgOf } from '../menu/graph/svg.ts';
import { loadMenu } from '../menu/load.ts';
import { proveText } from '../menu/prove/prove-text.ts';
import { formatFaults } from '../shared/yaml.ts';
import { type AskedCheck, type CheckFlags, defaultMaxHops, readCheck } from './menu-options.ts';
import { type CheckedFile, isClean, reportChecked, summaryOf } from './menu-report.ts';
import { printJson } from './output.ts';
import { type Output, paintFor, printable } from './terminal.ts';

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
Every way through a menu is walked, in every language, with the values that take the most room: the largest amount, the
longest name and reference, the longest answer. Without --config that is done for all aggregators that ship, with a
merchant's name of 20 letters; with it, for the channels that use the menu.

Examples:
  $ dialtill menu check fixtures/menus/*.yaml
  $ dialtill menu check shop.yaml --config dialtill.yaml
  $ dialtill menu check shop.yaml --limit 120 --max-hops 6

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

function graph({ stdout, stderr }: MenuDeps, file: string, format: string): number {
  const draw = format === 'mermaid' ? mermaidOf : format === 'svg' ? svgOf : undefined;
  if (!draw) {
    stderr.write('--format takes mermaid or svg\n');
    return exitCode.usage;
  }
  const loaded = loadMenu(file);
  const drawing = loaded.ok ? drawingOf(loaded.menu) : undefined;
  if (!drawing) {
    const message = loaded.ok
      ? `${file}: expected a menu small enough to be drawn`
      : formatFaults(loaded.faults);
    stderr.write(`${printable(message)}\n`);
    return exitCode.wrong;
  }
  stdout.write(draw(drawing));
  return exitCode.well;
}

function check(deps: MenuDeps, files: readonly string[], flags: CheckFlags): number {
  const { stdout, stderr, noColor, loadConfig } = deps;
  const asked = readCheck(flags, loadConfig);
  if (!asked.ok) {
    stderr.write(`${asked.message}\n`);
    return exitCode.usage;
  }
  const checked = files.map((file) => checkFile(file, asked.value));
  const unused = checked.flatMap(({ isUnused, file }) => (isUnused ? file : []));
  if (unused.length > 0) {
    stderr.write(printable(`no channel of ${flags.config} has the menu of ${unused.join(', ')}\n`));
    return exitCode.usage;
  }
  if (flags.json) printJson(stdout, summaryOf(checked));
  else stdout.write(reportChecked(paintFor(stdout, noColor), checked));
  return checked.every(isClean) ? exitCode.well : exitCode.wrong;
}

function checkFile(file: string, { circumstancesOf }: AskedCheck): CheckedFile {
  const text = readMenu(file);
  if (text !== undefined) return { file, ...proveText(text, file, circumstancesOf) };
  const message = 'expected a file that can be read';
  return { file, findings: [{ kind: 'invalid', file, line: 1, path: '', message }] };
}

function readMenu(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
