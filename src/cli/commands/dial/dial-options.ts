import { dialledSuffix, isDialString } from '../../../aggregators/dial-string.ts';
import { simulatedAggregators } from '../../../aggregators/registry.ts';
import type { SimulatedAggregator } from '../../../aggregators/simulated-aggregator.ts';
import { getGatewayUrl } from '../../../gateway/config/addresses.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import { UsageError } from '../../../shared/errors.ts';
import {
  type Msisdn,
  type Operator,
  operatorByName,
  operatorByPrefix,
  parseMsisdn,
} from '../../../shared/msisdn.ts';
import { createPhone } from '../../../simulator/phone.ts';
import { createPrompts } from '../../../simulator/prompts.ts';
import type { CommandContext } from '../../context.ts';
import { readGateway } from '../../gateway-url.ts';
import { readLedger } from '../../open-reads.ts';
import type { DialCall, PromptDecision } from './call.ts';

/** A rented code behind one aggregator, as the gateway is configured. */
type DialChannel = {
  id: string;
  aggregator: string;
  secret: string;
  serviceCode: string;
  settings?: Readonly<Record<string, unknown>> | undefined;
};

export type DialConfig = {
  channels: readonly DialChannel[];
  gatewayUrl: string;
  serviceUrl: string;
  /** True when the service has a simulated phone (embedded and sandbox). A live service reaches real phones. */
  simulator: boolean;
  /** The database of the gateway, when it is on this machine. */
  database?: DatabaseLocation;
};

export type DialFlags = {
  msisdn?: string;
  operator?: string;
  channel?: string;
  config?: string;
  gateway?: string;
  input?: string;
  approve?: string | true;
  decline?: true;
  ignore?: true;
  wait?: string;
  json?: true;
};

export type DialRequest = {
  msisdn: Msisdn;
  operator: Operator;
  inputs: readonly string[] | undefined;
  decision: PromptDecision | undefined;
  waitMs: number;
  channel: DialChannel;
  simulated: SimulatedAggregator;
  /** Without a slash at its end. */
  gatewayUrl: string;
};

/** The simulated phone accepts every PIN of four digits except 0000. */
const defaultPin = '1234';
const maxWaitSeconds = 600;

/** Reads the decision about the prompt; `undefined` when the options have none. */
export function readDecision(
  flags: Pick<DialFlags, 'approve' | 'decline' | 'ignore'>,
): PromptDecision | undefined {
  const { approve, decline, ignore } = flags;
  const given = [approve, decline, ignore].filter((flag) => flag !== undefined);
  if (given.length > 1) throw new UsageError('choose one of --approve, --decline and --ignore');
  if (decline) return { kind: 'decline' };
  if (ignore) return { kind: 'ignore' };
  if (approve === undefined) return undefined;
  const pin = approve === true ? defaultPin : approve;
  if (!/^\d{4}$/.test(pin)) throw new UsageError('--approve: expected a PIN of four digits, such as 1234');
  return { kind: 'approve', pin };
}

function readOperator(name: string | undefined, msisdn: Msisdn): Operator {
  if (name === undefined) return operatorByPrefix(msisdn);
  const operator = operatorByName(name);
  if (operator === 'unknown')
    throw new UsageError(`--operator: expected mtn, telecel, at or glo, found ${name}`);
  return operator;
}

function readWait(text: string | undefined): number {
  const seconds = Number(text ?? '30');
  if (text === '' || !(seconds >= 0 && seconds <= maxWaitSeconds)) {
    throw new UsageError(`--wait: expected seconds from 0 to ${maxWaitSeconds}, found ${text}`);
  }
  return Math.round(seconds * 1000);
}

function readInputs(text: string | undefined): readonly string[] | undefined {
  return text === '' ? [] : text?.split(',').map((input) => input.trim());
}

