import type { Command } from 'commander';
import { wholeNumber } from './service/arguments.ts';

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
