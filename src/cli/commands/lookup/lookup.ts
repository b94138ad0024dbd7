import type { Command } from 'commander';
import {
  callUrl,
  createLookupTransport,
  type LookupFetch,
  type LookupResult,
  resolveAddress,
  toLookupBody,
} from '../../../gateway/lookup/call-url.ts';
import { callHandler } from '../../../gateway/lookup/lookup.ts';
import { applyEffectResult } from '../../../menu/effects/apply-result.ts';
import {
  lookupRequest,
  lookupUrl,
  problemOfAnswer,
  proxyRequest,
  readAnswerFields,
  readProxyAnswer,
} from '../../../menu/effects/lookup.ts';
import type { MerchantScreen } from '../../../menu/schema.ts';
import type { LookupAnswer, LookupRequest, MenuContext } from '../../../menu/state/state.ts';
import type { Values } from '../../../menu/text/format.ts';
import { withTimeout } from '../../../shared/clock.ts';
import { operatorByPrefix, perOperator } from '../../../shared/msisdn.ts';
import { signRequest } from '../../../shared/standard-webhook.ts';
import { localTimeAt } from '../../../shared/time-text.ts';
import type { CommandContext } from '../../context.ts';
import { type CommandOutput, oneLine, printable, printJson } from '../../terminal/output.ts';
import { readTry, type Trial, type TryFlags } from './try-options.ts';
import { describeUnusable, reportTried, type Tried } from './try-report.ts';

type LookupDeps = Pick<CommandContext, keyof CommandOutput | 'loadConfig' | 'env' | 'clock' | 'ids'>;

/** Documented in the help text. */
const exitCode = { ok: 0, unusable: 1 } as const;

const help = `
The command sends the request that a payer's dialogue would send, signed, and shows the request, the answer, the values
that the menu takes from it, and the screen that the payer would see next. It opens no dialogue and collects nothing.
With --config, the address and the secret are those of the merchant who uses the menu. Without it, --url gives the address,
and the environment variable LOOKUPS_SECRET the secret.

Examples:
  $ dialtill lookup try menu.yaml --reference ST-1001 --url http://127.0.0.1:8100
  $ dialtill lookup try menu.yaml record --reference ST-1001 --config dialtill.yaml
  $ dialtill lookup try menu.yaml fees --value class='JHS 1' --value seats=3 --json
  $ dialtill lookup try menu.yaml order --input 3 --state 1-1 --turn 4

Exit codes:
  0  the answer is usable, also when the record does not exist
  1  no usable answer arrived
  2  invalid usage`;

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

export function registerLookup(program: Command, deps: LookupDeps): void {
  program
    .command('lookup')
    .command('try')
    .description('send one request of a menu to your own system, and show what comes of the answer')
    .argument('<menu>', 'a menu file')
    .argument('[screen]', 'the lookup or proxy screen (default: the only one of the menu)')
    .option('--reference <text>', 'the reference that the payer has typed')
    .option('--amount <cedis>', 'the amount that the payer has typed')
    .option('--msisdn <number>', 'the phone that dials', '0244123456')
    .option('--payer <number>', 'the phone that pays (default: the one that dials)')
    .option('--language <code>', 'the language of the dialogue (default: the first one of the menu)')
    .option('--value <name=text>', 'a value of the menu, a text or a whole number; can be repeated', collect)
    .option('--turn <number>', 'the request of a proxy screen (default: 1, or 2 with --input)')
    .option('--input <text>', 'what the payer has typed on a proxy screen')
    .option('--state <text>', 'the state of the previous answer to a proxy screen')
    .option('--config <file>', 'gateway configuration file with the address and the secret')
    .option('--merchant <id>', 'the merchant, when several use the menu')
    .option('--url <url>', 'address of your system, in place of the configured one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (menu: string, screen: string | undefined, flags: TryFlags) =>
      deps.exit(await run(deps, { menu, screen, flags })),
    );
}

async function run(
  deps: LookupDeps,
  asked: { menu: string; screen: string | undefined; flags: TryFlags },
): Promise<number> {
  const { stdout } = deps;
  const tried = await tryLookup(deps, readTry(deps, asked));
  if (asked.flags.json) printJson(stdout, tried);
  else stdout.write(reportTried(stdout.paint, tried));
  return tried.problem === undefined ? exitCode.ok : exitCode.unusable;
}

type TryDeps = Pick<LookupDeps, 'clock' | 'ids'>;

/** A channel without a narrow limit, so that the screen is shown whole. */
const screenLimit = 160;

