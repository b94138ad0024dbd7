import type { Command } from 'commander';
import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { localForm } from '../../../shared/msisdn.ts';
import { createPhone } from '../../../simulator/phone.ts';
import { createPrompts } from '../../../simulator/prompts.ts';
import { createLineReader, type Input, type Output, paintFor } from '../../terminal/terminal.ts';
import { type Call, type CallResult, type Decision, runCall } from './call.ts';
import { lastAgreed } from './last-agreed.ts';
import { type AskedDial, type DialConfig, type DialFlags, readDial } from './options.ts';
import { person } from './phone.ts';
import { exitCode, reportCall } from './report.ts';
import { script } from './script.ts';

export type DialDeps = {
  /** @throws UserError when there is no configuration to read. */
  loadConfig(path?: string): DialConfig;
  clock: Clock;
  ids: Ids;
  fetch: typeof fetch;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** The environment has NO_COLOR. */
  noColor: boolean;
  /** Takes the command's exit code. */
  exit(code: number): void;
};

const help = `
The prompt is awaited on the phone that dials, and on one whose number is typed to pay. One that was left open before, or
comes elsewhere, is answered with: dialtill prompts --msisdn <number>

Examples:
  $ dialtill dial '*713*5#' --msisdn 0244123456
  $ dialtill dial '*713*5#' --msisdn 0244123456 --input 1,20,1 --approve

Exit codes:
  0  done; also where a magic number answers the prompt by itself
  1  the gateway or the simulated handset could not be reached, or answered something unusable
  2  wrong usage
  3  the session did not end after the inputs
  4  the expected prompt did not arrive, as where the push was refused or nothing was collected
  5  the handset refused the decision, as for a wrong PIN`;

/** `dialtill dial`: a simulated phone that dials a running gateway. */
export function registerDial(program: Command, deps: DialDeps): void {
  program
    .command('dial')
    .argument('<code>', "the code, in quotes: '*713*5#'; answers can be dialled along: '*713*5*20#'")
    .option('--msisdn <number>', 'the number that dials, such as 0244123456')
    .option('--operator <name>', 'mtn, telecel, at or glo (default: by the prefix of the number)')
    .option('--channel <id>', 'the channel to dial through, when several have the code')
    .option('--config <file>', "the gateway's configuration file")
    .option('--gateway <url>', 'where the gateway listens (default: from the configuration)')
    .option('--input <answers>', 'answers to the screens, separated by commas: 1,20,1')
    .option('--approve [pin]', 'approve the prompt (PIN 1234, unless given; 0000 is wrong)')
    .option('--decline', 'decline the prompt')
    .option('--ignore', 'wait for the prompt and leave it unanswered')
    .option('--wait <seconds>', 'how long to wait for the prompt', '30')
    .option('--json', 'print one JSON object: screens, ended, collected, prompt, outcome, on, magic')
    .addHelpText('after', help)
    .action(async (code: string, flags: DialFlags) => deps.exit(await dial(deps, code, flags)));
}

async function dial(deps: DialDeps, code: string, flags: DialFlags): Promise<number> {
  const config = deps.loadConfig(flags.config);
  const asked = readDial(config, code, flags);
  if (!asked.ok) {
    deps.stderr.write(`${asked.message}\n`);
    return exitCode.usage;
  }
  const { msisdn, inputs, decision, waitMs, channel, gatewayUrl } = asked.value;
  const { serviceUrl } = config;
  const call = prepareCall(deps, config, code, asked.value);
  const attended = deps.stdin.isTTY === true && deps.stdout.isTTY === true && !inputs && !flags.json;
  const say = (line: string) => void deps.stdout.write(`${line}\n`);

  const result = attended
    ? await callByPerson(deps, call, decision)
    : await runCall(call, script({ code, inputs: inputs ?? [], decision, say: flags.json ? () => {} : say }));

  const promptExpected = decision !== undefined;
  const context = { msisdn, channelId: channel.id, gatewayUrl, serviceUrl, waitMs, attended, promptExpected };
  const report = reportCall(result, context);
  if (flags.json) say(JSON.stringify(summaryOf(result)));
  else report.said.forEach(say);
  if (report.fault) deps.stderr.write(`${report.fault}\n`);
  return report.exitCode;
}

function prepareCall(deps: DialDeps, config: DialConfig, code: string, asked: AskedDial): Call {
  const { fetch, clock, ids } = deps;
  const { msisdn, operator, waitMs, channel, wire, gatewayUrl } = asked;
  const url = `${gatewayUrl}/ussd/${encodeURIComponent(channel.id)}/${encodeURIComponent(channel.secret)}`;
  const { serviceCode, settings } = channel;
  const phone = createPhone({ fetch, clock, ids, wire, url, msisdn, operator, serviceCode, settings });
  const prompts = config.simulator
    ? createPrompts({ fetch, clock, serviceUrl: config.serviceUrl })
    : undefined;
  // A gateway that is named is another one than the configuration's, and so is its ledger.
  const { databaseFile } = config;
  const isOurs = databaseFile !== undefined && gatewayUrl === config.gatewayUrl;
  return {
    ...{ code, msisdn, phone, prompts, waitMs, clock },
    lastAgreed: async () => (isOurs ? lastAgreed(databaseFile, msisdn) : undefined),
  };
}

async function callByPerson(deps: DialDeps, call: Call, decision: Decision | undefined): Promise<CallResult> {
  const lines = createLineReader(deps.stdin, deps.stdout);
  const paint = paintFor(deps.stdout, deps.noColor);
  try {
    return await runCall(
      call,
      person({ code: call.code, msisdn: call.msisdn, decision, lines, output: deps.stdout, paint }),
    );
  } finally {
    lines.close();
  }
}

function summaryOf(result: CallResult) {
  const { screens, ended, outcome, collected = null, on } = result;
  return {
    ...{ screens, ended, collected, prompt: ('prompt' in result && result.prompt) || null, outcome },
    ...(on === undefined ? {} : { on: localForm(on) }),
    ...(result.outcome === 'automatic' ? { magic: result.magic } : {}),
  };
}
