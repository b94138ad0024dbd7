import type { Command } from 'commander';
import type { Config } from '../../../gateway/config/schema.ts';
import { loadMenu } from '../../../menu/file/load.ts';
import { createMenuGraph, maxNodes, renderMermaid } from '../../../menu/graph/menu-graph.ts';
import { type FileFinding, type Proof, type ProvenFile, proveFile } from '../../../menu/prove/prove.ts';
import type { Menu } from '../../../menu/schema.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UsageError, UserError } from '../../../shared/errors.ts';
import { plural } from '../../../shared/plural.ts';
import { formatFileErrors, maxPrintedErrors, unprinted } from '../../../shared/yaml.ts';
import { type CommandOutput, type Paint, printable, printJson } from '../../terminal/output.ts';
import { type CheckFlags, defaultMaxInputs, readCheck } from './check-options.ts';

export type MenuDeps = CommandOutput & {
  /** @throws UserError when the file is missing or invalid. */
  loadWithoutSecrets(path: string): Config;
  /** A condition that holds on no day from today is a finding. */
  clock: Pick<Clock, 'now'>;
};

/** Documented in the help texts. */
const exitCode = { ok: 0, findings: 1 } as const;

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
    .action((file: string) => {
      const loaded = loadMenu(file);
      if (!loaded.ok) throw new UserError(printable(formatFileErrors(loaded.errors)));
      printGraph(deps, file, loaded.menu);
    });
}

/** @throws UserError for a menu with too many screens. */
function printGraph({ stdout }: MenuDeps, file: string, menu: Menu): void {
  const graph = createMenuGraph(menu);
  if (!graph) throw new UserError(`${printable(file)}: expected at most ${maxNodes} screens for a flowchart`);
  stdout.write(renderMermaid(graph));
}

function check(deps: MenuDeps, files: readonly string[], flags: CheckFlags): number {
  const { stdout, loadWithoutSecrets, clock } = deps;
  const settingsFor = readCheck(flags, loadWithoutSecrets, clock.now());
  const checked = files.map((file): CheckedFile => ({ file, ...proveFile(file, settingsFor) }));
  const unused = checked.flatMap(({ isUnused, file }) => (isUnused ? file : []));
  if (unused.length > 0)
    throw new UsageError(printable(`no channel of ${flags.config} uses the menu of ${unused.join(', ')}`));
  const reported = flags.graph ? checked.filter((one) => !isClean(one)) : checked;
  if (flags.json) printJson(stdout, toSummary(checked));
  else stdout.write(reportChecked(stdout.paint, reported));
  for (const { file, proven } of flags.graph ? checked.filter(isClean) : []) {
    if (proven) printGraph(deps, file, proven.menu);
  }
  return checked.every(isClean) ? exitCode.ok : exitCode.findings;
}

type CheckedFile = ProvenFile & { readonly file: string };

function isClean({ findings }: CheckedFile): boolean {
  return findings.length === 0;
}

function toSummary(checked: readonly CheckedFile[]) {
  return {
    ok: checked.every(isClean),
    menus: checked.map((one) => {
      const { menu, proof } = one.proven ?? {};
      return {
        ok: isClean(one),
        file: one.file,
        ...(menu && { screens: Object.keys(menu.screens).length, languages: menu.languages }),
        ...(proof && {
          states: proof.states,
          inputs: proof.inputs,
          longest: listMaxTexts(proof).map(summarizeText),
        }),
        findings: one.findings,
      };
    }),
  };
}

type MaxText = Proof['texts'][number];

/** The longest text on the channels of each limit. */
function listMaxTexts({ texts }: Proof): MaxText[] {
  const byLimit = [...Map.groupBy(texts, ({ limit }) => limit)].sort(([a], [b]) => a - b);
  return byLimit.map(([, all]) =>
    all.reduce((longest, one) => (one.septets > longest.septets ? one : longest)),
  );
}

function summarizeText({ limit, septets, screen, language, inputs }: MaxText) {
  return { limit, septets, screen, language, inputs };
}

function reportChecked(paint: Paint, checked: readonly CheckedFile[]): string {
  return checked
    .flatMap((one) => [
      ...one.findings.slice(0, maxPrintedErrors).map((finding) => findingLine(paint, finding)),
      ...unprinted(one.findings),
      fileLine(paint, one),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function findingLine(paint: Paint, finding: FileFinding): string {
  const { file, line, kind, screen, language, message, inputs = [], assumptions = [] } = finding;
  const place = paint('bold', printable(`${file}:${line}`));
  const subject = screen ?? finding.path;
  const inLanguage = language === undefined ? '' : ` (${language})`;
  const about = subject === '' ? '' : ` ${printable(subject)}${inLanguage}`;
  const typed = inputs.length === 0 ? '' : ` - type ${inputs.map(formatInput).join(' > ')}`;
  const assumed = assumptions.length === 0 ? '' : ` - with ${assumptions.join('; ')}`;
  const origin = paint('dim', `${typed}${printable(assumed)}`);
  return `${place}${about}: ${paint('red', kind)}: ${printable(message)}${origin}`;
}

const maxInputLength = 20;

/** Shortens an input: the longest answers repeat one character. */
function formatInput(input: string): string {
  if (input === '') return '(nothing)';
  return printable(input.length > maxInputLength ? `${input.slice(0, maxInputLength)}...` : input);
}

function fileLine(paint: Paint, one: CheckedFile): string {
  const { file, findings, proven } = one;
  const verdict = isClean(one) ? paint('green', 'ok') : paint('red', 'failed');
  const facts = [
    ...(isClean(one) ? [] : [plural(findings.length, 'finding')]),
    ...(proven ? listMeasurements(proven) : []),
  ];
  return `${verdict} ${printable(file)} ${facts.join(', ')}`;
}

function listMeasurements({ menu, proof }: NonNullable<ProvenFile['proven']>): string[] {
  const { screens, languages } = menu;
  const [tightest] = listMaxTexts(proof).sort((a, b) => a.limit - a.septets - (b.limit - b.septets));
  return [
    plural(Object.keys(screens).length, 'screen'),
    plural(languages.length, 'language'),
    plural(proof.states, 'state'),
    ...(tightest
      ? [
          `longest screen ${tightest.screen} in ${tightest.language}: ${tightest.septets} of ${tightest.limit} septets`,
        ]
      : []),
    `${plural(proof.inputs, 'input')} to the farthest end screen`,
  ];
}
