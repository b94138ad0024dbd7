import { aggregators } from '../aggregators/registry.ts';
import { findConfig } from '../gateway/config/find.ts';
import { loadConfig } from '../gateway/config/load.ts';
import type { Config } from '../gateway/config/schema.ts';
import type { Environment } from '../gateway/config/secrets.ts';

/**
 * Finds and reads the whole configuration, with its menus and secrets.
 *
 * @throws UserError when no configuration exists or when it has errors.
 */
export function readConfig(file: string | undefined, env: Environment): Config {
  return loadConfig(findConfig(file, env), env, aggregators);
}
