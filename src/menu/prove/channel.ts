import type { LocalTime } from '../../shared/local-time.ts';
import { type Msisdn, type Operator, operators, parseMsisdn, perOperator } from '../../shared/msisdn.ts';
import { type Alphabet, gsmSeptetsOf } from '../../shared/screen-text.ts';
import { conditionsOf } from '../check/names.ts';
import type { Menu, Screen } from '../schema.ts';
import type { MenuContext } from '../state/state.ts';

/** The settings of a channel that its screens depend on. */
export type ProvenChannel = {
  readonly name: string;
  /** Septets of one screen. */
  readonly limit: number;
  readonly alphabet: Alphabet;
  /** The line break on the wire (default: a line feed). */
  readonly lineBreak?: string | undefined;
  /** Requests have sequence numbers, so that a repeat differs from a new request with the same input. */
  readonly sequenced: boolean;
  /** The merchant's name as screens show it. */
  readonly merchant: string;
};

/** As long as the configuration allows. */
export const longestMerchant = 'M'.repeat(20);

/** The instructions for manual approval at each operator. */
export type Approvals = Readonly<Record<Operator, string>>;

/** Channels on which a menu behaves the same, except for their limits. */
export type ChannelGroup = {
  readonly merchant: string;
  readonly alphabet: Alphabet;
  /** The line break on the wire (default: a line feed). */
  readonly lineBreak?: string | undefined;
  readonly sequenced: boolean;
  readonly channels: readonly ProvenChannel[];
};

/** Groups channels by the length of the merchant's name, alphabet, line break and sequence numbers; channels without them first. */
export function groupChannels(channels: readonly ProvenChannel[]): ChannelGroup[] {
  const groups = new Map<string, ChannelGroup>();
  for (const channel of channels) {
    const { merchant, alphabet, lineBreak = '\n', sequenced } = channel;
    const key = `${gsmSeptetsOf(merchant)} ${alphabet} ${lineBreak} ${sequenced}`;
    const members = groups.get(key)?.channels ?? [];
    groups.set(key, { merchant, alphabet, lineBreak, sequenced, channels: [...members, channel] });
  }
  return [...groups.values()].sort((a, b) => Number(a.sequenced) - Number(b.sequenced));
}

const prefixes: Readonly<Record<Operator, string>> = {
  mtn: '024',
  telecel: '020',
  at: '026',
  glo: '023',
  unknown: '028',
};

/** Returns a payer other than the dialler, whose prefix belongs to an operator; for `unknown`, to none. */
export function samplePayer(operator: Operator): Msisdn {
  return numberOf(`${prefixes[operator]}4000001`);
}

function numberOf(local: string): Msisdn {
  const parsed = parseMsisdn(local);
  if (parsed === undefined) throw new Error(`not a mobile number: ${local}`);
  return parsed;
}

/** Returns the operators that a menu distinguishes, and of the others the one with the longest instructions. */
export function relevantOperators(menu: Menu, approvals: Approvals): Operator[] {
  const named = new Set(Object.values(menu.screens).flatMap(operatorsNamedBy));
  const [other] = operators
    .filter((operator) => !named.has(operator))
    .sort((a, b) => gsmSeptetsOf(approvals[b]) - gsmSeptetsOf(approvals[a]));
  return [...named, ...(other ? [other] : [])];
}

function operatorsNamedBy(screen: Screen): Operator[] {
  const overrides =
    screen.kind === 'end' ? operators.filter((one) => screen.operators[one] !== undefined) : [];
  return [...overrides, ...conditionsOf(screen).flatMap(({ when }) => when.operator ?? [])];
}

/** True when a screen has content for attendants alone. */
export function hasAttendantContent(screen: Screen | undefined): boolean {
  return screen?.kind === 'status' || conditionsOf(screen).some(({ when }) => when.dialler !== undefined);
}

/** Half past midnight, so that a recent payment can be of yesterday. */
const now = Date.UTC(2026, 10, 21, 0, 30);

/** A short reference with a valid check digit. */
export const sampleShortReference = '00000000';

export type ContextSettings = {
  readonly group: ChannelGroup;
  readonly operator: Operator;
  readonly approvals: Approvals;
  /** Septets of one screen. */
  readonly limit: number;
  readonly localTime: LocalTime;
};

/** Creates the context of a customer's dialogue. */
export function createProofContext({
  group,
  operator,
  approvals,
  limit,
  localTime,
}: ContextSettings): MenuContext {
  return {
    merchant: group.merchant,
    dialler: numberOf(`${prefixes[operator]}4000000`),
    operator,
    sequenced: group.sequenced,
    limit,
    alphabet: group.alphabet,
    lineBreak: group.lineBreak,
    now,
    localTime,
    shortReference: () => sampleShortReference,
    isAttendant: false,
    blocksRequests: false,
    networks: perOperator((one) => one),
    approvals,
  };
}
