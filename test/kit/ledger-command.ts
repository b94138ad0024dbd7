import { type LedgerDeps, registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { type CommandOptions, type CommandResult, runCommand } from './command.ts';

/** Runs `dialtill ledger …` on a database file, which another program may be writing. `deps` replaces what it is given. */
export function runLedger(
  file: string,
  args: readonly string[],
  deps: Partial<LedgerDeps> = {},
  options?: CommandOptions,
): Promise<CommandResult> {
  return runCommand(
    ['ledger', ...args],
    (program, { stdout, exit }) =>
      registerLedger(program, { stdout, exit, noColor: true, database: () => ({ file }), ...deps }),
    options,
  );
}

/** Runs `dialtill ledger …` on a database file. */
export const ledger = (file: string, ...args: string[]) => runLedger(file, args);

/** Runs `dialtill ledger …` and returns what it printed. @throws Error when it fails. */
export async function printed(file: string, ...args: string[]): Promise<string> {
  const { out, err, code } = await ledger(file, ...args);
  if (err !== '' || code !== 0) throw new Error(`exit code ${code}: ${err}`);
  return out;
}
