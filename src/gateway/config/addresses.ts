import { UserError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/http/addresses.ts';
import { isMap, type UncheckedMap } from '../../shared/json.ts';
import { type Config, configSchema } from './schema.ts';
import type { Environment } from './secrets.ts';

type Address = Pick<Config['listen'], 'host' | 'port'>;

/** Returns the URL at which this machine reaches a gateway. A gateway that listens on all addresses is local, too. */
export function getGatewayUrl({ listen: { host, port } }: { listen: Address }): string {
  const local = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
}

/** Returns the URL at which a browser on this machine opens a gateway; undefined for the network, where browsers need https. */
export function findLocalUrl(listen: Address): string | undefined {
  const url = getGatewayUrl({ listen });
  return isLoopbackHost(new URL(url).hostname) ? url : undefined;
}

export type Ports = { port?: number | undefined; servicePort?: number | undefined };

/** Returns the environment with the given ports, which take precedence over its variables. */
export function withPorts(env: Environment, { port, servicePort }: Ports): Environment {
  return {
    ...env,
    ...(port === undefined ? {} : { DIALTILL_PORT: `${port}` }),
    // Without the host, with which the port would be one of a Service.
    ...(servicePort === undefined
      ? {}
      : { DIALTILL_SERVICE_PORT: `${servicePort}`, DIALTILL_SERVICE_HOST: undefined }),
  };
}

/**
 * Reads a port from an environment variable.
 *
 * Kubernetes gives a container `DIALTILL_PORT=tcp://…`, `DIALTILL_SERVICE_HOST` and `DIALTILL_SERVICE_PORT` when a Service has the
 * name `dialtill`, and so do links of containers. These are addresses of the Service, and no settings.
 *
 * @returns `undefined` when the variable is not set.
 * @throws UserError when it is no port.
 */
export function readPort(
  env: Environment,
  name: 'DIALTILL_PORT' | 'DIALTILL_SERVICE_PORT',
): number | undefined {
  const text = env[name];
  if (!text || /^(tcp|udp|sctp):\/\//.test(text)) return undefined;
  if (name === 'DIALTILL_SERVICE_PORT' && env.DIALTILL_SERVICE_HOST) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UserError(`${name}: expected a port from 0 to 65535, found ${text}`);
}

/**
 * Completes the addresses of a configuration, so that each port has one place: `DIALTILL_PORT` replaces `listen.port`,
 * `DIALTILL_SERVICE_PORT` replaces the port of a sandbox on this machine, and the public URLs of the phone and the console follow the
 * address of the gateway where the file names none, unless the environment is live.
 *
 * @param value the content of the file, unchecked.
 * @throws UserError when a variable is no port.
 */
export function withAddresses(value: UncheckedMap, env: Environment): UncheckedMap {
  const listen = withListenAddress(value.listen, env);
  const url = value.environment === 'live' ? undefined : findPublicUrl(listen);
  const pages = ['phone', 'console'].flatMap((name) => {
    const page = value[name];
    return url !== undefined && isMap(page) ? [[name, { publicUrl: url, ...page }] as const] : [];
  });
  const service = withSandboxPort(value.service, env);
  return {
    ...value,
    ...(listen === undefined ? {} : { listen }),
    ...(service === undefined ? {} : { service }),
    ...Object.fromEntries(pages),
  };
}

/**
 * Returns the section `listen` with the address of the environment. The host of the file takes precedence: the image of a
 * container sets `DIALTILL_HOST`, and must not open what the file restricts.
 */
export function withListenAddress(listen: unknown, env: Environment): unknown {
  if (listen !== undefined && !isMap(listen)) return listen;
  const port = readPort(env, 'DIALTILL_PORT');
  const host = env.DIALTILL_HOST;
  if (port === undefined && !host) return listen;
  return { ...(host ? { host } : {}), ...listen, ...(port === undefined ? {} : { port }) };
}

function findPublicUrl(listen: unknown): string | undefined {
  const { data } = configSchema.shape.listen.safeParse(listen);
  return data && data.port !== 0 ? findLocalUrl(data) : undefined;
}

function withSandboxPort(service: unknown, env: Environment): unknown {
  const port = readPort(env, 'DIALTILL_SERVICE_PORT');
  if (port === undefined || !isMap(service) || findSandboxPort(service) === undefined) return service;
  if (port === 0)
    throw new UserError(
      'DIALTILL_SERVICE_PORT or --service-port: expected a port from 1 to 65535, because the gateway of a project must know that of its sandbox, found 0',
    );
  const url = new URL(String(service.url));
  url.port = `${port}`;
  return { ...service, url: url.href };
}

/** Returns the port of a service that is a sandbox on this machine; `undefined` for every other service. */
export function findSandboxPort(service: { url?: unknown; simulator?: unknown }): number | undefined {
  if (service.simulator !== true || typeof service.url !== 'string' || !URL.canParse(service.url))
    return undefined;
  const { protocol, hostname, port } = new URL(service.url);
  return protocol === 'http:' && isLoopbackHost(hostname) ? Number(port || 80) : undefined;
}
