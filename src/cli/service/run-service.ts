import { listen, type Served } from '../../shared/http/server.ts';

type Service = {
  served: Served;
  start(): void;
  stop(): Promise<void>;
};

export type RunOptions = {
  host: string;
  port: number;
  /** Names the setting of the port when it is not available. */
  portSetting: string;
  /** How long `stop` waits for running requests, in milliseconds. */
  graceMs: number;
};

/**
 * Serves a service and starts its background work. `saveAddress` runs after the port is open and before the work starts.
 *
 * @returns the address, and a function that stops both.
 * @throws UserError if the port is not available, or the error of `saveAddress`. The service is stopped first.
 */
export async function runService(
  service: Service,
  { graceMs, portSetting, ...address }: RunOptions,
  saveAddress: (url: string) => void,
): Promise<{ url: string; stop(): Promise<void> }> {
  try {
    const { url, close } = await listen(service.served, address, portSetting);
    saveAddress(url);
    service.start();
    return {
      url,
      async stop() {
        await close(graceMs);
        await service.stop();
      },
    };
  } catch (fault) {
    await service.stop();
    throw fault;
  }
}
