import { join } from 'node:path';
import { z } from 'zod';
import type { KeyScope } from '../../../contract/service/admin.ts';
import { serviceOperations } from '../../../contract/service/service-operations.ts';
import { type Environment, resolveVariable } from '../../../gateway/config/secrets.ts';
import { UserError } from '../../../shared/errors.ts';
import { createFolder, replacePrivately } from '../../../sqlite/private-file.ts';
import { readStateFile } from '../../state-file.ts';
import { RequestRejectedError, type ServiceClient } from '../admin-client.ts';
import { type CommandKit, type MerchantOptions, readMerchantId } from '../command-kit.ts';
import { dataFolder } from '../find-service.ts';

/** The scopes of the developer's own key. It is a test key, so it charges no payer. */
const developerScopes: KeyScope[] = [
  'collections:offline',
  'collections:web',
  'sessions:read',
  'events:read',
];

const developerKeys = z.record(z.string(), z.string());

/**
 * Reads a merchant's key from `DIALTILL_SERVICE_KEY`, or from the file that `DIALTILL_SERVICE_KEY_FILE` names. There is
 * no command line option for it: other users of the machine can read the options of a running process.
 *
 * @throws UserError if both are set, or the file cannot be read.
 */
export function readServiceKey(env: Environment): string | undefined {
  if (!env.DIALTILL_SERVICE_KEY && !env.DIALTILL_SERVICE_KEY_FILE) return undefined;
  const found = resolveVariable('DIALTILL_SERVICE_KEY', env);
  if ('value' in found) return found.value;
  throw new UserError(`cannot read the merchant's key: ${found.message}.`);
}

/**
 * Connects to the API as a merchant: with the key of the environment, else with a test key that the first use creates
 * and stores in the data folder.
 *
 * @throws UserError if there is no key and none can be created.
 */
export async function connectAsMerchant(
  kit: CommandKit,
  options: MerchantOptions,
  env: Environment,
): Promise<ServiceClient> {
  const client = kit.client(options);
  const given = readServiceKey(env);
  if (given !== undefined) return client.withKey(given);
  const folder = dataFolder(options.data, env);
  const file = join(folder, 'developer-keys.json');
  const merchantId = await readMerchantId(client, options.merchant);
  const remedy = 'Remove it: the next command creates new test keys.';
  const stored = readStateFile(file, { schema: developerKeys, remedy }) ?? {};
  const key = stored[merchantId];
  if (key !== undefined && (await isValid(client, key))) return client.withKey(key);
  const created = await client.operate(serviceOperations.createKey, {
    params: { id: merchantId },
    body: { livemode: false, scopes: developerScopes },
  });
  createFolder(folder);
  replacePrivately(file, `${JSON.stringify({ ...stored, [merchantId]: created.key }, null, 2)}\n`);
  return client.withKey(created.key);
}

async function isValid(client: ServiceClient, key: string): Promise<boolean> {
  try {
    await client.withKey(key).text(serviceOperations.listEvents, { query: { limit: '1' } });
    return true;
  } catch (fault) {
    if (fault instanceof RequestRejectedError && fault.code === 'invalid_api_key') return false;
    throw fault;
  }
}
