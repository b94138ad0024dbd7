import { onTestFinished } from 'vitest';
import { createLookupTransport, type LookupTransportOptions } from '../../../src/gateway/lookup/call-url.ts';
import {
  createLookups,
  type LookupMerchant,
  type LookupOutcome,
} from '../../../src/gateway/lookup/lookup.ts';
import type { LookupRequest } from '../../../src/menu/state/state.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import type { Msisdn } from '../../../src/shared/msisdn.ts';
import { createKeptLog } from '../../kit/log.ts';

export const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

export const lookupRequest: LookupRequest = {
  lookup: 'fees',
  dialler: '233244123456' as Msisdn,
  payer: '233201234567' as Msisdn,
  operator: 'telecel',
  language: 'en',
  amountMinor: 2_000 as AmountMinor,
  reference: 'INV-7',
  values: { student: 'Ama Mensah', count: 3 },
};

/** Creates lookups over the real network, with their log and outcomes. */
export function createLookupBench(networkClock: Clock, options: Partial<LookupTransportOptions> = {}) {
  const transport = createLookupTransport({ livemode: false, ...options });
  onTestFinished(() => transport.close());
  const outcomes: LookupOutcome[] = [];
  const { log, logged } = createKeptLog();
  const signals: AbortSignal[] = [];
  const lookups = createLookups({
    fetch(url, init) {
      signals.push(init.signal);
      return transport.fetch(url, init);
    },
    networkClock,
    ids: systemIds(networkClock),
    log,
    onDone: (_merchant, outcome) => outcomes.push(outcome),
  });
  return { lookups, outcomes, signals, logged };
}

export function merchantAt(url: string, id = 'demo', allowNetworks: string[] = []): LookupMerchant {
  return { id, lookups: { url, secret, allowNetworks } };
}
