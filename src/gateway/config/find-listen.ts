import { z } from 'zod';
import { UserError } from '../../shared/errors.ts';
import { withListenAddress } from './addresses.ts';
import { readSection } from './find.ts';
import { type Config, configSchema } from './schema.ts';
import type { Environment } from './secrets.ts';

const withListen = z.object({ listen: configSchema.shape.listen });

/**
 * Returns where the gateway of a configuration listens. Reads no other setting, so that a health check needs no secrets.
 *
 * @throws UserError when the file cannot be read or names no valid host and port.
 */
export function findListen(configFile: string, env: Environment): Config['listen'] {
  const content = readSection(configFile, 'listen', env);
  const parsed = withListen.safeParse(content && { listen: withListenAddress(content.listen, env) });
  if (!parsed.success) throw new UserError(`${configFile}: expected a host and a port under listen`);
  return parsed.data.listen;
}
