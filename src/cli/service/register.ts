import type { Command } from 'commander';
import { magicNumbers } from '../../contract/service/magic-numbers.ts';
import { type Output, printListJson, table } from '../terminal/output.ts';
import { createCommandKit } from './command-kit.ts';
import { readServiceKey, registerCreateSession } from './developer/create-session.ts';
import { registerServiceListen } from './developer/listen.ts';
import { registerServiceTrigger } from './developer/trigger.ts';
import { merchantCommands } from './merchant-commands.ts';
import { type AddCommand, findGroup } from './operation-command.ts';
import { sessionCommands, supportCommands } from './session-commands.ts';
import { registerServiceStart, type StartServiceDeps } from './start.ts';

const help = `
The commands use the service at --url or DIALTILL_SERVICE_URL, with the token in DIALTILL_ADMIN_TOKEN (or
DIALTILL_ADMIN_TOKEN_FILE). By default they use the service that "dialtill start" or "dialtill service start" started
last in the data folder (--data, DIALTILL_DATA, ./data).

Exit codes:
  0  success
  1  the service rejected the request, or it could not be reached
  2  wrong usage`;

export function registerService(program: Command, deps: StartServiceDeps): void {
  const kit = createCommandKit(deps);
  const service = program.command('service').addHelpText('after', help);
  registerServiceStart(service, deps);
  registerMagicNumbers(service, deps.stdout);
  const add = (commands: readonly AddCommand[]) => {
    for (const command of commands) command(service, kit, () => readServiceKey(deps.env));
  };
  add(merchantCommands);
  registerCreateSession(findGroup(service, 'sessions'), kit, deps);
  add(sessionCommands);
  registerServiceTrigger(service, kit, deps);
  registerServiceListen(service, kit, deps);
  add(supportCommands);
}

/** `dialtill service numbers`. It needs no running service. */
function registerMagicNumbers(service: Command, stdout: Output): void {
  service
    .command('numbers')
    .description('list the magic numbers of test mode, whose prompts end without a person')
    .option('--json', 'print JSON')
    // The options of every other command of the service: a script passes the same ones to all.
    .option('--url <url>', 'accepted and not used: the list is part of dialtill')
    .option('--data <dir>', 'accepted and not used: the list is part of dialtill')
    .addHelpText('after', '\nExample:\n  $ dialtill service numbers')
    .action((options: { json?: true }) => {
      if (options.json) return printListJson(stdout, magicNumbers);
      const rows = magicNumbers.map(({ ending, name, behaviour }) => [`…${ending}`, name, behaviour]);
      stdout.write(
        `${table(stdout.paint, [['ends in', 'name', 'outcome'], ...rows])}` +
          'a name is the reason, the review or the error that it causes: docs/reasons-and-statuses.md\n' +
          'dialtill service trigger <name> creates such a session\n' +
          'the one-time code of these numbers is always 123456\n' +
          'any other number: a person decides (dialtill dial, or POST /handset/prompts/{id}/approve)\n',
      );
    });
}
