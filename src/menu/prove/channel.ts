import { type Msisdn, type Operator, parseMsisdn, perOperator } from '../../shared/msisdn.ts';
import type { MenuContext } from '../state/state.ts';

/** The settings of a channel that its screens depend on. `merchant` is the name on screens. */
export type ProvenChannel = { readonly name: string } & Pick<
  MenuContext,
  'limit' | 'alphabet' | 'lineBreak' | 'sequenced' | 'merchant'
>;

/** As long as the configuration allows. */
export const maxMerchant = 'M'.repeat(20);

/** The instructions for manual approval at each operator. */
export type Approvals = MenuContext['approvals'];

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

/** Creates the context of a customer's dialogue. */
export function createProofContext({
  channel: { merchant, sequenced, limit, alphabet, lineBreak },
  operator,
  approvals,
  localTime,
}: { channel: Omit<ProvenChannel, 'name'> } & Pick<
  MenuContext,
  'operator' | 'approvals' | 'localTime'
>): MenuContext {
  return {
    ...{ merchant, sequenced, limit, alphabet, lineBreak, operator, approvals, localTime, now },
    dialler: toNumber(`${prefixes[operator]}4000000`),
    shortReference: () => sampleShortReference,
    isAttendant: false,
    blocksRequests: false,
    networks: perOperator((one) => one),
  };
}
