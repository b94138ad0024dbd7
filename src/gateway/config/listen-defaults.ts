import type { Environment } from './secrets.ts';

/**
 * Returns the section `listen` of a configuration with the host and port of `DIALTILL_HOST` and `DIALTILL_PORT`, where the
 * file names none: a container must listen on all of its addresses, whatever its configuration was written for.
 */
export function withListenDefaults(listen: unknown, env: Environment): unknown {
  if (listen !== undefined && (typeof listen !== 'object' || listen === null)) return listen;
  const { DIALTILL_HOST: host, DIALTILL_PORT: port } = env;
  // A text that is no number is reported as the port of the file would be.
  const given = { ...(host && { host }), ...(port && { port: /^\d+$/.test(port) ? Number(port) : port }) };
  return Object.keys(given).length === 0 ? listen : { ...given, ...listen };
}
