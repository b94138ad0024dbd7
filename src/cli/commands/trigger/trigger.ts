import type { Command } from 'commander';
import type { Config } from '../../../gateway/config/schema.ts';
import { toNotificationBody } from '../../../gateway/notify/payment-events.ts';
import { createProofContext } from '../../../menu/prove/channel.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { UsageError, UserError } from '../../../shared/errors.ts';
import { localForm, operatorByPrefix } from '../../../shared/msisdn.ts';
import { plural } from '../../../shared/plural.ts';
import { localTimeAt } from '../../../shared/time-text.ts';
import type { CommandContext } from '../../context.ts';
import { type CommandOutput, printable, printJson, printListJson, table } from '../../terminal/output.ts';
import { type CallResult, runCall } from '../dial/call.ts';
import { reportCall } from '../dial/call-report.ts';
import { createScriptedUser } from '../dial/dial.ts';
import {
  createCall,
  type DialConfig,
  type DialRequest,
  getDialConfig,
  readDialRequest,
} from '../dial/dial-options.ts';
import { findProvenChannel } from '../menu/check-options.ts';
import {
  awaitEvent,
  findOutcome,
  findPaymentInputs,
  outcomes,
  type TriggeredOutcome,
} from './simulated-payer.ts';

export type TriggerDeps = Pick<
  CommandContext,
  keyof CommandOutput | 'loadConfig' | 'clock' | 'ids' | 'fetch'
>;

type Flags = {
  list?: true;
  reason?: string;
  channel?: string;
  input?: string;
  config?: string;
  wait: string;
  json?: true;
};

/** Documented in the help text. */
const exitCode = { done: 0, failed: 1, noEvent: 4 } as const;

const help = `
A simulated payer with a new number dials the code, takes the shortest way through the menu to a payment, and ends it as the event
needs it. The payment is a real one of the demo or the sandbox: your endpoints are notified, and "dialtill listen" forwards it. For
the event endpoint.test, run: dialtill merchant endpoints test <endpoint>

Examples:
  $ dialtill trigger payment.paid
  $ dialtill trigger payment.not_paid --reason insufficient_funds
  $ dialtill trigger payment.paid --channel till-5 --input 2,ST-1001,yes
  $ dialtill trigger --list

Exit codes:
  0  the ledger has the event
  1  the gateway or the simulated phone is not reachable, or its answer is invalid
  2  wrong usage, or the menu needs --input
  4  the dialogue opened no payment, or the event did not come within --wait`;

export function registerTrigger(program: Command, deps: TriggerDeps): void {
  program
    .command('trigger')
    .argument('[event]', 'payment.opened, payment.paid, payment.not_paid or payment.review_opened')
    .option('--list', 'list the events and their reasons')
    .option('--reason <name>', 'how the payment ends, as the ledger and the notification name it: see --list')
    .option('--channel <id>', 'the channel that the payer dials (default: the first one)')
    .option(
      '--input <answers>',
      "the payer's inputs, separated by commas (default: the shortest way to a payment)",
    )
    .option('--config <file>', 'configuration file of the gateway')
    .option('--wait <seconds>', 'maximum wait for the event, at most 600', '60')
    .option('--json', 'print one JSON object: dialler, screens, payment, events')
    .addHelpText('after', help)
    .action(async (event: string | undefined, flags: Flags) => deps.exit(await run(deps, event, flags)));
}

async function run(deps: TriggerDeps, event: string | undefined, flags: Flags): Promise<number> {
  if (flags.list) {
    printOutcomes(deps, flags);
    return exitCode.done;
  }
  const outcome = event === undefined ? undefined : findOutcome(event, flags.reason);
  if (!outcome) throw new UsageError(unknownOutcome(event, flags.reason));
  const config = deps.loadConfig(flags.config);
  const dial = getDialConfig(config);
  const prepared = prepare(deps, { config, dial }, { outcome, flags });
  return trigger(deps, { config, dial, outcome, ...prepared }, flags);
}

type Prepared = { code: string; inputs: readonly string[]; request: DialRequest };
type Configured = { config: Config; dial: DialConfig };

function prepare(
  { ids, clock }: TriggerDeps,
  { config, dial }: Configured,
  { outcome, flags }: { outcome: TriggeredOutcome; flags: Flags },
): Prepared {
  if (config.environment !== 'test' || !dial.simulator)
    throw new UsageError(
      'only a gateway with test keys and the simulated phone of a sandbox has simulated payers',
    );
  const channel =
    flags.channel === undefined ? config.channels[0] : config.channels.find(({ id }) => id === flags.channel);
  if (!channel)
    throw new UsageError(
      `--channel: expected one of ${config.channels.map(({ id }) => id).join(', ')}, found ${flags.channel}`,
    );
  const code = channel.serviceCode;
  // No dialogue of this number exists, so that no earlier payment changes the first screen.
  const msisdn = `0244${ids.digits(3)}${outcome.ending}`;
  const dialFlags = { msisdn, channel: channel.id, ignore: true, wait: flags.wait } as const;
  const request = readDialRequest(dial, code, dialFlags);
  const inputs =
    flags.input === undefined
      ? findInputs(config, channel, request, clock.now())
      : flags.input.split(',').map((input) => input.trim());
  if (inputs) return { code, inputs, request };
  throw new UsageError(
    `the menu of channel ${channel.id} leads to no payment now without answers of the merchant's own system: ` +
      'give the inputs of a payer with --input, such as --input 1,ST-1001,yes',
  );
}

