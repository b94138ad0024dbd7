import { createClient } from '../collection/calls/client.ts';
import { createKeyHealth } from '../collection/calls/key-health.ts';
import { createKeyRates } from '../collection/calls/key-rates.ts';
import { observeProvider } from '../collection/calls/provider.ts';
import { createServiceHealth } from '../collection/calls/service-health.ts';
import { createTransport } from '../collection/calls/transport.ts';
import { createQuotes } from '../collection/quote/quote.ts';
import { createLookupTransport } from '../lookup/call-url.ts';
import { createLookups } from '../lookup/lookup.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';
import type { Storage } from './storage.ts';

/** The requests that the gateway sends: calls and quotes to the service, and lookups to merchants' own systems. */
export type Outbound = ReturnType<typeof createOutbound>;

/** Creates the clients of the service and of merchants' own systems. */
export function createOutbound(
  context: GatewayContext,
  { quotes: quoteStore, members }: Storage,
  metrics: Metrics,
  overrides: GatewayOverrides,
) {
  const { config, clock, networkClock, ids, log, keyOf, directory } = context;
  const { connectTimeoutMs, callTimeoutMs } = config.timings;
  const { callsInFlight, callsPerSecond, errorCodePointer, url } = config.service;

  const transport = overrides.fetch
    ? { fetch: overrides.fetch, close: async () => {} }
    : createTransport({ connectTimeoutMs, callTimeoutMs, callsInFlight });
  const client = createClient({
    ...{ url, fetch: transport.fetch, clock: networkClock },
    ...{ callTimeoutMs, errorCodePointer },
  });
  const health = createServiceHealth({ clock, log }, config.service.outage);
  const provider = observeProvider(client, (key, call, outcome) => {
    for (const id of directory.now().merchantsWithKey(key)) {
      health.record(id, call, outcome);
      metrics.called(id, call, outcome.kind, outcome.ms);
    }
  });
  const rates = createKeyRates({ clock, log, members }, callsPerSecond);
  const keys = createKeyHealth(clock, metrics.keyRejected);
  const quotes = createQuotes({
    ...{ quotes: quoteStore, provider, rates, keys, keyOf, clock, networkClock, ids, log, callsInFlight },
    onDone: metrics.quoted,
  });

  const lookupTransport = createLookupTransport({ livemode: config.environment === 'live' });
  const lookups = createLookups({
    ...{ fetch: lookupTransport.fetch, networkClock, ids, log },
    onDone: metrics.lookedUp,
  });

  return {
    provider,
    rates,
    keys,
    health,
    quotes,
    askLookup: overrides.lookup ?? lookups.ask,
    /** Closes the connections. Close `quotes` first: their calls in flight use these connections. */
    async close() {
      await Promise.all([transport.close(), lookupTransport.close()]);
    },
  };
}
