import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { inspect } from 'node:util';
import { Command, type Option } from 'commander';
import type { Environment } from '../gateway/config/secrets.ts';
import { errorCode, errorMessage, UsageError, UserError } from '../shared/errors.ts';
import { version } from '../shared/version.ts';
import { commands } from './commands.ts';
import type { ProgramContext } from './context.ts';
import { findHiddenVariables, withEnvFile } from './env-file.ts';
import { protectOutput } from './terminal/output.ts';

/** Commands that read a whole ledger. A gateway on the same machine goes first, so that no payer waits for them. */
const background: ReadonlySet<string> = new Set(['backup', 'verify', 'export']);

/** Lowers the priority of this process when its command reads a whole ledger. */
function yieldToGateway(command: Command): void {
  if (!background.has(command.name())) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // A sandbox may forbid it, and a thread may have ended. The command only takes more from its neighbours then.
    }
  }
}

/** The threads of this process. Linux has a priority for each, and some run already; other systems have one for the process. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}

/** Makes it an error to give an option with a single value twice, here and below: the last value would silently replace the others. */
function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    if (isRepeatable(option)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given more than once`);
      isGiven = true;
    });
  }
  for (const below of command.commands) refuseRepeats(below);
}

/** True when an option can be given several times: it adds its values, or is a switch. */
function isRepeatable(option: Option): boolean {
  if (option.variadic || option.isBoolean()) return true;
  // A parser with a second parameter adds to the value before. That of choices has one, and does not.
  return option.parseArg !== undefined && option.parseArg.length > 1 && option.argChoices === undefined;
}

const { argv, stdin } = process;
const stderr = protectOutput(process.stderr);

const help = `
Examples:
  $ dialtill start
  $ dialtill dial '*713*5#' --msisdn 0244123456
  $ dialtill ledger find 0244123456

Exit codes:
  0  success
  1  failure
  2  wrong usage
Further exit codes of a command are in its own help.`;

// The runtime would print the text of an unexpected error with its control characters.
process.on('uncaughtException', (fault) => {
  stderr.write(
    `${isDiskFull(fault) ? `the disk is full: ${errorMessage(fault)}. Free space, and try again.` : inspect(fault)}\n`,
  );
  process.exit(1);
});

for (const output of [process.stdout, process.stderr]) {
  output.on('error', (fault) => {
    // The reader of a pipe has closed it, as in `… | head`.
    if (errorCode(fault) === 'EPIPE') process.exit();
    stderr.write(`cannot write the output: ${errorMessage(fault)}\n`);
    process.exit(1);
  });
}

const env = readEnvironment();
const stdout = protectOutput(process.stdout, { noColor: Boolean(env.NO_COLOR) });
const context: ProgramContext = {
  env,
  readEnv: () => withEnvFile(process.env),
  hiddenVariables: () => findHiddenVariables(process.env),
  stdin,
  stdout,
  stderr,
  ended: untilSignal,
  onHangup: (reload) => void process.on('SIGHUP', reload),
  exit,
};
const program = new Command('dialtill')
  .description('Offline USSD collection gateway: from a dialled code to a paid, reconciled collection.')
  .version(version)
  .showHelpAfterError('(add --help for usage)')
  .addHelpText('after', help)
  .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
  .exitOverride((fault) => {
    throw fault;
  })
  .hook('preAction', (_, command) => yieldToGateway(command));

try {
  await addCommands(program, argv.slice(2));
  refuseRepeats(program);
  await program.parseAsync(argv);
} catch (fault) {
  if (fault instanceof UserError) {
    stderr.write(`${fault.message}\n`);
    exit(fault instanceof UsageError ? 2 : 1);
  } else if (fault instanceof Error && 'exitCode' in fault && typeof fault.exitCode === 'number') {
    exit(fault.exitCode === 0 ? 0 : 2);
  } else {
    throw fault;
  }
}

/** Reads the environment and the env file. A fault of the file ends the program. */
function readEnvironment(): Environment {
  try {
    return withEnvFile(process.env);
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    stderr.write(`${fault.message}\n`);
    return process.exit(1);
  }
}

/** Adds the command that the arguments name, and the name and description of each other command. */
async function addCommands(program: Command, args: readonly string[]): Promise<void> {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  const chosen = first === 'help' ? second : first;
  for (const { name, description, register } of commands) {
    if (name === chosen) await register(program, context);
    else program.command(name);
    program.commands.find((command) => command.name() === name)?.description(description);
  }
}

/** Resolves at the first signal, which asks the program to drain. A second signal ends the process. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(signal);
        process.once(signal, () => process.exit(130));
      });
    }
  });
}

function exit(code: number): void {
  process.exitCode = code;
}

function isDiskFull(fault: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(errorCode(fault) ?? '');
}