/** Returns the channel with the longest service code that the dialled code starts with; of equal ones the named one, or else the first. */
function chooseChannel(channels: readonly DialChannel[], code: string, id: string | undefined): DialChannel {
  if (!isDialString(code)) throw new UsageError(`expected a code such as '*713*5#' in quotes, found ${code}`);
  if (id !== undefined && !channels.some((one) => one.id === id)) {
    throw new UsageError(
      `--channel: no channel ${id}; the configured channels are ${channels.map((one) => one.id).join(', ') || 'none'}`,
    );
  }
  const matching = channels.filter(
    (one) => (id === undefined || one.id === id) && dialledSuffix(code, one.serviceCode) !== undefined,
  );
  const maxLength = Math.max(...matching.map((one) => one.serviceCode.length));
  const channel = matching.find((one) => one.serviceCode.length === maxLength);
  if (channel) return channel;
  const codes = [...new Set(channels.map((one) => one.serviceCode))].join(', ');
  throw new UsageError(`no channel has the code ${code}; the configured codes are ${codes || 'none'}`);
}

/** Validates the command line of one call. @throws UsageError that describes the expected value. */
export function readDialRequest(config: DialConfig, code: string, flags: DialFlags): DialRequest {
  const msisdn = parseMsisdn(flags.msisdn ?? '');
  if (!msisdn) throw new UsageError('--msisdn: expected a Ghanaian mobile number, such as 0244123456');
  const operator = readOperator(flags.operator, msisdn);
  const decision = readDecision(flags);
  if (decision && !config.simulator)
    throw new UsageError(
      'a live service sends prompts to real phones: remove --approve, --decline and --ignore',
    );
  const waitMs = readWait(flags.wait);
  const gatewayUrl = flags.gateway === undefined ? config.gatewayUrl : readGateway(flags.gateway);
  const channel = chooseChannel(config.channels, code, flags.channel);
  const simulated = simulatedAggregators[channel.aggregator];
  if (!simulated) throw new UsageError(`the aggregator ${channel.aggregator} has no simulation`);
  const inputs = readInputs(flags.input);
  return { msisdn, operator, inputs, decision, waitMs, channel, simulated, gatewayUrl };
}

export function getDialConfig(config: Config): DialConfig {
  return {
    channels: config.channels,
    gatewayUrl: getGatewayUrl(config),
    serviceUrl: config.service.url,
    simulator: config.service.simulator,
    database: config.database,
  };
}

export type CallDeps = Pick<CommandContext, 'clock' | 'ids' | 'fetch'>;

export function createCall(deps: CallDeps, config: DialConfig, code: string, request: DialRequest): DialCall {
  const { fetch, clock, ids } = deps;
  const { msisdn, operator, waitMs, channel, simulated, gatewayUrl } = request;
  const url = `${gatewayUrl}/ussd/${encodeURIComponent(channel.id)}/${encodeURIComponent(channel.secret)}`;
  const { serviceCode, settings } = channel;
  const phone = createPhone({
    ...{ fetch, clock, ids, url, msisdn, operator, serviceCode, settings },
    aggregator: simulated,
  });
  const prompts = config.simulator
    ? createPrompts({ fetch, clock, serviceUrl: config.serviceUrl })
    : undefined;
  // Another gateway than the one of the configuration has another ledger.
  const { database } = config;
  const hasLedger = database !== undefined && gatewayUrl === config.gatewayUrl;
  return {
    ...{ code, msisdn, phone, prompts, waitMs, clock },
    lastCollectionId: async () => (hasLedger ? lastCollectionId(database, msisdn) : undefined),
  };
}

/** Returns the id of a phone's newest collection; null for none, undefined when the ledger is not readable: a phone does not need it. */
function lastCollectionId(database: DatabaseLocation, dialler: Msisdn): Promise<string | null | undefined> {
  // A reader sees the ledger as it was when it was opened, so that each call opens a new one.
  return readLedger(database, (store) => findLastCollection(store, dialler)).then(
    (id) => id ?? null,
    () => undefined,
  );
}
