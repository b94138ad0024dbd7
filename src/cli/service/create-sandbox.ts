import { join } from 'node:path';
import { createService } from '../../service/create.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { createFolder } from '../../sqlite/private-file.ts';

/**
 * Creates the collection service of a project: a sandbox with one merchant, approved for offline collections, whose events
 * go to the project's gateway. `dialtill service start` runs it, and creates its admin token.
 *
 * @returns the merchant's secret key.
 * @throws UserError when the files cannot be created.
 */
export async function createSandbox(
  folder: string,
  merchant: { name: string; webhookUrl: string; webhookSecret: string },
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<string> {
  createFolder(folder);
  const service = createService(
    // The admin API is not used here.
    { databaseFile: join(folder, 'sandbox.db'), adminToken: ids.secret() },
    { clock, ids, log: createLog({ level: 'warn', pretty: true }) },
  );
  try {
    const { id: merchantId } = await service.createMerchant({ name: merchant.name });
    await service.approveOffline(merchantId);
    const { key } = await service.createKey({ merchantId, livemode: false });
    const { webhookUrl: url, webhookSecret: secret } = merchant;
    await service.setWebhook({ merchantId, livemode: false, url, secret });
    return key;
  } finally {
    await service.stop();
  }
}
