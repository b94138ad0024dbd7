import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import { createPhone } from '../../../simulator/phone.ts';
import { createPrompts } from '../../../simulator/prompts.ts';
import type { Call } from './call.ts';
import { lastCollectionId } from './last-collection.ts';
import type { DialConfig, DialRequest } from './options.ts';

export type CallDeps = { clock: Clock; ids: Ids; fetch: typeof fetch };

/** Creates the call of a simulated phone that dials `code`. */
export function createCall(deps: CallDeps, config: DialConfig, code: string, request: DialRequest): Call {
  const { fetch, clock, ids } = deps;
  const { msisdn, operator, waitMs, channel, simulated, gatewayUrl } = request;
  const url = `${gatewayUrl}/ussd/${encodeURIComponent(channel.id)}/${encodeURIComponent(channel.secret)}`;
  const { serviceCode, settings } = channel;
  const phone = createPhone({
    fetch,
    clock,
    ids,
    aggregator: simulated,
    url,
    msisdn,
    operator,
    serviceCode,
    settings,
  });
  const prompts = config.simulator
    ? createPrompts({ fetch, clock, serviceUrl: config.serviceUrl })
    : undefined;
  // Another gateway than the one of the configuration has another ledger.
  const { database } = config;
  const hasLedger = database !== undefined && gatewayUrl === config.gatewayUrl;
  return {
    ...{ code, msisdn, phone, prompts, waitMs, clock },
    lastCollectionId: async () => (hasLedger ? lastCollectionId(database, msisdn) : undefined),
  };
}