/** Sends the request of a lookup once, as the gateway would, and applies the answer to the dialogue. Never throws. */
async function tryLookup(deps: TryDeps, trial: Trial): Promise<Tried> {
  const { menu, screen, state, turn, dialler, merchantName } = trial;
  const context: MenuContext = {
    ...{ merchant: merchantName, dialler, operator: operatorByPrefix(dialler), sequenced: true },
    ...{ limit: screenLimit, alphabet: 'gsm', now: deps.clock.now(), shortReference: () => '00000000' },
    localTime: localTimeAt(deps.clock.now(), trial.timeZone),
    ...{ isAttendant: false, blocksRequests: false },
    networks: perOperator((operator) => operator),
    approvals: perOperator(() => ''),
  };
  const request = lookupRequest(state.screen, state, context);
  const turnRequest = proxyRequest(state.screen, state, context, turn);
  const isProxy = screen.kind === 'proxy';
  const path = screen.url === undefined ? undefined : lookupUrl(screen.url, state, context);
  const startedAt = deps.clock.now();
  const sent = await send(deps, trial, isProxy ? turnRequest : request, path);
  const ms = deps.clock.now() - startedAt;
  const { result } = sent;
  const values = result.outcome === 'found' ? findValues(screen, result.fields) : undefined;
  const problem = findProblem(trial, result);
  const answer = toAnswer(result);
  const step = isProxy
    ? applyEffectResult(
        menu,
        { kind: 'proxy', state, request: turnRequest },
        { kind: 'proxy', answer },
        context,
      )
    : applyEffectResult(menu, { kind: 'lookup', state, request }, { kind: 'lookup', answer }, context);
  return {
    lookup: state.screen,
    ...(sent.request && { request: sent.request }),
    ...{ outcome: result.outcome, ms },
    ...(result.outcome === 'found' && { answer: result.fields }),
    ...(values && { values, ...compareFields(screen, values, result) }),
    ...(problem !== undefined && { problem }),
    ...(sent.body !== undefined && result.outcome === 'invalid_response' && { body: sent.body }),
    next: { screen: step.state.screen, text: step.reply.text },
  };
}

type Sent = {
  request?: Tried['request'];
  body?: string;
  result: LookupResult | { outcome: 'not_sent'; detail: string };
};

async function send(
  { clock, ids }: TryDeps,
  { lookups, handler, livemode, timeoutMs }: Trial,
  request: LookupRequest,
  path: string | undefined,
): Promise<Sent> {
  const limited = (ask: (signal: AbortSignal) => Promise<LookupResult>) =>
    withTimeout(clock, timeoutMs, ask).catch((): LookupResult => ({ outcome: 'timeout' }));
  if (handler) return { result: await limited((signal) => callHandler(handler, request, signal)) };
  if (path === '') return { result: { outcome: 'not_sent', detail: 'a value of the address is unknown' } };
  const address = lookups && path !== undefined ? resolveAddress(lookups.url, path) : undefined;
  if (!lookups || !address) {
    return { result: { outcome: 'not_sent', detail: 'the address would leave the URL of the lookups' } };
  }
  const transport = createLookupTransport({ livemode });
  const body = toLookupBody(request);
  const headers = signRequest([lookups.secret], { id: ids.next('lkp'), at: clock.now(), body });
  try {
    const signed = { body, signature: headers, allowNetworks: lookups.allowNetworks };
    let begins = '';
    const fetch = withBeginning(transport.fetch, (bytes) => {
      begins = oneLine(printable(bytes.toString('utf8'))).slice(0, maxShownBody);
    });
    const call = { fetch, networkClock: clock };
    const result = await limited((signal) => callUrl(call, address, signed, signal));
    return { request: { url: address.href, headers, body }, result, ...(begins !== '' && { body: begins }) };
  } finally {
    await transport.close();
  }
}

/** Characters of an unusable body that are shown, and the bytes that are read for them. */
const maxShownBody = 300;
const maxReadBytes = 4 * maxShownBody;

/** Returns a fetch that passes the beginning of each body to `show`. */
function withBeginning(fetch: LookupFetch, show: (bytes: Buffer) => void): LookupFetch {
  return async (url, init) => {
    const { status, body } = await fetch(url, init);
    const rest = body?.[Symbol.asyncIterator]();
    if (!rest) return { status, body: null };
    const chunks: Uint8Array[] = [];
    for (let size = 0; size < maxReadBytes; ) {
      const { done, value } = await rest.next();
      if (done) break;
      chunks.push(value);
      size += value.byteLength;
    }
    show(Buffer.concat(chunks).subarray(0, maxReadBytes));
    return { status, body: continueBody(chunks, rest) };
  };
}

async function* continueBody(chunks: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>) {
  yield* chunks;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Returns what of an answer and a screen did not match: names without a value, and fields that are not taken. */
function compareFields(
  { kind, take }: MerchantScreen,
  values: Values,
  result: Sent['result'],
): Pick<Tried, 'withoutValue' | 'unused'> {
  const named = Object.entries(take).map(([name, { from: field = name }]) => ({ name, field }));
  const used = [...named.map(({ field }) => field), ...(kind === 'proxy' ? ['done', 'text', 'state'] : [])];
  const withoutValue = named.filter(({ name }) => !Object.hasOwn(values, name));
  const fields = result.outcome === 'found' ? Object.keys(result.fields) : [];
  return { withoutValue, unused: fields.filter((field) => !used.includes(field)) };
}

function toAnswer(result: Sent['result']): LookupAnswer {
  if (result.outcome === 'found') return { kind: 'found', fields: result.fields };
  return { kind: result.outcome === 'not_found' ? 'not_found' : 'none' };
}

/** Returns the values that the menu takes; `undefined` for an unusable answer, and for a screen. */
function findValues(screen: MerchantScreen, fields: object): Values | undefined {
  if (screen.kind === 'lookup') {
    const read = readAnswerFields(screen.take, fields);
    return read.ok ? read.values : undefined;
  }
  const read = readProxyAnswer(screen, fields);
  return read.ok && read.kind === 'done' ? read.values : undefined;
}

function findProblem({ menu, screen, state, timeoutMs }: Trial, result: Sent['result']): string | undefined {
  if (result.outcome === 'found') return problemOfAnswer(menu, state.screen, result.fields);
  if (result.outcome === 'not_found') {
    return screen.kind === 'proxy' ? 'expected a screen, or done: 404 leads to fallback' : undefined;
  }
  const detail = 'detail' in result ? result.detail : undefined;
  return describeUnusable(result.outcome, detail, timeoutMs);
}
