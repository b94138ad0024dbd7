import { gatewayUrlOf } from '../../../gateway/config/addresses.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import type { DialConfig } from './options.ts';

/** Returns the part of a configuration that a simulated phone needs. */
export function dialConfigOf(config: Config): DialConfig {
  return {
    channels: config.channels,
    gatewayUrl: gatewayUrlOf(config),
    serviceUrl: config.service.url,
    simulator: config.service.simulator,
    database: config.database,
  };
}
