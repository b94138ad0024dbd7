import { type Msisdn, type Operator, parseMsisdn, perOperator } from '../../shared/msisdn.ts';
import type { Alphabet } from '../../shared/screen-text.ts';
import type { LocalTime } from '../../shared/time-text.ts';
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
export const maxMerchant = 'M'.repeat(20);

/** The instructions for manual approval at each operator. */
export type Approvals = Readonly<Record<Operator, string>>;

const prefixes: Readonly<Record<Operator, string>> = {
  mtn: '024',
  telecel: '020',
  at: '026',
  glo: '023',
  unknown: '028',
};

/** Returns a payer other than the dialler, whose prefix belongs to an operator; for `unknown`, to none. */
export function samplePayer(operator: Operator): Msisdn {
  return toNumber(`${prefixes[operator]}4000001`);
}

function toNumber(local: string): Msisdn {
  const parsed = parseMsisdn(local);
  if (parsed === undefined) throw new Error(`not a mobile number: ${local}`);
  return parsed;
}

/** Half past midnight, so that a recent payment can be of yesterday. */
const now = Date.UTC(2026, 10, 21, 0, 30);

/** A short reference with a valid check digit. */
export const sampleShortReference = '00000000';

export type ContextSettings = {
  readonly channel: Omit<ProvenChannel, 'name'>;
  readonly operator: Operator;
  readonly approvals: Approvals;
  readonly localTime: LocalTime;
};

/** Creates the context of a customer's dialogue. */
export function createProofContext({
  channel,
  operator,
  approvals,
  localTime,
}: ContextSettings): MenuContext {
  const { merchant, sequenced, limit, alphabet, lineBreak } = channel;
  return {
    merchant,
    sequenced,
    limit,
    alphabet,
    lineBreak,
    dialler: toNumber(`${prefixes[operator]}4000000`),
    operator,
    now,
    localTime,
    shortReference: () => sampleShortReference,
    isAttendant: false,
    blocksRequests: false,
    networks: perOperator((one) => one),
    approvals,
  };
}
