import type { Command } from 'commander';
import { configurationHelp, personHelp } from '../../staff/person-help.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { ConnectStaff } from '../ledger/types.ts';

export type MerchantDeps = { stdout: Output; noColor: boolean; staffClient: ConnectStaff };

/** Adds the options of a command that the gateway carries out, and its example. */
export function addStaffOptions(command: Command, example: string): Command {
  return command
    .option('--json', 'print JSON')
    .option('--url <url>', 'URL of the gateway (default: from the configuration)')
    .option('--config <file>', 'configuration file that names the gateway')
    .addHelpText(
      'after',
      `\nExample:\n  $ dialtill merchant ${example}\n${configurationHelp}\n${personHelp}`,
    );
}
