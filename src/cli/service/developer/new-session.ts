import { createdSession, type Network } from '../../../contract/session.ts';
import type { Clock } from '../../../shared/clock.ts';
import { systemIds } from '../../../shared/ids.ts';
import { operatorByPrefix, parseMsisdn } from '../../../shared/msisdn.ts';
import type { MerchantApi } from './merchant-api.ts';

export type NewSession = {
  msisdn: string;
  amountMinor: number;
  network?: Network | undefined;
  reference?: string | undefined;
  web?: boolean | undefined;
  idempotencyKey?: string | undefined;
};

/** Creates a session, by default offline, with a reference and an idempotency key of its own. */
export function createSession(api: MerchantApi, clock: Clock, session: NewSession) {
  const ids = systemIds(clock);
  const { msisdn, amountMinor, reference = ids.next('cli'), idempotencyKey = ids.next('try') } = session;
  return api.post(
    '/v1/payments/sessions',
    createdSession,
    {
      mode: session.web ? 'web' : 'offline',
      msisdn,
      amount_minor: amountMinor,
      network: session.network ?? networkOf(msisdn),
      reference,
    },
    idempotencyKey,
  );
}

/** The network of the number's prefix; `mtn` for a prefix of no network. */
function networkOf(msisdn: string): Network {
  const parsed = parseMsisdn(msisdn);
  const operator = parsed === undefined ? 'unknown' : operatorByPrefix(parsed);
  return operator === 'telecel' || operator === 'at' ? operator : 'mtn';
}
