import { type Listening, listen } from '../shared/http/server.ts';
import { damageOf } from '../sqlite/sqlite.ts';
import type { Config } from './config/schema.ts';
import { createGateway, type GatewayOverrides } from './create.ts';

/** A program that serves, and the way to end it. */
export type RunningServer = {
  url: string;
  /** Lets payers finish the screen they wait for, then the worker what it has in hand, then closes the ledger. */
  stop(): Promise<void>;
};

/** Requests under way may take this long after a stop was asked for. */
const drainMs = 5_000;

/**
 * Runs a gateway: builds it, listens, and starts the worker once payers can reach it.
 *
 * @throws UserError when the database or the address cannot be had.
 */
export async function serveGateway(config: Config, overrides: GatewayOverrides): Promise<RunningServer> {
  const { log, onBroken = () => process.exit(1) } = overrides;
  const gateway = createGateway(config, { ...overrides, onBroken });
  let listening: Listening | undefined;
  try {
    listening = await listen(gateway.app, config.listen, 'listen.port (DIALTILL_PORT for the demo)');
    await gateway.start();
  } catch (fault) {
    await listening?.close(0);
    await gateway.stop().catch(() => {});
    throw damageOf(config.database.file, fault) ?? fault;
  }
  const { url, close } = listening;
  log.info({ url, environment: config.environment }, 'the gateway is up');
  return {
    url,
    async stop() {
      log.info('the gateway drains');
      gateway.drain();
      await close(drainMs);
      await gateway.stop();
      log.info('the gateway has stopped');
    },
  };
}
