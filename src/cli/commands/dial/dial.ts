import type { Command } from 'commander';
import { typedInput } from '../../../menu/text/named-input.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import type { CommandContext } from '../../context.ts';
import { type CommandOutput, type Output, type Paint, printable } from '../../terminal/output.ts';
import { createLineReader, drawPhone, type LineReader } from '../../terminal/terminal.ts';
import { type CallResult, type DialCall, type PhoneUser, type PromptDecision, runCall } from './call.ts';
import { reportCall } from './call-report.ts';
import {
  type CallDeps,
  createCall,
  type DialConfig,
  type DialFlags,
  readDialRequest,
} from './dial-options.ts';
import { describePrompt } from './prompts.ts';

type DialDeps = CallDeps &
  Pick<CommandContext, keyof CommandOutput | 'stdin'> & {
    /** @throws UserError when there is no valid configuration. */
    loadConfig(path?: string): DialConfig;
  };

const help = `
The command waits for the prompt on the phone that dials, and on every phone whose number is entered. To answer another
prompt, run: dialtill prompts --msisdn <number>

Examples:
  $ dialtill dial '*713*5#' --msisdn 0244123456
  $ dialtill dial '*713*5#' --msisdn 0244123456 --input 1,20,yes --approve

Exit codes:
  0  success, also when a magic number answers the prompt itself
  1  the gateway or the simulated phone is not reachable, or its answer is invalid
  2  wrong usage
  3  the session is still open after the last input
  4  no prompt arrived, for example because the dialogue opened no collection
  5  the simulated phone rejected the decision, for example because of a wrong PIN`;

export function registerDial(program: Command, deps: DialDeps): void {
  program
    .command('dial')
    .argument('<code>', "the code in quotes, such as '*713*5#', or with inputs: '*713*5*1*20#'")
    .option('--msisdn <number>', 'the number of the phone that dials, such as 0244123456')
    .option('--operator <name>', 'mtn, telecel, at or glo (default: from the prefix of the number)')
    .option('--channel <id>', 'the channel, when several have the same service code')
    .option('--config <file>', 'configuration file of the gateway')
    .option('--gateway <url>', 'URL of the gateway (default: from the configuration)')
    .option(
      '--input <answers>',
      'inputs, separated by commas: 1,20,yes (labels of options, and yes, no, back, more, stand for their keys)',
    )
    .option('--approve [pin]', 'approve the prompt (default PIN: 1234; 0000 is a wrong PIN)')
    .option('--decline', 'decline the prompt')
    .option('--ignore', 'wait for the prompt and leave it unanswered')
    .option('--wait <seconds>', 'maximum wait for the prompt', '30')
    .option(
      '--json',
      'print one JSON object: screens, ended, collected, prompt, outcome, promptMsisdn, magic',
    )
    .addHelpText('after', help)
    .action(async (code: string, flags: DialFlags) => deps.exit(await dial(deps, code, flags)));
}

async function dial(deps: DialDeps, code: string, flags: DialFlags): Promise<number> {
  const config = deps.loadConfig(flags.config);
  const request = readDialRequest(config, code, flags);
  const { msisdn, inputs, decision, waitMs, channel, gatewayUrl } = request;
  const { serviceUrl } = config;
  const call = createCall(deps, config, code, request);
  const isAttended = deps.stdin.isTTY === true && deps.stdout.isTTY === true && !inputs && !flags.json;
  const print = (line: string) => void deps.stdout.write(`${line}\n`);

  const result = isAttended
    ? await callByPerson(deps, call, decision)
    : await runCall(
        call,
        createScriptedUser({ code, inputs: inputs ?? [], decision, print: flags.json ? () => {} : print }),
      );

  const isPromptExpected = decision !== undefined;
  const urls = { gatewayUrl, serviceUrl };
  const context = { msisdn, channelId: channel.id, ...urls, waitMs, isAttended, isPromptExpected };
  const report = reportCall(result, context);
  if (flags.json) print(JSON.stringify(toSummary(result)));
  else report.lines.forEach(print);
  if (report.fault) deps.stderr.write(`${report.fault}\n`);
  return report.exitCode;
}

