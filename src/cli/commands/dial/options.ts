import { dialledSuffix, isDialString } from '../../../aggregators/dialled.ts';
import { wires } from '../../../aggregators/registry.ts';
import type { Wire } from '../../../aggregators/simulated.ts';
import {
  type Msisdn,
  type Operator,
  operatorByName,
  operatorByPrefix,
  parseMsisdn,
} from '../../../shared/msisdn.ts';
import type { Decision } from './call.ts';

/** A rented code behind one aggregator, as the gateway is configured. */
export type DialChannel = {
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
  /** True when the service has a simulated handset (embedded and sandbox); a live one reaches real phones. */
  simulator: boolean;
  /** The gateway's database, where it is on this machine. */
  databaseFile?: string;
};

/** The options as the command line has them. */
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

/** One call, ready to be made. */
export type AskedDial = {
  msisdn: Msisdn;
  operator: Operator;
  inputs: readonly string[] | undefined;
  decision: Decision | undefined;
  waitMs: number;
  channel: DialChannel;
  wire: Wire;
  /** Without a slash at its end. */
  gatewayUrl: string;
};

type Read<T> = { ok: true; value: T } | { ok: false; message: string };

/** Any PIN of four digits but 0000 is right on the simulated handset. */
const defaultPin = '1234';
const maxWaitSeconds = 600;

const wrong = (message: string) => ({ ok: false, message }) as const;

/** What is to be done about a prompt; `undefined` where nothing was said. */
export function readDecision({
  approve,
  decline,
  ignore,
}: Pick<DialFlags, 'approve' | 'decline' | 'ignore'>): Read<Decision | undefined> {
  const given = [approve, decline, ignore].filter((flag) => flag !== undefined);
  if (given.length > 1) return wrong('choose one of --approve, --decline and --ignore');
  if (decline) return { ok: true, value: { kind: 'decline' } };
  if (ignore) return { ok: true, value: { kind: 'ignore' } };
  if (approve === undefined) return { ok: true, value: undefined };
  const pin = approve === true ? defaultPin : approve;
  if (!/^\d{4}$/.test(pin)) return wrong('a PIN has four digits: --approve 1234');
  return { ok: true, value: { kind: 'approve', pin } };
}

function readOperator(name: string | undefined, msisdn: Msisdn): Read<Operator> {
  if (name === undefined) return { ok: true, value: operatorByPrefix(msisdn) };
  const operator = operatorByName(name);
  if (operator === 'unknown') return wrong(`no operator "${name}": use mtn, telecel, at or glo`);
  return { ok: true, value: operator };
}

function readWait(text: string | undefined): Read<number> {
  const seconds = Number(text ?? '30');
  if (text === '' || !(seconds >= 0 && seconds <= maxWaitSeconds)) {
    return wrong(`--wait takes seconds, 0 to ${maxWaitSeconds}`);
  }
  return { ok: true, value: Math.round(seconds * 1000) };
}

function readInputs(text: string | undefined): readonly string[] | undefined {
  return text === '' ? [] : text?.split(',').map((input) => input.trim());
}

function readGateway(text: string): Read<string> {
  return /^https?:\/\/[^/]/.test(text)
    ? { ok: true, value: text.replace(/\/+$/, '') }
    : wrong('--gateway takes a URL, such as http://127.0.0.1:8080');
}

/**
 * The channel on which a dialled code arrives: that with the longest service code that the dialled code begins
 * with; of several with the same code the named one, else the first.
 */
function chooseChannel(
  channels: readonly DialChannel[],
  code: string,
  id: string | undefined,
): Read<DialChannel> {
  if (!isDialString(code)) return wrong(`"${code}" is no code to dial: write it like '*713*5#', in quotes`);
  if (id !== undefined && !channels.some((one) => one.id === id)) {
    return wrong(`no channel "${id}": there is ${channels.map((one) => one.id).join(', ') || 'none'}`);
  }
  const matching = channels.filter(
    (one) => (id === undefined || one.id === id) && dialledSuffix(code, one.serviceCode) !== undefined,
  );
  const longest = Math.max(...matching.map((one) => one.serviceCode.length));
  const channel = matching.find((one) => one.serviceCode.length === longest);
  if (channel) return { ok: true, value: channel };
  const codes = [...new Set(channels.map((one) => one.serviceCode))].join(', ');
  return wrong(`no channel answers ${code}: the configured codes are ${codes || 'none'}`);
}

/** Reads the command line of one call against the configuration; a failure's message says what to write instead. */
export function readDial(config: DialConfig, code: string, flags: DialFlags): Read<AskedDial> {
  const msisdn = parseMsisdn(flags.msisdn ?? '');
  if (!msisdn) return wrong('give the number that dials, a Ghanaian mobile number: --msisdn 0244123456');
  const operator = readOperator(flags.operator, msisdn);
  if (!operator.ok) return operator;
  const decision = readDecision(flags);
  if (!decision.ok) return decision;
  if (decision.value && !config.simulator) {
    return wrong('a live service sends prompts to real phones: leave out --approve, --decline and --ignore');
  }
  const waitMs = readWait(flags.wait);
  if (!waitMs.ok) return waitMs;
  const gatewayUrl = readGateway(flags.gateway ?? config.gatewayUrl);
  if (!gatewayUrl.ok) return gatewayUrl;
  const channel = chooseChannel(config.channels, code, flags.channel);
  if (!channel.ok) return channel;
  const wire = wires[channel.value.aggregator];
  if (!wire) return wrong(`there is no simulated ${channel.value.aggregator}`);
  return {
    ok: true,
    value: {
      msisdn,
      operator: operator.value,
      inputs: readInputs(flags.input),
      decision: decision.value,
      waitMs: waitMs.value,
      channel: channel.value,
      wire,
      gatewayUrl: gatewayUrl.value,
    },
  };
}
