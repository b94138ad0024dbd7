import { aggregators } from '../aggregators/registry.ts';
import { findConfig } from '../gateway/config/find.ts';
import { withLastAddress } from '../gateway/config/last-address.ts';
import { loadConfig, loadWithoutSecrets } from '../gateway/config/load.ts';
import type { Config } from '../gateway/config/schema.ts';
import type { Environment } from '../gateway/config/secrets.ts';

/**
 * Finds and reads the whole configuration, with its menus and secrets, and with the address at which its gateway was started last.
 *
 * @throws UserError when no configuration exists or when it has errors.
 */
export function readConfig(file: string | undefined, env: Environment): Config {
  const found = findConfig(file, env);
  return loadConfig(found, withLastAddress(found, env), aggregators);
}

/**
 * Finds and reads the configuration for a command that uses none of its secrets: those that are not set have stand-ins.
 *
 * @throws UserError when no configuration exists or when it has errors.
 */
export function readConfigWithoutSecrets(file: string | undefined, env: Environment): Config {
  const found = findConfig(file, env);
  return loadWithoutSecrets(found, withLastAddress(found, env), aggregators);
}
