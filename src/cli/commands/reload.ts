import type { Command } from 'commander';
import { reloadAnswer } from '../../contract/staff/staff.ts';
import { plural } from '../../shared/plural.ts';
import { type ActionDeps, act, addGatewayOptions } from '../command-options.ts';
import type { StaffFlags } from '../staff/staff-client.ts';

const help = `
The gateway reads its configuration, menus, secrets and .env again, and applies merchants, menus and channels at once. Open
dialogues end with the menu that they began with. Files with errors, and a change that needs a restart, change nothing.
The signal does the same: kill -HUP <process id>. The log has the result.

The command acts as an admin who has signed in, or else with console.secretsKey of the configuration.

Examples:
  $ dialtill reload
  $ dialtill reload --url https://pay.example.com --json

Environment:
  DIALTILL_STAFF  a person as name:token instead; DIALTILL_STAFF_FILE names a file with it

Exit codes:
  0  the gateway uses the files as they are
  1  the gateway keeps the configuration before, or is not reachable
  2  wrong usage`;

export function registerReload(program: Command, deps: ActionDeps): void {
  addGatewayOptions(program.command('reload').option('--json', 'print JSON'))
    .addHelpText('after', help)
    .action((options: StaffFlags) =>
      act(deps, options, { path: ['reload'], schema: reloadAnswer }, ({ changes }) => {
        const head =
          changes.length === 0 ? 'nothing has changed' : `reloaded: ${plural(changes.length, 'change')}`;
        return [head, ...changes.map((change) => `  ${change}`)].join('\n');
      }),
    );
}
