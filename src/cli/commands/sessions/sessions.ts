import type { Command } from 'commander';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { addDatabaseOptions, helpExamples } from '../../command-options.ts';
import { msisdn, wholeNumber } from '../../service/arguments.ts';
import type { FindSessionsOptions, SessionOptions, SessionsDeps, TailOptions } from './types.ts';

const defaultLimit = 20;
const maxLimit = 500;
const fullHelp = "with --json: print the menu's state after each turn, too";

/** Adds `dialtill sessions`: the dialogues of a phone, also those that never came to a payment. It only reads. */
export function registerSessions(program: Command, deps: SessionsDeps): void {
  const sessions = program
    .command('sessions')
    .addHelpText('after', '\nExample:\n  $ dialtill sessions find 0244123456');

  const addCommand = (usage: string, description: string, example: string) =>
    addDatabaseOptions(
      sessions.command(usage).description(description).option('--json', 'print JSON'),
    ).addHelpText('after', helpExamples('sessions', [example]));

  addCommand(
    'find',
    'list the dialogues of a phone, newest first: when, how it ended, and its last screen',
    'find 0244123456 --unconfirmed',
  )
    .argument('<number>', 'the number that dialled', msisdn)
    .option('--unconfirmed', 'only dialogues without a confirmed payment')
    .option('--limit <count>', `dialogues, 1 to ${maxLimit}`, wholeNumber(1, maxLimit), defaultLimit)
    .option('--after <cursor>', 'start after the page that printed this cursor')
    .action(async (number: Msisdn, options: FindSessionsOptions) =>
      (await import('./read-sessions.ts')).findSessionsCommand(deps, number, options),
    );

  addCommand('show <id>', 'show every screen and input of a dialogue, and how it ended', 'show dlg_01k…')
    .option('--full', fullHelp)
    .action(async (id: string, options: SessionOptions) =>
      (await import('./read-sessions.ts')).showSessionCommand(deps, id, options),
    );

  addCommand('tail', 'print new screens and inputs of all phones until Ctrl-C', 'tail --last 20')
    .option('--last <count>', 'begin with this many earlier turns, 0 to 200', wholeNumber(0, 200), 0)
    .option('--full', fullHelp)
    .action(async (options: TailOptions) => (await import('./read-sessions.ts')).tailCommand(deps, options));
}
