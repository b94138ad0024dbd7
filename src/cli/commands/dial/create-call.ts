import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import { openForReading } from '../../../gateway/database/open-for-reading.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Ids } from '../../../shared/ids.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { createPhone } from '../../../simulator/phone.ts';
import { createPrompts } from '../../../simulator/prompts.ts';
import type { Call } from './call.ts';
import type { DialConfig, DialRequest } from './options.ts';

type CallDeps = { clock: Clock; ids: Ids; fetch: typeof fetch };

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

/**
 * Returns the id of the newest collection that a phone opened, `null` when there is none, and `undefined` when the ledger
 * is not readable.
 */
async function lastCollectionId(
  database: DatabaseLocation,
  dialler: Msisdn,
): Promise<string | null | undefined> {
  try {
    // A reader sees the ledger as it was when it was opened, so that each call opens a new one.
    const store = await openForReading(database);
    try {
      return (await findLastCollection(store, dialler)) ?? null;
    } finally {
      await store.close();
    }
  } catch {
    // A phone does not depend on the ledger; the ledger commands report what is wrong with it.
    return undefined;
  }
}
