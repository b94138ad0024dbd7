import type { Command } from 'commander';
import { personHelp } from '../../../staff/person-help.ts';
import { helpExamples } from '../help.ts';
import type { StaffCommandDeps, StaffFlags } from '../types.ts';

/** Adds the commands that a running gateway carries out for a named person. */
export function registerStaffCommands(ledger: Command, deps: StaffCommandDeps): void {
  const addCommand = (usage: string, description: string, example: string) =>
    ledger
      .command(usage)
      .description(description)
      .option('--json', 'print JSON')
      .option('--url <url>', 'URL of the gateway (default: from the configuration)')
      .option('--config <file>', 'configuration file that names the gateway')
      .addHelpText('after', `${helpExamples([example])}\n${personHelp}`);

  addCommand(
    'check-now <id>',
    'poll the service about a collection now, instead of at the next time of its plan',
    'check-now col_01k…',
  ).action(async (id: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).checkNowCommand(deps, id, options),
  );

  addCommand(
    'assign <id> <name>',
    'hand a collection over to a person of support staff; the name none ends the assignment',
    'assign col_01k… kofi',
  ).action(async (id: string, name: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).assignCommand(deps, { id, name }, options),
  );

  addCommand(
    'note <id> <text>',
    'record a note about a collection; notes are never deleted, so do not write personal data',
    'note col_01k… "the payer called, and sends the receipt"',
  ).action(async (id: string, text: string, options: StaffFlags) =>
    (await import('./act-on-collection.ts')).noteCommand(deps, { id, text }, options),
  );
}
