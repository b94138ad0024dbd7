import type { Command } from 'commander';
import type { Environment } from '../gateway/config/secrets.ts';
import { wholeNumber } from './service/arguments.ts';

export type PortFlags = { port?: number; servicePort?: number };

const port = wholeNumber(0, 65_535);

/** Adds the options for the ports of a gateway and its sandbox. */
export function addPortOptions(command: Command): Command {
  return command
    .option('--port <port>', 'port of the gateway (default: DIALTILL_PORT, else listen.port)', port)
    .option(
      '--service-port <port>',
      'port of its sandbox (default: DIALTILL_SERVICE_PORT, else that of service.url)',
      port,
    );
}

/** Returns the environment with the ports of the options, which take precedence over its variables. */
export function withPorts(env: Environment, { port, servicePort }: PortFlags): Environment {
  return {
    ...env,
    ...(port === undefined ? {} : { DIALTILL_PORT: `${port}` }),
    ...(servicePort === undefined ? {} : { DIALTILL_SERVICE_PORT: `${servicePort}` }),
  };
}
