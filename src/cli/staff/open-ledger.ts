import { aggregators } from '../../aggregators/registry.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import { openGateway } from '../../gateway/create.ts';
import { createLog } from '../../shared/log.ts';

/**
 * Answers one request to the staff API from the ledger of a configuration, without a running gateway: opens and migrates the ledger,
 * starts no job, and closes it.
 *
 * @throws UserError when a gateway uses the file, or the configuration has errors.
 */
export async function askLedger(
  configFile: string,
  env: Environment,
  { path, init }: { path: string; init: RequestInit },
): Promise<Response> {
  const config = loadConfig(configFile, env, aggregators);
  const gateway = await openGateway(config, { log: createLog({ level: 'silent', pretty: false }) });
  try {
    const answer = await gateway.app.request(path, init);
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: answer.headers });
  } finally {
    await gateway.stop();
  }
}
