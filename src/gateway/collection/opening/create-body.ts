import type { CreateSessionRequest } from '../../../contract/session.ts';
import type { AmountMinor } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';

export type CreateCall = {
  payer: Msisdn;
  /** The service's code for the payer's network. */
  network: string;
  goodsMinor: AmountMinor;
  /** As the service is to store it. */
  reference: string;
};

/** The exact bytes of a create call, whether it asks for a fee before the payer agrees or opens what was agreed to. */
export function createBodyOf({ payer, network, goodsMinor, reference }: CreateCall): string {
  const body: CreateSessionRequest = {
    msisdn: payer,
    amount_minor: goodsMinor,
    network,
    mode: 'offline',
    reference,
  };
  return JSON.stringify(body);
}
