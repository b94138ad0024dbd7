import type { Command } from 'commander';
import { UsageError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn, parseMsisdn } from '../../../shared/msisdn.ts';
import { createPrompts, type PendingPrompt, type PromptAnswerFailure } from '../../../simulator/prompts.ts';
import type { CommandContext } from '../../context.ts';
import { type CommandOutput, printable, printJson, table } from '../../terminal/output.ts';
import { exitCode, simulatedPhoneFault } from './call-report.ts';
import { type DialConfig, readDecision } from './dial-options.ts';

export type PromptsDeps = Pick<CommandContext, keyof CommandOutput | 'clock' | 'fetch'> & {
  /** @throws UserError when there is no valid configuration. */
  loadConfig(path?: string): Pick<DialConfig, 'serviceUrl' | 'simulator'>;
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
  0  success, also when a list has no prompts
  1  the simulated phone is not reachable, or its answer is invalid
  2  wrong usage, for example several open prompts without --prompt
  4  there is no open prompt to answer
  5  the simulated phone rejected the decision, for example because of a wrong PIN`;

export function registerPrompts(program: Command, deps: PromptsDeps): void {
  program
    .command('prompts')
    .option('--msisdn <number>', 'the number of the phone, such as 0244123456')
    .option('--approve [pin]', 'approve the prompt (default PIN: 1234; 0000 is a wrong PIN)')
    .option('--decline', 'decline the prompt')
    .option('--prompt <id>', 'the prompt to answer, when several are open')
    .option('--config <file>', 'configuration file of the gateway')
    .option('--json', 'print one JSON object: prompts; after a decision: prompt, outcome')
    .addHelpText('after', help)
    .action(async (flags: Flags) => deps.exit(await answerPrompts(deps, flags)));
}

async function answerPrompts(deps: PromptsDeps, flags: Flags): Promise<number> {
  const { fetch, clock, stdout, stderr } = deps;
  const fail = (code: number, message: string) => {
    stderr.write(`${message}\n`);
    return code;
  };
  const msisdn = parseMsisdn(flags.msisdn ?? '');
  if (!msisdn) throw new UsageError('--msisdn: expected a Ghanaian mobile number, such as 0244123456');
  const decision = readDecision(flags);
  if (flags.prompt !== undefined && !decision) throw new UsageError('--prompt needs --approve or --decline');
  const { serviceUrl, simulator } = deps.loadConfig(flags.config);
  if (!simulator) throw new UsageError('a live service sends prompts to real phones: approve them there');

  const failToReach = (failure: PromptAnswerFailure) =>
    fail(exitCode.failed, simulatedPhoneFault(failure, serviceUrl));
  const prompts = createPrompts({ fetch, clock, serviceUrl });
  const pending = await prompts.pending(msisdn);
  if (!pending.ok) return failToReach(pending);
  if (!decision) {
    const total = pending.hasMore ? null : pending.prompts.length;
    if (flags.json) printJson(stdout, { data: pending.prompts, total, next: null });
    else stdout.write(listPrompts(deps, msisdn, pending.prompts));
    return exitCode.done;
  }

  const named = pending.prompts.filter(({ id }) => flags.prompt === undefined || id === flags.prompt);
  const [prompt] = named;
  if (!prompt) {
    const which = flags.prompt === undefined ? 'no open prompt' : `no open prompt ${flags.prompt}`;
    return fail(exitCode.noPrompt, `${which} on ${localForm(msisdn)}`);
  }
  if (named.length > 1) {
    const ids = named.map(({ id }) => printable(id)).join(', ');
    throw new UsageError(`${named.length} prompts are open: choose one with --prompt: ${ids}`);
  }
  const decided =
    decision.kind === 'approve'
      ? await prompts.approve(prompt.id, decision.pin)
      : await prompts.decline(prompt.id);
  if (!decided.ok && decided.reason === 'unavailable') return failToReach(decided);
  if (flags.json) printJson(stdout, { prompt, outcome: decided.ok ? decided.status : 'rejected' });
  if (!decided.ok) {
    const { code, message } = decided;
    return fail(
      exitCode.rejected,
      `the simulated phone rejected the decision: ${printable(`${code} (${message})`)}`,
    );
  }
  const verb = decided.status === 'approved' ? 'Approved' : 'Declined';
  if (!flags.json) stdout.write(`${verb}: ${describePrompt(prompt)}\n`);
  return exitCode.done;
}

function listPrompts({ stdout }: PromptsDeps, msisdn: Msisdn, prompts: readonly PendingPrompt[]): string {
  if (prompts.length === 0) return `no open prompt on ${localForm(msisdn)}\n`;
  const rows = prompts.map((one) => [
    printable(one.id),
    formatCedis(one.amount_minor),
    printable(one.merchant_name),
    printable(one.expires_at.slice(0, 19).replace('T', ' ')),
    one.magic === undefined ? '' : `answered automatically (${printable(one.magic)})`,
  ]);
  return table(stdout.paint, [['prompt', 'amount', 'merchant', 'expires (UTC)', ''], ...rows]);
}

/** `pay GHS 20.20 to Demo Shop` */
export function describePrompt({ amount_minor, merchant_name }: PendingPrompt): string {
  return `pay ${formatCedis(amount_minor)} to ${printable(merchant_name)}`;
}
