import type { Command } from 'commander';
import { addGatewayOptions, helpExamples } from '../../command-options.ts';
import { configurationHelp, personHelp } from '../../staff/person-help.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { ConnectStaff } from '../ledger/types.ts';

export type MerchantDeps = { stdout: Output; noColor: boolean; staffClient: ConnectStaff };

/** Adds the options of a command that the gateway carries out, and its example. */
export function addStaffOptions(command: Command, example: string): Command {
  return addGatewayOptions(command.option('--json', 'print JSON')).addHelpText(
    'after',
    `${helpExamples('merchant', [example])}\n${configurationHelp}\n${personHelp}`,
  );
}
