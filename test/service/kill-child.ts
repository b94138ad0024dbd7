import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { scopes as allScopes } from '../../src/contract/admin.ts';
import { createService } from '../../src/service/create.ts';
import type { Rail } from '../../src/service/rail/rail.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';

/*
 * The collection service as a process of its own: `kill-child.ts <database> <webhook URL> <secret>`. It loads, prints
 * `loaded`, and waits for a line. Then it opens the database, listens, and prints its address and, if it created the
 * merchant, the key. The line can name the point at which it kills itself: `before the push` or `after the push` of a prompt.
 */
const [file = '', webhookUrl = '', secret = ''] = process.argv.slice(2);

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
  {
    databaseFile: file,
    adminToken: 'admin-token-of-the-kill-test',
    limits: { calls: unlimited, prompts: unlimited },
    rail: { magicDelayMs: 20 },
    webhook: { retryDelaysMs: Array(300).fill(100), timeoutMs: 1_000 },
  },
  {
    clock,
    ids: systemIds(clock),
    log: createLog({ level: 'error', pretty: false, destination: process.stderr }),
    wrapRail: killableRail,
  },
);

async function createMerchant(): Promise<string> {
  const { id: merchantId } = await service.createMerchant({ name: 'Abena Stores' });
  await service.approveOffline(merchantId);
  await service.setWebhook({ merchantId, livemode: false, url: webhookUrl, secret });
  const { key } = await service.createKey({ merchantId, livemode: false, scopes: allScopes });
  return key;
}

const isNew = (await service.listMerchants()).length === 0;
const key = isNew ? await createMerchant() : undefined;
service.start();
const { url, close } = await listen(service.served, { host: '127.0.0.1', port: 0 }, 'the port of this test');
process.once('SIGTERM', async () => {
  await close(1_000);
  await service.stop();
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ url, key })}\n`);
