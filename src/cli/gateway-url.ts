import type { Config } from '../gateway/config/schema.ts';

/** Returns the URL at which this machine reaches a gateway. A gateway that listens on all addresses is local, too. */
export function gatewayUrlOf({ listen }: Pick<Config, 'listen'>): string {
  const host = listen.host === '0.0.0.0' || listen.host === '::' ? '127.0.0.1' : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}
