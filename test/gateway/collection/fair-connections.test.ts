import { expect, onTestFinished, test } from 'vitest';
import { createServiceClient } from '../../../src/gateway/collection/calls/client.ts';
import { createKeyRates } from '../../../src/gateway/collection/calls/key-rates.ts';
import { createTransport } from '../../../src/gateway/collection/calls/transport.ts';
import { createQuoteGate } from '../../../src/gateway/collection/quote/quote-gate.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { InFlightLimit, sharedLimit } from '../../../src/shared/limits/in-flight-limit.ts';
import { startServer } from '../../kit/local-server.ts';
import { createSilentLog } from '../../kit/log.ts';

/** Returns how many calls and quotes one merchant may have in flight at the same time. */
function countAdmitted(callsInFlight: number): { calls: number; quotes: number } {
  const clock = systemClock();
  const rates = createKeyRates({ clock, log: createSilentLog() }, 1_000);
  const gate = createQuoteGate({ clock, networkClock: clock, rates, callsInFlight });
  const limit = new InFlightLimit(sharedLimit(callsInFlight));
  const origin = { merchantId: 'slow-shop', livemode: 0, dialler: null } as const;
  let calls = 0;
  while (limit.tryAcquire('slow-shop')) calls += 1;
  let quotes = 0;
  while (!gate.admit({ ...origin, dialogueId: `dlg_${quotes}` })) quotes += 1;
  return { calls, quotes };
}

test.each([4, 16])(
  'with %i calls in flight, the calls and quotes of a merchant that hang leave a connection for the call of another one',
  async (callsInFlight) => {
    const service = await startServer((response, { headers }) => {
      if (headers.authorization === 'Bearer sk_test_quiet') response.end('{}');
    });
    const callTimeoutMs = 60_000;
    const transport = createTransport({ connectTimeoutMs: 1_000, callTimeoutMs, callsInFlight });
    onTestFinished(() => transport.close());
    const client = createServiceClient({
      ...{ url: service.url, fetch: transport.fetch, clock: systemClock(), callTimeoutMs },
    });
    const call = (key: string) => client.status(`sk_test_${key}`, { sessionId: 'pay_1' });
    const { calls, quotes } = countAdmitted(callsInFlight);
    for (let sent = 0; sent < calls + quotes; sent++) void call('slow');
    const answer = await Promise.race([call('quiet'), systemClock().sleep(2_000)]);
    expect(answer).toMatchObject({ httpStatus: 200 });
  },
);
