import { type Listening, listen, type Served } from '../shared/http/server.ts';
import { version } from '../shared/version.ts';
import { toFileError } from '../sqlite/driver.ts';
import { StoreFault } from '../sqlite/store.ts';
import { getGatewayUrl } from './config/addresses.ts';
import { writeLastAddress } from './config/listen.ts';
import type { Config } from './config/schema.ts';
import { type Gateway, openGateway } from './create.ts';
import { getName } from './database/database-location.ts';
import { computeFingerprint } from './dialogue/stored-state.ts';
import type { GatewayOverrides } from './wiring/context.ts';

/** A server that accepts requests at `url`. */
export type RunningServer = {
  url: string;
  /** Finishes the requests in flight, then the jobs of the worker, then closes the database. */
  stop(): Promise<void>;
};

export type RunningGateway = RunningServer &
  Pick<Gateway, 'reload'> & {
    /** Where this machine reaches it. With port 0, the system has chosen the port. */
    localUrl: string;
  };

/**
 * Aggregators that use GET send a payer's input in the address, where each byte can take three characters. 10,000 bytes of
 * input still get a screen. All connections together hold at most 64 MiB of headers, half of what bodies can take.
 */
const maxHeaderBytes = 32 * 1024;

/** Time limit of requests in flight after `stop` was called. */
const drainMs = 5_000;

/** Names that the first log line lists. */
const maxListed = 50;

/** The running program: its version, menus and database, so that a log shows what answered a payer. */
function describeGateway({ environment, channels, merchants, database }: Config) {
  const menus = merchants.map(({ id, menu }) => `${id}:${computeFingerprint(menu)}`);
  return {
    version,
    environment,
    database: getName(database),
    channels: listed(channels.map(({ id, aggregator }) => `${id}:${aggregator}`)),
    menus: listed(menus),
  };
}

function listed(names: readonly string[]): string[] {
  const rest = names.length - maxListed;
  return rest > 0 ? [...names.slice(0, maxListed), `and ${rest} more`] : [...names];
}

/**
 * Creates a gateway, listens, and starts its worker.
 *
 * @throws UserError when the database cannot be opened or the address is not available.
 */
export async function serveGateway(
  config: Config,
  overrides: GatewayOverrides & Pick<Served, 'isLocalOnly'>,
): Promise<RunningGateway> {
  const { log, isLocalOnly = false, onBroken = () => process.exit(1) } = overrides;
  const gateway = await openGateway(config, { ...overrides, onBroken });
  let listening: Listening | undefined;
  try {
    const { app, access, answerDirectly } = gateway;
    const served = { fetch: app.fetch, access, answerDirectly, maxHeaderBytes, isLocalOnly };
    listening = await listen(served, config.listen, '--port, DIALTILL_PORT or listen.port');
    await gateway.start();
  } catch (fault) {
    await listening?.close(0);
    await gateway.stop().catch(() => {});
    const { file } = config.database;
    throw (file === undefined ? undefined : toFileError(file, fault)) ?? fault;
  }
  const { url, port, close } = listening;
  writeLastAddress(config, port, log);
  log.info({ url, ...describeGateway(config) }, 'the gateway is running');
  return {
    url,
    localUrl: getGatewayUrl({ listen: { host: config.listen.host, port } }),
    reload: gateway.reload,
    async stop() {
      log.info('the gateway is draining');
      gateway.drain();
      await close(drainMs);
      try {
        await gateway.stop();
      } catch (fault) {
        if (!(fault instanceof StoreFault)) throw fault;
        const { message } = fault;
        log.warn({ fault: message }, 'the newest rows are not sealed: the next start seals them');
      }
      log.info('the gateway has stopped');
    },
  };
}
