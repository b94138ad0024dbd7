import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { scopes } from '../../src/contract/service/admin.ts';
import { createService, type ServiceConfig } from '../../src/service/create.ts';
import type { Rail } from '../../src/service/rail/rail.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';

/** What a service in its own process is: `config` is that of `createService`, without limits unless it has them. */
export type ServiceSettings = {
  file: string;
  adminToken: string;
  /** The names of its merchants, whose keys have every scope. */
  merchants: readonly string[];
  /** Where the events of the first merchant go. */
  webhook?: { url: string; secret: string };
  config?: Partial<ServiceConfig>;
};

/** What it prints when it listens. The merchants are those that it created: none on a file that has them. */
export type ServiceUp = { url: string; merchants: { merchantId: string; key: string }[] };

/*
 * The collection service as a process of its own: `child-service.ts <ServiceSettings in JSON>`. It loads, prints `loaded`, and
 * waits for a line. Then it opens the database, listens, and prints `ServiceUp` in JSON. The line can name the point at which it
 * kills itself: `before the push` or `after the push` of a prompt.
 */
const { file, adminToken, merchants, webhook, config } = JSON.parse(process.argv[2] ?? '') as ServiceSettings;

const lines = createInterface(process.stdin);
process.stdout.write('loaded\n');
const [moment] = await once(lines, 'line');

function killAt(point: string): void {
  if (moment === point) process.kill(process.pid, 'SIGKILL');
}

const killableRail = (rail: Rail): Rail => ({
  ...rail,
  async push(push, signal) {
    killAt('before the push');
    const answer = await rail.push(push, signal);
    killAt('after the push');
    return answer;
  },
});

const clock = systemClock();
const unlimited = { burst: 1_000_000, perMinute: 1_000_000 };
const service = createService(
  { databaseFile: file, adminToken, limits: { calls: unlimited, prompts: unlimited }, ...config },
  {
    clock,
    ids: systemIds(clock),
    log: createLog({ level: 'info', pretty: false, destination: process.stderr }),
    wrapRail: killableRail,
  },
);

async function createMerchant(name: string, place: number) {
  const { id: merchantId } = await service.createMerchant({ name });
  await service.approveOffline(merchantId);
  if (webhook && place === 0) await service.setWebhook({ merchantId, livemode: false, ...webhook });
  const { key } = await service.createKey({ merchantId, livemode: false, scopes });
  return { merchantId, key };
}

const up: ServiceUp = { url: '', merchants: [] };
const isNew = (await service.listMerchants()).length === 0;
if (isNew) for (const [i, name] of merchants.entries()) up.merchants.push(await createMerchant(name, i));
service.start();
const { url, close } = await listen(service.served, { host: '127.0.0.1', port: 0 }, 'the port of this test');
process.once('SIGTERM', async () => {
  await close(1_000);
  await service.stop();
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ ...up, url })}\n`);
