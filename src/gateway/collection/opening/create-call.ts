import type { CreateSessionRequest } from '../../../contract/service/reading.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { AmountMinor } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';

export type CreateCall = {
  payer: Msisdn;
  /** The service's code for the payer's network. */
  network: string;
  goodsMinor: AmountMinor;
  /** The reference that the service stores. */
  reference: string;
};

/** Returns the exact bytes of a create call. A quote and the collection that uses it send the same bytes. */
export function toCreateBody({ payer, network, goodsMinor, reference }: CreateCall): string {
  const body: CreateSessionRequest = {
    msisdn: payer,
    amount_minor: goodsMinor,
    network,
    mode: 'offline',
    reference,
  };
  return JSON.stringify(body);
}

/** Returns a new idempotency key of a call; a quote is a create call. 96 random bits keep all keys apart. */
export function callKey(ids: Pick<Ids, 'secret'>, call: 'quote' | 'create' | 'initiate'): string {
  return `${call}.${ids.secret().slice(0, 16)}`;
}
