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
  /** How an expired session ends that its payer approves after all. */
  takesLate: boolean;
};

export function stateOf(session: OracleSession, at = Number.POSITIVE_INFINITY): OracleState {
  const held = session.states.filter((one) => one.at <= at);
  return held.at(-1)?.state ?? 'created';
}

export const isFinal = (state: OracleState) => state !== 'created' && state !== 'initiated';
