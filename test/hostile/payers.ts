import { demoChannels, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type Msisdn, operatorByPrefix } from '../../src/shared/msisdn.ts';
import { createPhone } from '../../src/simulator/phone.ts';
import { awaitPrompt, createPrompts } from '../../src/simulator/prompts.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { type Programs, secretOf } from './programs.ts';

const aggregator = 'africastalking';

/** Time within which the prompt of a confirmed payment is on the phone. */
const maxPromptMs = 20_000;

const clock = systemClock();
const ids = systemIds(clock);

/** What honest payers experienced. */
export type PayerReport = { sessions: number; screenMs: number[]; failures: string[] };

/** Dials, confirms and approves one payment after the other, until `signal` aborts. */
export async function runPayers(programs: Programs, signal: AbortSignal): Promise<PayerReport> {
  const report: PayerReport = { sessions: 0, screenMs: [], failures: [] };
  while (!signal.aborted || report.sessions === 0) {
    // No number with an ending for which the service plays an outcome.
    const number = `024${String(report.sessions % 10_000).padStart(4, '0')}000`;
    const msisdn = msisdnOf(number);
    report.sessions += 1;
    const failure = await pay(programs, msisdn, report.screenMs);
    if (failure !== undefined) report.failures.push(`session ${report.sessions}: ${failure}`);
  }
  return report;
}

/** Pays once. Returns what went wrong. */
async function pay(
  { gateway, service, channelSecret }: Programs,
  msisdn: Msisdn,
  screenMs: number[],
): Promise<string | undefined> {
  const simulated = simulatedAggregators[aggregator];
  const channel = demoChannels.find(({ id }) => id === aggregator);
  if (!simulated || !channel) throw new Error(`no channel of ${aggregator}`);
  const phone = createPhone({
    ...{ clock, ids, fetch, aggregator: simulated, msisdn, operator: operatorByPrefix(msisdn) },
    serviceCode: channel.serviceCode,
    url: `${gateway.url}/ussd/${channel.id}/${secretOf(channelSecret, channel.id)}`,
  });
  for (const input of [channel.serviceCode, '1', '20', '1']) {
    if (input !== channel.serviceCode && phone.ended()) return `ended early: ${phone.screen()?.text}`;
    const startedAt = performance.now();
    const result = await (input === channel.serviceCode ? phone.dial(input) : phone.send(input));
    screenMs.push(performance.now() - startedAt);
    if (!result.ok) return `${result.reason}: ${result.detail}`;
  }
  if (!phone.ended()) return 'the session did not end';
  return approve(service.url, msisdn);
}

/** Waits for the prompt and approves it. Returns what went wrong. */
async function approve(serviceUrl: string, msisdn: Msisdn): Promise<string | undefined> {
  const prompts = createPrompts({ serviceUrl, clock, fetch });
  const waited = { msisdns: [msisdn], known: new Set<string>(), waitMs: maxPromptMs };
  const awaited = await awaitPrompt(prompts, clock, waited);
  if (!awaited.ok) return 'the prompts could not be read';
  if (!awaited.prompt) return 'no prompt came';
  const decided = await prompts.approve(awaited.prompt.id, '1234');
  return decided.ok ? undefined : 'the prompt could not be approved';
}
