import { z } from 'zod';
import { errorMessage, UserError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { readTrusted, replacePrivately } from '../../sqlite/private-file.ts';
import { findSandboxPort, readPort, withListenAddress, withPorts } from './addresses.ts';
import { findDatabase, readSection } from './find.ts';
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

/** Where the gateway of a ledger was started last. An option or a variable of that start can name other ports than the file. */
const lastAddress = z.object({
  host: z.union([z.literal('localhost'), z.ipv4(), z.ipv6()]),
  port: z.int().min(1).max(65_535),
  /** The port of its sandbox, if it uses one. */
  servicePort: z.int().min(1).max(65_535).optional(),
});

const getFile = (ledger: string) => `${ledger}.address`;

/** Records where a gateway listens, beside its ledger. A ledger on a server has no such file. */
export function writeLastAddress(
  { database, listen, service }: Pick<Config, 'database' | 'listen' | 'service'>,
  port: number,
  log: Log,
): void {
  if (database.file === undefined) return;
  const servicePort = findSandboxPort(service);
  const address = { host: listen.host, port, ...(servicePort === undefined ? {} : { servicePort }) };
  try {
    replacePrivately(getFile(database.file), `${JSON.stringify(address)}\n`);
  } catch (fault) {
    log.warn(
      { fault: errorMessage(fault) },
      'commands on this machine may not find the gateway: name it by --url',
    );
  }
}

/**
 * Returns the environment with the address at which the gateway of a configuration was started last, for commands that look for
 * the running gateway. Variables of the environment take precedence. Without a record, or when it is not readable or another user
 * can have written it, the configuration and the environment name the address.
 */
export function withLastAddress(configFile: string, env: Environment): Environment {
  try {
    const { file } = findDatabase(configFile, env);
    if (file === undefined) return env;
    const { host, port, servicePort } = lastAddress.parse(JSON.parse(readTrusted(getFile(file))));
    return withPorts(
      { ...env, DIALTILL_HOST: env.DIALTILL_HOST || host },
      {
        port: readPort(env, 'DIALTILL_PORT') ?? port,
        servicePort: readPort(env, 'DIALTILL_SERVICE_PORT') ?? servicePort,
      },
    );
  } catch {
    return env;
  }
}