/** Returns the inputs of a payment on a channel; `undefined` when its menu has none without the merchant's own system. */
function findInputs(
  config: Config,
  channel: Config['channels'][number],
  { msisdn }: DialRequest,
  now: EpochMs,
): readonly string[] | undefined {
  const found = findProvenChannel(config, channel);
  if (!found) throw new UserError(`channel ${channel.id} has no merchant or no aggregator`);
  const { merchant, proven } = found;
  const context = createProofContext({
    channel: proven,
    operator: operatorByPrefix(msisdn),
    approvals: config.approvals,
    localTime: localTimeAt(now, merchant.timeZone),
  });
  return findPaymentInputs(merchant.menu, context);
}

async function trigger(
  deps: TriggerDeps,
  { config, dial, outcome, code, inputs, request }: Configured & Prepared & { outcome: TriggeredOutcome },
  flags: Flags,
): Promise<number> {
  const { msisdn, waitMs } = request;
  const print = (line: string) => void deps.stdout.write(`${line}\n`);
  const user = createScriptedUser({
    ...{ code, inputs },
    decision: { kind: 'ignore' },
    print: flags.json ? () => {} : print,
  });
  const call = await runCall(createCall(deps, dial, code, request), user);
  if (call.outcome !== 'automatic' || call.collected === false) return fail(deps, call, request, dial);
  const found = await awaitEvent(config.database, deps.clock, {
    dialler: msisdn,
    type: outcome.event,
    waitMs,
  });
  const events = found?.events ?? [];
  const isThere = events.some(({ type }) => type === outcome.event);
  if (flags.json) {
    const bodies = events.map((event) => ({ id: event.id, ...JSON.parse(toNotificationBody(event, true)) }));
    const payment = found?.collectionId ?? null;
    printJson(deps.stdout, { dialler: localForm(msisdn), screens: call.screens, payment, events: bodies });
  } else {
    for (const { type, id, collection } of events)
      print(`${type}  ${printable(id)}  ${printable(collection.id)}`);
    if (isThere) print(`See it in the ledger: dialtill ledger show ${events[0]?.collection.shortReference}`);
  }
  if (isThere) return exitCode.done;
  deps.stderr.write(
    `${outcome.event} did not come within ${waitMs / 1_000} s, after ${plural(events.length, 'event')}: ` +
      `wait longer with --wait, or see the reason with: dialtill ledger find ${localForm(msisdn)}\n`,
  );
  return exitCode.noEvent;
}

function fail(
  { stderr }: TriggerDeps,
  call: CallResult,
  { msisdn, channel, gatewayUrl, waitMs }: DialRequest,
  { serviceUrl }: DialConfig,
): number {
  const urls = { gatewayUrl, serviceUrl };
  const context = { msisdn, channelId: channel.id, ...urls, waitMs };
  const report = reportCall(call, { ...context, isAttended: false, isPromptExpected: true });
  stderr.write(`${report.fault ?? 'the number of the payer is no magic number of this service'}\n`);
  return report.exitCode === exitCode.failed ? exitCode.failed : exitCode.noEvent;
}

function unknownOutcome(event: string | undefined, reason: string | undefined): string {
  const events = [...new Set(outcomes.map((one) => one.event))];
  if (event === undefined) return `expected an event: ${events.join(', ')}`;
  const reasons = outcomes.filter((one) => one.event === event).map((one) => one.reason);
  if (reasons.length > 0)
    return `--reason: expected one of ${reasons.join(', ')} for ${event}, found ${reason}`;
  if (event === 'endpoint.test')
    return 'endpoint.test is about no payment. Run: dialtill merchant endpoints test <endpoint>';
  return `no event ${printable(event)} can be triggered: expected one of ${events.join(', ')}`;
}

function printOutcomes({ stdout }: TriggerDeps, { json }: Flags): void {
  if (json) {
    printListJson(stdout, outcomes);
    return;
  }
  const rows = outcomes.map(({ event, reason, review = '', what }) => [event, reason, review, what]);
  stdout.write(table(stdout.paint, [['event', 'reason', 'review', 'what happens'], ...rows]));
}
