import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endpointSecret } from '../../../contract/staff/endpoint.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { askLedger } from '../../staff/open-ledger.ts';
import { createStaffClient } from '../../staff/staff-client.ts';
import { shellWord } from '../../terminal/output.ts';

/** A small server that is notified of payments: the beginning of the merchant's own system. */
export const receiverFile = 'hooks.mjs';

export function readReceiver(): string {
  const file = new URL(`../../../../fixtures/receivers/${receiverFile}`, import.meta.url);
  return readFileSync(file, 'utf8');
}

/** Returns the command that starts the receiver of a project. */
export function receiverCommand(configFile: string): string {
  return `node --env-file=.env ${shellWord(join(dirname(configFile), receiverFile))}`;
}

/**
 * Adds the endpoint of a new project: creates its ledger, as the first start of the gateway would.
 *
 * @returns the secret that signs its notifications.
 * @throws UserError when the ledger cannot be written.
 */
export async function addReceiver(
  { configFile, env, clock }: { configFile: string; env: Environment; clock: Clock },
  endpoint: { merchantId: string; url: string },
): Promise<string> {
  const open: typeof fetch = (input, init = {}) => {
    const { pathname } = new URL(String(input));
    return askLedger(configFile, env, { path: pathname, init });
  };
  const access = { url: 'http://127.0.0.1', urlFrom: configFile, configFile };
  const client = createStaffClient(
    { fetch: open, clock },
    { ...access, configurationKey: env.DIALTILL_SECRETS_KEY ?? '' },
  );
  const { secret } = await client.post('/endpoints', endpointSecret, { ...endpoint, wholePayer: false });
  return secret;
}
