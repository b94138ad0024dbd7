import type { Command } from 'commander';
import type { Config } from '../../../gateway/config/schema.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import { createMenuGraph, maxNodes, renderMermaid } from '../../../menu/graph/menu-graph.ts';
import { proveFile } from '../../../menu/prove/prove-file.ts';
import type { Menu } from '../../../menu/schema.ts';
import type { Clock } from '../../../shared/clock.ts';
import { formatFileErrors } from '../../../shared/yaml.ts';
import { printJson } from '../../terminal/output.ts';
import { type Output, printable } from '../../terminal/protected-output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { type CheckFlags, defaultMaxInputs, readCheck } from './options.ts';
import { type CheckedFile, isClean, reportChecked, summaryOf } from './report.ts';

export type MenuDeps = {
  /** @throws UserError when the file is missing or invalid. */
  loadConfig(path: string): Config;
  /** A condition that holds on no day from today is a finding. */
  clock: Pick<Clock, 'now'>;
  stdout: Output;
  stderr: Output;
  /** The environment sets NO_COLOR. */
  noColor: boolean;
  /** Receives the exit code of the command. */
  exit(code: number): void;
};

/** Documented in the help texts. */
const exitCode = { ok: 0, findings: 1, usage: 2 } as const;

const checkHelp = `
The check searches every screen that payers can reach: in every language, on both sides of every condition, and with
lookups that find nothing or do not answer. It measures each screen with upper bounds of all values (amounts, names,
references, payer answers, lookup answers), so that a menu without findings fits.
With --config, it covers the channels that use the menu. Without it, it covers all included aggregators, with a
merchant name of 20 letters.

Examples:
  $ dialtill menu check fixtures/menus/*.yaml
  $ dialtill menu check shop.yaml --config dialtill.yaml
  $ dialtill menu check shop.yaml --limit 120 --max-inputs 6
  $ dialtill menu check menu.ts
  $ dialtill menu check shop.yaml --graph > shop.mmd

Exit codes:
  0  no findings
  1  at least one menu has findings
  2  invalid usage`;

const graphHelp = `
Examples:
  $ dialtill menu graph fixtures/menus/shop.yaml
  $ dialtill menu graph fixtures/menus/shop.yaml > shop.mmd`;

/** Registers `dialtill menu check` and `dialtill menu graph`. */
export function registerMenu(program: Command, deps: MenuDeps): void {
  const menu = program.command('menu');
  menu
    .command('check')
    .description('search every screen of menus and report each problem that a payer could meet')
    .argument('<files...>', 'menu files')
    .option('--config <file>', 'gateway configuration file with the channels, merchants and approvals to use')
    .option('--limit <septets>', 'check one screen limit instead of the limits of all aggregators')
    .option(
      '--max-inputs <n>',
      `maximum number of inputs on the shortest path to an end screen (default: ${defaultMaxInputs})`,
    )
    .option('--json', 'print one JSON object with the findings of each menu')
    .option('--graph', 'print each menu without findings as a Mermaid flowchart instead of its line')
    .addHelpText('after', checkHelp)
    .action((files: string[], flags: CheckFlags) => deps.exit(check(deps, files, flags)));
  menu
    .command('graph')
    .description('print a menu as a Mermaid flowchart of its screens and routes')
    .argument('<file>', 'a menu file')
    .addHelpText('after', graphHelp)
    .action((file: string) => deps.exit(graph(deps, file)));
}

function graph(deps: MenuDeps, file: string): number {
  const loaded = loadMenu(file);
  if (loaded.ok) return printGraph(deps, file, loaded.menu);
  deps.stderr.write(`${printable(formatFileErrors(loaded.errors))}\n`);
  return exitCode.findings;
}

function printGraph({ stdout, stderr }: MenuDeps, file: string, menu: Menu): number {
  const graph = createMenuGraph(menu);
  if (!graph) {
    stderr.write(`${printable(file)}: expected at most ${maxNodes} screens for a flowchart\n`);
    return exitCode.findings;
  }
  stdout.write(renderMermaid(graph));
  return exitCode.ok;
}

function check(deps: MenuDeps, files: readonly string[], flags: CheckFlags): number {
  const { stdout, stderr, noColor, loadConfig, clock } = deps;
  const options = readCheck(flags, loadConfig, clock.now());
  if (!options.ok) {
    stderr.write(`${options.message}\n`);
    return exitCode.usage;
  }
  const checked = files.map((file): CheckedFile => ({ file, ...proveFile(file, options.settingsFor) }));
  const unused = checked.flatMap(({ isUnused, file }) => (isUnused ? file : []));
  if (unused.length > 0) {
    stderr.write(printable(`no channel of ${flags.config} uses the menu of ${unused.join(', ')}\n`));
    return exitCode.usage;
  }
  const reported = flags.graph ? checked.filter((one) => !isClean(one)) : checked;
  if (flags.json) printJson(stdout, summaryOf(checked));
  else stdout.write(reportChecked(paintFor(stdout, noColor), reported));
  for (const { file, proven } of flags.graph ? checked.filter(isClean) : []) {
    if (proven) printGraph(deps, file, proven.menu);
  }
  return checked.every(isClean) ? exitCode.ok : exitCode.findings;
}
