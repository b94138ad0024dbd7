import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { DatabaseLocation } from '../../gateway/database/database-location.ts';
import { declareCopy, type MoveRequest, MoveUnknown, moveLedger } from '../../gateway/upkeep/move-ledger.ts';
import { errorMessage } from '../../shared/errors.ts';
import { readLocation } from '../command-options.ts';
import type { CommandContext } from '../context.ts';
import type { CommandOutput } from '../terminal/output.ts';

export type DatabaseCliDeps = CommandOutput & Pick<CommandContext, 'clock' | 'env'>;

type MoveOptions = { from: DatabaseLocation; to: DatabaseLocation };

export function registerDatabase(program: Command, deps: DatabaseCliDeps): void {
  const { clock, env, stdout, stderr } = deps;
  const { paint } = stdout;
  const location = (text: string) => parseLocation(text, env);
  const database = program
    .command('database')
    .description('move the ledger to another database, or declare that it is a restored copy');
  database
    .command('move')
    .description('move the ledger to an empty database, from a file to a PostgreSQL or back')
    .requiredOption(
      '--from <database>',
      'a file, a postgres:// URL, or $NAME for the URL in a variable',
      location,
    )
    .requiredOption('--to <database>', 'where to: a new file, or an empty PostgreSQL database', location)
    .addHelpText(
      'after',
      `
Stop every gateway first. The rows of the old database stay as they are. Do not start a gateway on it again: it would begin
with a recovery, like a restored copy.

Examples:
  $ dialtill database move --from data/dialtill.db --to '$DATABASE_URL'
  $ dialtill database move --from '$DATABASE_URL' --to data/back.db

Exit codes:
  0  the ledger is in the new database, and equal to the old one
  1  nothing was moved
  2  wrong usage
  3  it is not known whether the ledger was moved: the message says how to find out`,
    )
    .action(async ({ from, to }: MoveOptions) => {
      const move = (request: MoveRequest) =>
        moveLedger(request).catch((fault: unknown) => {
          if (!(fault instanceof MoveUnknown)) throw fault;
          stderr.write(`${fault.message}\n`);
          deps.exit(3);
        });
      const copy = await move({
        ...{ from, to, clock },
        onTable({ table, rows }) {
          if (rows > 0) stderr.write(`${table.padEnd(24)} ${rows.toLocaleString('en')} rows\n`);
        },
      });
      if (!copy) return;
      stdout.write(`head ${copy.head}\n`);
      stdout.write(
        `${paint('green', 'moved')}: ${copy.rows.toLocaleString('en')} rows, each table equal, the ledger verified\n`,
      );
      if (copy.needsRecovery)
        stdout.write(
          'the ledger was a copy, had moved before, or was in a recovery: the next start begins with a recovery\n',
        );
    });
  database
    .command('recover')
    .description('declare that a database is a restored copy, so that the next start begins with a recovery')
    .requiredOption(
      '--on <database>',
      'a file, a postgres:// URL, or $NAME for the URL in a variable',
      location,
    )
    .addHelpText(
      'after',
      `
Only for a copy that a gateway does not recognize: a snapshot of the disk of a database server, or a base backup that was started
without recovery.signal. Stop every gateway first. In the recovery, nothing that was open is prompted again.

Example:
  $ dialtill database recover --on '$DATABASE_URL'

Exit codes:
  0  the next start begins with a recovery
  1  nothing was changed
  2  wrong usage`,
    )
    .action(async ({ on }: { on: DatabaseLocation }) => {
      await declareCopy(on);
      stdout.write(`${paint('green', 'done')}: the next start of a gateway begins with a recovery\n`);
    });
}

/** @throws InvalidArgumentError as `readLocation` does. */
function parseLocation(text: string, env: Environment): DatabaseLocation {
  try {
    return readLocation(text, env);
  } catch (fault) {
    throw new InvalidArgumentError(errorMessage(fault));
  }
}
