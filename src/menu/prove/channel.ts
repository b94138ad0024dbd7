import { type Msisdn, type Operator, operators, parseMsisdn } from '../../shared/msisdn.ts';
import { type Alphabet, septets } from '../../shared/screen-text.ts';
import { conditionsOf } from '../check/names.ts';
import type { Menu, Screen } from '../schema.ts';
import type { MenuContext } from '../state/state.ts';

/** A channel, as far as its screens depend on it. */
export type ProvenChannel = {
  readonly name: string;
  /** Septets that one screen may hold. */
  readonly limit: number;
  readonly alphabet: Alphabet;
  /** Whether it tells a repeated request from a next step with the same input. */
  readonly sequenced: boolean;
  /** The merchant's name as payers read it. */
  readonly merchant: string;
};

/** The longest name that a configuration accepts. */
export const longestMerchant = 'M'.repeat(20);

/** How to approve by hand, at each operator. */
export type Approvals = Readonly<Record<Operator, string>>;

/** Channels on which a menu runs alike, but for the room that a screen has. */
export type Kind = {
  readonly merchant: string;
  readonly alphabet: Alphabet;
  readonly sequenced: boolean;
  readonly channels: readonly ProvenChannel[];
};

/** Of a merchant's name only the length matters. Those that cannot tell repeats come first. */
export function kindsOf(channels: readonly ProvenChannel[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const channel of channels) {
    const { merchant, alphabet, sequenced } = channel;
    const key = `${septets(merchant)} ${alphabet} ${sequenced}`;
    const alike = kinds.get(key)?.channels ?? [];
    kinds.set(key, { merchant, alphabet, sequenced, channels: [...alike, channel] });
  }
  return [...kinds.values()].sort((a, b) => Number(a.sequenced) - Number(b.sequenced));
}

const prefixes: Readonly<Record<Operator, string>> = {
  mtn: '024',
  telecel: '020',
  at: '026',
  glo: '023',
  unknown: '028',
};

/** Somebody else's number of an operator, as its prefix says; that of `unknown` belongs to none. */
export function otherNumber(operator: Operator): Msisdn {
  return number(`${prefixes[operator]}4000001`);
}

function number(local: string): Msisdn {
  const parsed = parseMsisdn(local);
  if (parsed === undefined) throw new Error(`not a mobile number: ${local}`);
  return parsed;
}

/** The operators that a menu tells apart, and of the others the one whose approvals take the most room. */
export function operatorsOf(menu: Menu, approvals: Approvals): Operator[] {
  const named = new Set(Object.values(menu.screens).flatMap(operatorsNamedBy));
  const [other] = operators
    .filter((operator) => !named.has(operator))
    .sort((a, b) => septets(approvals[b]) - septets(approvals[a]));
  return [...named, ...(other ? [other] : [])];
}

function operatorsNamedBy(screen: Screen): Operator[] {
  const own = screen.kind === 'end' ? operators.filter((one) => screen.operators[one] !== undefined) : [];
  return [...own, ...conditionsOf(screen).flatMap(({ when }) => when.operator ?? [])];
}

/** Whether a screen has something for attendants alone. */
export function asksWho(screen: Screen | undefined): boolean {
  return screen?.kind === 'status' || conditionsOf(screen).some(({ when }) => when.dialler !== undefined);
}

/** Half past midnight: yesterday was a short while ago. */
const now = Date.UTC(2026, 10, 21, 0, 30);

/** What a menu knows about a dialler of an operator on these channels. */
export function contextOf(kind: Kind, operator: Operator, approvals: Approvals, limit: number): MenuContext {
  return {
    merchant: kind.merchant,
    dialler: number(`${prefixes[operator]}4000000`),
    operator,
    sequenced: kind.sequenced,
    limit,
    alphabet: kind.alphabet,
    now,
    shortReference: '00000000',
    isAttendant: false,
    blocksRequests: false,
    approvals: (one) => approvals[one],
    duplicateOf: () => undefined,
  };
}
