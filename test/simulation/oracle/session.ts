/** One prompt that reached a handset. */
export type Prompt = { id: string; sessionId: string; msisdn: string; at: number; answered: boolean };

export type OracleState = 'created' | 'initiated' | 'paid' | 'failed' | 'expired' | 'review';

/** One payment session, as the book of the oracle has it. */
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
  /** Every state with the time from which it holds; the last one holds now. */
  states: { at: number; state: OracleState }[];
  initiates: number;
  prompts: Prompt[];
  /** What left the payer's wallet, in all. */
  takenMinor: number;
  charges: number;
  paidAt: string | null;
  /** Its event names other amounts than its quote did. */
  isMismatch: boolean;
  /** Whether it takes money that its payer approves after it has run out. */
  takesLate: boolean;
};

export function stateOf(session: OracleSession, at = Number.POSITIVE_INFINITY): OracleState {
  const held = session.states.filter((one) => one.at <= at);
  return held.at(-1)?.state ?? 'created';
}

export const isFinal = (state: OracleState) => state !== 'created' && state !== 'initiated';

/** What every event says of a session: its quote. */
export function factsOf(session: OracleSession): Record<string, unknown> {
  return {
    id: session.id,
    goods_minor: session.goodsMinor,
    amount_minor: session.amountMinor,
    expected_fee_minor: session.feeMinor,
    expected_net_minor: session.goodsMinor,
  };
}