async function callByPerson(
  deps: DialDeps,
  call: DialCall,
  decision: PromptDecision | undefined,
): Promise<CallResult> {
  const lines = createLineReader(deps.stdin, deps.stdout);
  const paint = deps.stdout.paint;
  try {
    return await runCall(
      call,
      createTerminalUser({
        code: call.code,
        msisdn: call.msisdn,
        decision,
        lines,
        output: deps.stdout,
        paint,
      }),
    );
  } finally {
    lines.close();
  }
}

function toSummary(result: CallResult) {
  const { screens, ended, outcome, collected = null, promptPhone } = result;
  return {
    ...{ screens, ended, collected, prompt: ('prompt' in result && result.prompt) || null, outcome },
    ...(promptPhone === undefined ? {} : { promptMsisdn: localForm(promptPhone) }),
    ...(result.outcome === 'automatic' ? { magic: result.magic } : {}),
  };
}

type ScriptedUserOptions = {
  code: string;
  /** The inputs in order. The user hangs up after the last one. */
  inputs: readonly string[];
  /** The decision about the prompt. Without one, the user does not wait for the prompt. */
  decision: PromptDecision | undefined;
  print(line: string): void;
};

export function createScriptedUser({ code, inputs, decision, print }: ScriptedUserOptions): PhoneUser {
  const remaining = [...inputs];
  let shown = '';
  print(`> ${code}`);
  return {
    awaitsPrompt: decision !== undefined,
    showOpenPrompts(prompts) {
      for (const prompt of prompts) print(`An older prompt stays open: ${describePrompt(prompt)}`);
    },
    showScreen({ text }) {
      shown = text;
      print(printable(text));
    },
    async readInput() {
      const input = remaining.shift();
      if (input === undefined) return undefined;
      const typed = typedInput(shown, input);
      print(typed === input ? `> ${input}` : `> ${typed} (${input})`);
      return typed;
    },
    showWaiting() {},
    showPrompt: (prompt, otherPhone) =>
      print(
        `Prompt${otherPhone === undefined ? '' : ` on ${localForm(otherPhone)}`}: ${describePrompt(prompt)}`,
      ),
    readDecision: async (rejections) => (rejections === 0 ? decision : undefined),
    showRejection: (message) => print(printable(message)),
  };
}

type TerminalUserOptions = {
  /** The dialled code, shown above each screen. */
  code: string;
  msisdn: Msisdn;
  /** The decision about the prompt; when absent, the person is asked. */
  decision: PromptDecision | undefined;
  lines: LineReader;
  output: Output;
  paint: Paint;
};

/** Creates the user for a person at a terminal: draws the phone and reads inputs; an empty line hangs up. */
function createTerminalUser(options: TerminalUserOptions): PhoneUser {
  const { code, msisdn, decision, lines, output, paint } = options;
  const print = (text: string) => void output.write(`${text}\n`);
  return {
    awaitsPrompt: true,
    left: lines.left,
    showOpenPrompts(prompts) {
      for (const prompt of prompts)
        print(paint('yellow', `An older prompt is open: ${describePrompt(prompt)}.`));
      print(paint('dim', `To answer it, run: dialtill prompts --msisdn ${localForm(msisdn)} --approve`));
    },
    showScreen(screen) {
      print(drawPhone(code, screen.text));
      if (screen.kind === 'end') print(paint('dim', 'The session has ended.'));
    },
    async readInput() {
      const line = await lines.ask(paint('bold', '> '));
      return line?.trim() || undefined;
    },
    showWaiting: () => print(paint('dim', 'Waiting for the prompt (ctrl-c to leave) ...')),
    showPrompt(prompt, otherPhone) {
      // A line that was typed before the prompt appeared is not a decision about it.
      lines.discard();
      const title = otherPhone ? `Mobile money of ${localForm(otherPhone)}` : 'Mobile money';
      const pin = prompt.magic === undefined ? '\nEnter PIN:' : '';
      print(drawPhone(title, `Pay ${formatCedis(prompt.amount_minor)} to ${prompt.merchant_name}.${pin}`));
    },
    async readDecision(rejections) {
      if (decision) return rejections === 0 ? decision : undefined;
      return parseDecision(await lines.ask(paint('bold', 'PIN to approve, 0 to decline, empty to ignore: ')));
    },
    showRejection: (message) => print(paint('yellow', printable(message))),
  };
}

function parseDecision(line: string | undefined): PromptDecision {
  const text = (line ?? '').trim();
  if (text === '') return { kind: 'ignore' };
  return text === '0' ? { kind: 'decline' } : { kind: 'approve', pin: text };
}
