import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../shared/errors.ts';
import { formatFileErrors } from '../../shared/yaml.ts';
import { compareLines } from '../../testing/compare.ts';
import type { Difference } from '../../testing/play.ts';
import { type Rehearsal, rehearse } from '../../testing/rehearse.ts';
import { type CommandOutput, type Paint, printable, printJson } from '../terminal/output.ts';

type RehearseDeps = CommandOutput;

/** Documented in the help text. */
const exitCode = { ok: 0, differences: 1 } as const;

const maxFiles = 1_000;

const help = `
A transcript is a YAML file with the actions of a payer and the expected screens. The command plays each transcript
against its own till in this process: the gateway, a collection service and a simulated clock. No request leaves the
process, and no money moves.

  menu: ../menus/shop.yaml             # relative to the transcript
  merchant: Demo Shop
  channel: { aggregator: nalo, serviceCode: '*920*5#' }
  msisdn: '0244123456'
  steps:
    - dial: '*920*5#'                  # or a direct-dial string: '*920*5*1*20#'
    - screen: |                        # compared exactly; --update writes it
        Demo Shop
        1. Pay with this number
    - send: '1'
    - end: |                           # the last screen of the session
        Approve GHS 20.00 with your PIN.
    - prompt: { amount: 20.20 }        # with the fee; msisdn: for the prompt of another phone
    - approve: '1234'
    - expect: { status: paid, amount: 20.00 }   # also fee, payer, reference, reason, retry_of: true,
                                       # short_reference: '4821 7362'; status: none

Other steps: wait: 30s, until: '2026-03-06T09:00:59.900Z' (the next dial or send arrives exactly then), drop (the last
reply is lost), repeat (the last request is sent again), leave (the payer hangs up), timeout (the network
ends the session), decline, fail: insufficient_funds (the network fails the prompt), charge: 10.00 (the network charges
another amount), phone: '0201234567' (the following steps use another phone, with its own session).

Other keys at the top:
  time: '2026-03-06T09:00:00Z'         # the start time
  timeZone: Africa/Accra               # of the merchant, for conditions of the menu on the time
  attendants: ['0209999999']           # the merchant's attendants
  timings: { recentPaymentSeconds: 600 }      # as in the gateway's configuration, as are limits
  limits: { payer: { perHour: 2 } }
  fees: [{ price: 20.00, fee: 0.37 }]  # the service's fees; other prices have its default
  promptLifetime: 5m                   # how long a prompt waits for an answer
  lookups:                             # the answers of the merchant's own system, by lookup
    route: { fare: 1250 }              # one answer for all, amounts in pesewas; or not_found, or none (no answer)
    student:                           # or a list: the first match, else not_found
      - asked: { reference: 'ST-1234' }   # also payer, dialler, operator, language, amount, values
        answer: { student: Ama Mensah, due: 125000 }
      - answer: none
A lookup with an address that is not listed here has no answer: no request is sent to the address.
A menu that is a program is run only with --allow-programs: add it for transcripts that you trust like a program.

Examples:
  $ dialtill rehearse fixtures/sessions
  $ dialtill rehearse sessions/pay.yaml sessions/bill.yaml
  $ dialtill rehearse sessions --update

Exit codes:
  0  no differences
  1  at least one transcript has differences or errors
  2  invalid usage`;

export function registerRehearse(program: Command, deps: RehearseDeps): void {
  program
    .command('rehearse')
    .argument('<paths...>', 'transcripts, or folders with transcripts (*.yaml)')
    .option('--update', 'write the actual screens into the transcripts')
    .option(
      '--allow-programs',
      'run the menu of a transcript when it is a program (TypeScript or JavaScript)',
    )
    .option('--json', 'print one JSON object with the errors and differences of each session')
    .addHelpText('after', help)
    .action(async (paths: string[], options: RehearseFlags) =>
      deps.exit(await rehearseAll(deps, paths, options)),
    );
}

type RehearseFlags = { update?: boolean; json?: boolean; allowPrograms?: boolean };

async function rehearseAll(
  { stdout }: RehearseDeps,
  paths: readonly string[],
  { update = false, json = false, allowPrograms = false }: RehearseFlags,
): Promise<number> {
  const files = findTranscripts(paths);
  const { paint } = stdout;
  const sessions: Rehearsal[] = [];
  for (const file of files) {
    const rehearsal = await rehearse(file, { update, allowPrograms });
    sessions.push(rehearsal);
    if (!json) stdout.write(reportRehearsal(paint, rehearsal));
  }
  const ok = sessions.every((one) => one.ok);
  if (json) printJson(stdout, { ok, sessions });
  return ok ? exitCode.ok : exitCode.differences;
}

/** Returns the named files and the files of the named folders, each once, sorted within a folder. */
function findTranscripts(paths: readonly string[]): string[] {
  const files = new Set<string>();
  for (const path of paths) {
    const found = transcriptsAt(path);
    if (!found) throw new UsageError(`${path}: expected a transcript or a folder with transcripts`);
    for (const file of found) files.add(file);
  }
  if (files.size > maxFiles) throw new UsageError(`expected at most ${maxFiles} transcripts`);
  return [...files];
}

function transcriptsAt(path: string): string[] | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [path] : undefined;
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  return files.length > 0 ? files.map((name) => join(path, name)) : undefined;
}

/** Returns one line for a transcript, followed by its errors or its differences, each with its line. */
function reportRehearsal(paint: Paint, rehearsal: Rehearsal): string {
  const { file, ok, screens, status, updated, errors, differences } = rehearsal;
  const verdict = ok ? paint('green', 'ok    ') : paint('red', 'failed');
  const result = errors.length > 0 ? status : `${screens} screens, ${status}`;
  const changes = updated > 0 ? `, ${updated} updated` : '';
  return [
    `${verdict}  ${file}  ${result}${changes}`,
    ...(errors.length > 0 ? indented(paint('red', printable(formatFileErrors(errors)))) : []),
    ...differences.flatMap((difference) => formatDifference(paint, file, difference)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`);
}

const signs = {
  both: { sign: ' ', style: 'dim' },
  expected: { sign: '-', style: 'red' },
  actual: { sign: '+', style: 'green' },
} as const;

function formatDifference(
  paint: Paint,
  file: string,
  { line, message, expected, actual }: Difference,
): string[] {
  const head = `  ${paint('bold', `${file}:${line}`)}  ${printable(message)}`;
  if (expected === undefined || actual === undefined) return [head];
  // Without an expected screen, the empty expected text is not printed as a line.
  const lines = compareLines(expected, actual).filter(({ text }) => expected !== '' || text !== '');
  return [
    expected === '' ? head : `${head} (- expected, + actual)`,
    ...lines.map((one) => {
      const { sign, style } = signs[one.in];
      return `    ${paint(style, `${sign} ${printable(one.text)}`)}`;
    }),
  ];
}
