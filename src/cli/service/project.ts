import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { gatewayUrlOf, sandboxPortOf, withAddresses } from '../../gateway/config/addresses.ts';
import { demoFolder, findUserConfig, readFilled } from '../../gateway/config/find.ts';
import { findListen } from '../../gateway/config/find-listen.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import { withLastAddress } from '../../gateway/last-address.ts';

/** A project whose gateway uses a sandbox on this machine. */
export type Project = {
  configFile: string;
  /** The port at which the gateway expects the sandbox. */
  servicePort: number;
  gatewayUrl: string;
  merchantIds: readonly string[];
  /** Where its sandbox can be: beside its ledger, or the default folder. */
  folders: readonly string[];
};

const draft = z.object({
  service: z.object({ url: z.string(), simulator: z.boolean() }),
  database: z.object({ file: z.string().optional() }).optional(),
  merchants: z.array(z.object({ id: z.string() })),
});

/**
 * Finds the project of the working directory, or of `DIALTILL_CONFIG`. Reads no secrets.
 *
 * @returns `undefined` without a configuration, or when its service is not a sandbox on this machine.
 * @throws UserError when the file cannot be read, or when a variable is no port.
 */
export function findProject(env: Environment): Project | undefined {
  const configFile = findUserConfig(undefined, env);
  if (configFile === undefined) return undefined;
  const { data } = draft.safeParse(withAddresses(readFilled(configFile, env).value, env));
  const servicePort = data && sandboxPortOf(data.service);
  if (data === undefined || servicePort === undefined) return undefined;
  const file = data.database?.file;
  return {
    configFile,
    servicePort,
    gatewayUrl: gatewayUrlOf({ listen: findListen(configFile, withLastAddress(configFile, env)) }),
    folders: [
      file === undefined ? [] : dirname(resolve(dirname(configFile), file)),
      resolve(demoFolder({})),
    ].flat(),
    merchantIds: data.merchants.map(({ id }) => id),
  };
}
