import { prepareIntent } from '../../src/gateway/collection/opening/prepare-intent.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { type Gateway, openGateway } from '../../src/gateway/create.ts';
import type { Readiness } from '../../src/gateway/metrics/readiness.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { noLimits } from '../gateway/collection/support.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { msisdnOf } from '../kit/msisdn.ts';
import { testConfig } from '../kit/till.ts';

/** The place of a ledger: a URL, or a file. */
export const at = (place: string) =>
  place.startsWith('postgres:') ? { url: place, maxConnections: 2 } : { file: place };

/** Opens and starts a gateway on a database. */
export async function startGateway(place: string, log = createSilentLog()): Promise<Gateway> {
  const config: Config = {
    ...testConfig(temporaryFolder(), 'sk_test_0123456789abcdef'),
    database: at(place),
  };
  const gateway = await openGateway(config, { log });
  await gateway.start();
  return gateway;
}

/** Dials in a session of its own. Returns the screen. */
export async function dialOn(gateway: Gateway, session: number | string): Promise<string> {
  const body = new URLSearchParams({
    ...{ sessionId: `s-${session}`, phoneNumber: '+233244123456', networkCode: '62001', text: '' },
    serviceCode: '*713*5#',
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const path = '/ussd/africastalking/secret-of-africastalking-0123456789';
  return (await gateway.app.request(path, { method: 'POST', headers, body: body.toString() })).text();
}

export async function readinessOf(gateway: Gateway): Promise<Readiness> {
  return (await (await gateway.app.request('/readyz')).json()) as Readiness;
}

/** Returns whether a gateway on a database begins with a recovery. */
export async function isRecovering(place: string): Promise<boolean> {
  const gateway = await startGateway(place);
  try {
    return (await readinessOf(gateway)).recovering === true;
  } finally {
    await gateway.stop();
  }
}

/** The writes that open a collection of a payer. */
export function openingOf(number: string): readonly Write[] {
  const payer = msisdnOf(number);
  const clock = systemClock();
  const ids = systemIds(clock);
  return prepareIntent(ids, {
    ...{ merchantId: 'demo-shop', livemode: 0, channel: 'africastalking', dialogueId: ids.next('dlg') },
    ...{ network: 'mtn', goodsMinor: 2_000 as AmountMinor, retryOf: null, shownTotalMinor: null },
    ...{ reference: undefined, limits: noLimits, now: clock.now(), promptDelayMs: 1_500 },
    ...{ promptDeadlineMs: 180_000, payer, dialler: payer, requestedBy: 'payer' },
  }).writes;
}
