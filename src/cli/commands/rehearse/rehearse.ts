import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Rehearsal, rehearse } from '../../../testing/rehearse.ts';
import { printJson } from '../../terminal/output.ts';
import { type Output, paintFor } from '../../terminal/terminal.ts';
import { reportRehearsal } from './report.ts';

export type RehearseDeps = {
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

/** How the command ends; its help text lists them. */
const exitCode = { well: 0, wrong: 1, usage: 2 } as const;

const maxFiles = 1_000;

const help = `
A transcript is what a payer does on a phone, and what the screens say, in YAML. Each is played against a till of its
own, in this process: the gateway, a collection service and a clock that is moved on. Nothing is sent anywhere, and no
money moves.

  menu: ../menus/shop.yaml             # as seen from the transcript
  merchant: Demo Shop
  channel: { aggregator: nalo, serviceCode: '*920*5#' }
  msisdn: '0244123456'
  steps:
    - dial: '*920*5#'                  # also with answers: '*920*5*1*20#'
    - screen: |                        # compared exactly; --update writes it
        Demo Shop
        1. Pay with this number
    - send: '1'
    - end: |                           # the last screen of the session
        Approve GHS 20.00 with your PIN.
    - prompt: { amount: 20.20 }        # with the fee; msisdn: where it comes to another phone
    - approve: '1234'
    - expect: { status: paid, amount: 20.00 }   # also fee, payer, reference, reason, retry_of: true,
                                       # short_reference: '4821 7362'; status: none

Other steps: wait: 30s, until: '2026-03-06T09:00:59.900Z' (the next dial or send comes right then), drop (the last answer
is lost), repeat (the last request comes again), leave (the aggregator says that the payer has left), timeout (the network
ends the session), decline, phone: '0201234567' (from here on another phone, with a session of its own; each keeps its own).

What else can be said at the top:
  time: '2026-03-06T09:00:00Z'         # when the till opens, for screens that tell times
  attendants: ['0209999999']           # who works for the merchant
  timings: { recentPaymentSeconds: 600 }      # as in the gateway's configuration, as are limits
  limits: { payer: { perHour: 2 } }
  lookups:                             # what the merchant's own system answers, by the menu's look-ups
    route: { fare: 1250 }              # one answer for all, amounts in pesewas; or not_found, or none (no answer)
    student:                           # or a list: the first that fits what is asked, else not_found
      - asked: { reference: 'ST-1234' }   # also payer, dialler, operator, language, amount, values
        answer: { student: Ama Mensah, due: 125000 }
      - answer: none
A look-up with an address that is not named here comes to nothing: nobody outside is asked.

Examples:
  $ dialtill rehearse fixtures/sessions
  $ dialtill rehearse sessions/pay.yaml sessions/bill.yaml
  $ dialtill rehearse sessions --update

Exit codes:
  0  every screen is as expected
  1  a transcript went otherwise, or has faults
  2  wrong usage`;

/** `dialtill rehearse`: whether menus still say what their transcripts have. */
export function registerRehearse(program: Command, deps: RehearseDeps): void {
  program
    .command('rehearse')
    .description('play transcripts of sessions against a till of their own, and compare every screen')
    .argument('<paths...>', 'transcripts, or folders with *.yaml of them')
    .option('--update', 'write the screens as they are now into the transcripts')
    .option('--json', 'print one JSON object: ok, sessions with faults and differences')
    .addHelpText('after', help)
    .action(async (paths: string[], options: { update?: true; json?: true }) =>
      deps.exit(await rehearseAll(deps, paths, options)),
    );
}

async function rehearseAll(
  { stdout, stderr, noColor }: RehearseDeps,
  paths: readonly string[],
  { update = false, json = false },
): Promise<number> {
  const found = findTranscripts(paths);
  if (!found.ok) {
    stderr.write(`${found.message}\n`);
    return exitCode.usage;
  }
  const paint = paintFor(stdout, noColor);
  const sessions: Rehearsal[] = [];
  for (const file of found.files) {
    const rehearsal = await rehearse(file, { update });
    sessions.push(rehearsal);
    if (!json) stdout.write(reportRehearsal(paint, rehearsal));
  }
  const ok = sessions.every((one) => one.ok);
  if (json) printJson(stdout, { ok, sessions });
  return ok ? exitCode.well : exitCode.wrong;
}

type Found = { ok: true; files: string[] } | { ok: false; message: string };

/** The files named, and those in the folders named, each once and sorted within its folder. */
function findTranscripts(paths: readonly string[]): Found {
  const files = new Set<string>();
  for (const path of paths) {
    const found = transcriptsAt(path);
    if (!found) return { ok: false, message: `${path}: expected a transcript, or a folder that holds some` };
    for (const file of found) files.add(file);
  }
  if (files.size > maxFiles) return { ok: false, message: `expected at most ${maxFiles} transcripts` };
  return { ok: true, files: [...files] };
}

function transcriptsAt(path: string): string[] | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [path] : undefined;
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  return files.length > 0 ? files.map((name) => join(path, name)) : undefined;
}
