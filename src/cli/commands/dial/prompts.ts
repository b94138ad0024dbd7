import type { Command } from 'commander';
import type { Clock } from '../../../shared/clock.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { createPrompts, type Prompt, type PromptFailure } from '../../../simulator/prompts.ts';
import { printJson, table } from '../../terminal/output.ts';
import { type Output, paintFor, printable } from '../../terminal/terminal.ts';
import { type DialConfig, readDecision } from './options.ts';
import { exitCode, handsetFault } from './report.ts';

export type PromptsDeps = {
  /** @throws UserError when there is no configuration to read. */
  loadConfig(path?: string): Pick<DialConfig, 'serviceUrl' | 'simulator'>;
  clock: Clock;
  fetch: typeof fetch;
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

type Flags = {
  msisdn?: string;
  prompt?: string;
  approve?: string | true;
  decline?: true;
  config?: string;
  json?: true;
};

const help = `
Examples:
  $ dialtill prompts --msisdn 0244123456
  $ dialtill prompts --msisdn 0201234567 --approve
  $ dialtill prompts --msisdn 0244123456 --prompt prm_01k… --decline

Exit codes:
  0  done; also where no prompt waits and none was to be answered
  1  the simulated handset could not be reached, or answered something unusable
  2  wrong usage; also where several prompts wait and none was named
  4  no prompt waits that could be answered
  5  the handset refused the decision, as for a wrong PIN`;

/** `dialtill prompts`: the prompts that wait on a simulated phone, whoever asked for them, and answers to them. */
export function registerPrompts(program: Command, deps: PromptsDeps): void {
  program
    .command('prompts')
    .option('--msisdn <number>', 'the phone, such as 0244123456')
    .option('--approve [pin]', 'approve the prompt (PIN 1234, unless given; 0000 is wrong)')
    .option('--decline', 'decline the prompt')
    .option('--prompt <id>', 'which prompt to answer, when several wait')
    .option('--config <file>', "the gateway's configuration file")
    .option('--json', 'print one JSON object: prompts; with a decision prompt, outcome')
    .addHelpText('after', help)
    .action(async (flags: Flags) => deps.exit(await answerPrompts(deps, flags)));
}

async function answerPrompts(deps: PromptsDeps, flags: Flags): Promise<number> {
  const { fetch, clock, stdout, stderr } = deps;
  const refuse = (code: number, message: string) => {
    stderr.write(`${message}\n`);
    return code;
  };
  const msisdn = parseMsisdn(flags.msisdn ?? '');
  if (!msisdn) return refuse(exitCode.usage, 'give the phone, a Ghanaian mobile number: --msisdn 0244123456');
  const decision = readDecision(flags);
  if (!decision.ok) return refuse(exitCode.usage, decision.message);
  if (flags.prompt !== undefined && decision.value === undefined) {
    return refuse(exitCode.usage, '--prompt needs --approve or --decline');
  }
  const { serviceUrl, simulator } = deps.loadConfig(flags.config);
  if (!simulator) return refuse(exitCode.usage, 'a live service sends prompts to real phones');

  const fail = (failure: PromptFailure) => refuse(exitCode.failed, handsetFault(failure, serviceUrl));
  const prompts = createPrompts({ fetch, clock, serviceUrl });
  const pending = await prompts.pending(msisdn);
  if (!pending.ok) return fail(pending);
  if (!decision.value) {
    if (flags.json) printJson(stdout, { prompts: pending.prompts });
    else stdout.write(listPrompts(deps, msisdn, pending.prompts));
    return exitCode.done;
  }

  const named = pending.prompts.filter(({ id }) => flags.prompt === undefined || id === flags.prompt);
  const [prompt] = named;
  if (!prompt) {
    const which = flags.prompt === undefined ? 'no prompt' : `no prompt ${flags.prompt}`;
    return refuse(exitCode.noPrompt, `${which} waits on ${localForm(msisdn)}`);
  }
  if (named.length > 1) {
    const ids = named.map(({ id }) => printable(id)).join(', ');
    return refuse(exitCode.usage, `${named.length} prompts wait: name one with --prompt, of ${ids}`);
  }
  const decided =
    decision.value.kind === 'approve'
      ? await prompts.approve(prompt.id, decision.value.pin)
      : await prompts.decline(prompt.id);
  if (!decided.ok && decided.reason === 'unavailable') return fail(decided);
  if (flags.json) printJson(stdout, { prompt, outcome: decided.ok ? decided.status : 'refused' });
  if (!decided.ok) {
    const { code, message } = decided;
    return refuse(exitCode.refused, `the handset refused the decision: ${printable(`${code} (${message})`)}`);
  }
  const said = decided.status === 'approved' ? 'Approved' : 'Declined';
  if (!flags.json) stdout.write(`${said}: ${tellPrompt(prompt)}\n`);
  return exitCode.done;
}

function listPrompts({ stdout, noColor }: PromptsDeps, msisdn: Msisdn, prompts: readonly Prompt[]): string {
  if (prompts.length === 0) return `no prompt waits on ${localForm(msisdn)}\n`;
  const rows = prompts.map((one) => [
    printable(one.id),
    formatCedis(one.amount_minor),
    printable(one.merchant_name),
    one.expires_at.slice(0, 19).replace('T', ' '),
    one.magic === undefined ? '' : `answers by itself (${printable(one.magic)})`,
  ]);
  return table(paintFor(stdout, noColor), [['prompt', 'amount', 'merchant', 'until (UTC)', ''], ...rows]);
}

/** `pay GHS 20.20 to Demo Shop` */
export function tellPrompt({ amount_minor, merchant_name }: Prompt): string {
  return `pay ${formatCedis(amount_minor)} to ${printable(merchant_name)}`;
}
