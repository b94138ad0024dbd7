import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../../gateway/config/secrets.ts';
import { type DatabaseLocation, getName } from '../../gateway/database/database-location.ts';
import { declareCopy, type MoveRequest, MoveUnknown, moveLedger } from '../../gateway/upkeep/move-ledger.ts';
import { errorMessage } from '../../shared/errors.ts';
import { readLocation } from '../command-options.ts';
import type { CommandContext } from '../context.ts';
import type { CommandOutput } from '../terminal/output.ts';

export type DatabaseCliDeps = CommandOutput & Pick<CommandContext, 'clock' | 'env'>;

type MoveOptions = { from: DatabaseLocation; to: DatabaseLocation; merchant?: string[] };

export function registerDatabase(program: Command, deps: DatabaseCliDeps): void {
  const { clock, env, stdout, stderr } = deps;
  const { paint } = stdout;
  const location = (text: string) => parseLocation(text, env);
  const database = program
    .command('database')
    .description('move the ledger to another database, or declare that it is a restored copy');
  database
    .command('move')
    .description('move the ledger, or some of its merchants, to an empty database: a file or a PostgreSQL')
    .requiredOption(
      '--from <database>',
      'a file, a postgres:// URL, or $NAME for the URL in a variable',
      location,
    )
    .requiredOption('--to <database>', 'where to: a new file, or an empty PostgreSQL database', location)
    .option('--merchant <id...>', 'only these merchants; the others stay')
    .addHelpText(
      'after',
      `
Stop every gateway first. The rows of the old database stay as they are. Do not start a gateway on it again: it would begin
with a recovery, like a restored copy.

With --merchant, both databases are in use afterwards, each for its own merchants. The new one has a copy of all rows, so that
its chain is whole; both record which merchants the other one has. Take the merchants and their channels out of the old
configuration, and start a gateway with them on the new database. Move merchants with the same key together.

Examples:
  $ dialtill database move --from data/dialtill.db --to '$DATABASE_URL'
  $ dialtill database move --from '$DATABASE_URL' --to data/back.db
  $ dialtill database move --merchant shop-a shop-b --from '$DATABASE_URL' --to '$SECOND_URL'

Exit codes:
  0  the ledger, or the merchants, are in the new database, and equal to the old one
  1  nothing was moved
  2  wrong usage
  3  it is not known whether the ledger was moved: the message says how to find out`,
    )
    .action(async ({ from, to, merchant: merchants }: MoveOptions) => {
      const move = (request: MoveRequest) =>
        moveLedger(request).catch((fault: unknown) => {
          if (!(fault instanceof MoveUnknown)) throw fault;
          stderr.write(`${fault.message}\n`);
          deps.exit(3);
        });
      const copy = await move({
        ...{ from, to, merchants, clock },
        onTable({ table, rows }) {
          if (rows > 0) stderr.write(`${table.padEnd(24)} ${rows.toLocaleString('en')} rows\n`);
        },
      });
      if (!copy) return;
      stdout.write(`head ${copy.head}\n`);
      stdout.write(
        `${paint('green', 'moved')}: ${copy.rows.toLocaleString('en')} rows, each table equal, the ledger verified\n`,
      );
      if (merchants)
        stdout.write(
          `take ${merchants.join(', ')} out of the configuration of ${getName(from)}, and start a gateway with ${merchants.length === 1 ? 'it' : 'them'} on ${getName(to)}\n`,
        );
      if (copy.needsRecovery)
        stdout.write(
          merchants
            ? 'they had moved before, or the ledger was a copy: the first start on the new database begins with a recovery\n'
            : 'the ledger was a copy, had moved before, or was in a recovery: the next start begins with a recovery\n',
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
