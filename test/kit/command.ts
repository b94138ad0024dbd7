import { PassThrough } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { type Output, protectOutput } from '../../src/cli/terminal/output.ts';
import { UsageError, UserError } from '../../src/shared/errors.ts';

/** The output of a command and its exit code. */
export type CommandResult = { out: string; err: string; code: number };

/** The streams of a command under test, and the function that receives its exit code. */
export type Streams = { stdout: Output; stderr: Output; exit(code: number): void };

export type CommandOptions = {
  tty?: boolean;
  noColor?: boolean;
  /** Called with the whole output so far, whenever the command prints. */
  onOutput?: ((out: string) => void) | undefined;
};

/** Runs a command as the program does: a `UserError` exits with 1, wrong usage with 2. */
export async function runCommand(
  args: readonly string[],
  register: (program: Command, streams: Streams) => void,
  { tty = false, noColor = false, onOutput: seen }: CommandOptions = {},
): Promise<CommandResult> {
  const ran: CommandResult = { out: '', err: '', code: 0 };
  const to = (name: 'out' | 'err'): Output => {
    const stream = Object.assign(new PassThrough(), { isTTY: tty });
    stream.on('data', (chunk) => {
      ran[name] += chunk;
      if (name === 'out') seen?.(ran.out);
    });
    return protectOutput(stream, { noColor });
  };
  const program = new Command('dialtill').exitOverride((error) => {
    throw error;
  });
  program.configureOutput({
    writeErr: (text) => {
      ran.err += text;
    },
    writeOut: (text) => {
      ran.out += text;
    },
  });
  const exit = (code: number) => {
    ran.code = code;
  };
  register(program, { stdout: to('out'), stderr: to('err'), exit });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof UserError) {
      ran.err += `${error.message}\n`;
      ran.code = error instanceof UsageError ? 2 : 1;
    } else if (error instanceof CommanderError) {
      ran.code = error.exitCode === 0 ? 0 : 2;
    } else {
      throw error;
    }
  }
  return ran;
}
