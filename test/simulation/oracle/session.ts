/** A prompt that reached a phone. */
export type Prompt = { id: string; sessionId: string; msisdn: string; at: number; answered: boolean };

export type OracleState = 'created' | 'initiated' | 'paid' | 'failed' | 'expired' | 'review';

/** A payment session in the oracle's records. */
export type OracleSession = {
  id: string;
  merchant: string;
  idempotencyKey: string;
  body: string;
  msisdn: string;
  reference: string;
  network: string;
  goodsMinor: number;
  feeMinor: number;
  amountMinor: number;
  createdAt: number;
  /** All states with their start times. The last one is current. */
  states: { at: number; state: OracleState }[];
  initiates: number;
  prompts: Prompt[];
  /** The total that was charged, in pesewas. */
  takenMinor: number;
  charges: number;
  /** What of the second charge the service returned to the payer and reported. */
  refundedMinor: number;
  paidAt: string | null;
  /** An event reported other amounts than the quote. */
  isMismatch: boolean;
  /** The paid event stated another currency. */
  isOtherCurrency: boolean;
  /** Whether an approval after the end still charges the payer. */
  acceptsLateApproval: boolean;
};

export function stateOf(session: OracleSession, at = Number.POSITIVE_INFINITY): OracleState {
  const held = session.states.filter((one) => one.at <= at);
  return held.at(-1)?.state ?? 'created';
}

export const isFinal = (state: OracleState) => state !== 'created' && state !== 'initiated';

/** Returns the quote, which every event contains. */
export function factsOf(session: OracleSession): Record<string, unknown> {
  return {
    id: session.id,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.goodsMinor,
  };
}

/** Returns the quote in dollars, as a service with another currency states it. The four amounts agree with each other. */
export function factsInDollars(session: OracleSession): Record<string, unknown> {
  const goodsMinor = Math.ceil(session.goodsMinor / 12);
  const feeMinor = Math.ceil(session.feeMinor / 12);
  return {
    id: session.id,
    goods_minor: goodsMinor,
    amount_minor: goodsMinor + feeMinor,
    expected_fee_minor: feeMinor,
    expected_net_minor: goodsMinor,
    currency: 'USD',
  };
}
