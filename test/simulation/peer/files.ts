import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { scopes as allScopes } from '../../../src/contract/service/admin.ts';
import { createService } from '../../../src/service/create.ts';
import { createLog } from '../../../src/shared/log.ts';
import { createRandom } from '../../kit/random.ts';
import { createLedger, templateFile } from '../files.ts';
import { idsOf } from '../ids.ts';
import { webhookSecretOf } from '../oracle/events.ts';

/** The token of the admin API. */
export const adminToken = 'admin-token-of-the-simulation';

/** Secret keys by merchant, and merchants by their id at the service. */
export type Merchants = { keys: ReadonlyMap<string, string>; names: ReadonlyMap<string, string> };

type Made = Merchants & { gateway: string; service: string };

/** Migrated databases with the merchants. They save most of a start. */
const made = new Map<string, Promise<Made>>();

/** Creates a database for each program, and the service's merchants with keys and webhooks. */
async function make(merchants: readonly string[], start: number): Promise<Made> {
  const gateway = templateFile('peer-gateway');
  const service = templateFile('peer-service');
  const clock = { now: () => start, sleep: () => new Promise<void>(() => {}) };
  await createLedger(gateway, clock);
  const log = createLog({ level: 'silent', pretty: false, destination: { write() {} } });
  const ids = idsOf(createRandom('merchants'), clock.now);
  const peer = createService({ databaseFile: service, adminToken }, { clock, ids, log });
  const keys = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of merchants) {
    const { id: merchantId } = await peer.createMerchant({ name });
    await peer.approveOffline(merchantId);
    names.set(merchantId, name);
    keys.set(name, (await peer.createKey({ merchantId, livemode: false, scopes: allScopes })).key);
    const url = `http://gateway.test/webhooks/${name}`;
    await peer.setWebhook({ merchantId, livemode: false, url, secret: webhookSecretOf(name) });
  }
  await peer.stop();
  return { gateway, service, keys, names };
}

/**
 * Copies a fresh database of each program into a folder: `gateway.db` and `service.db`.
 *
 * @returns the merchants' secret keys, and the merchants by their id at the service.
 */
export async function freshFiles(
  folder: string,
  merchants: readonly string[],
  start: number,
): Promise<Merchants> {
  const name = merchants.join();
  const known = await made.get(name);
  const making =
    known && existsSync(known.service) && existsSync(known.gateway) ? known : make(merchants, start);
  made.set(name, Promise.resolve(making));
  const { gateway, service, keys, names } = await making;
  copyFileSync(gateway, join(folder, 'gateway.db'));
  copyFileSync(service, join(folder, 'service.db'));
  return { keys, names };
}
