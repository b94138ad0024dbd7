import { PassThrough } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { UserError } from '../../src/shared/errors.ts';

/** What a command printed, and its exit code. */
export type CommandResult = { out: string; err: string; code: number };

type Stream = PassThrough & { isTTY: boolean };

/** What a command under test is given to write to, and to take its exit code. */
export type Streams = { stdout: Stream; stderr: Stream; exit(code: number): void };

export type CommandOptions = {
  tty?: boolean;
  /** Told everything that was printed so far, each time that something is. */
  onOutput?: ((out: string) => void) | undefined;
};

/** Runs a command as the program does: a fault that a person can act on exits with 1, wrong usage with 2. */
export async function runCommand(
  args: readonly string[],
  register: (program: Command, streams: Streams) => void,
  { tty = false, onOutput: seen }: CommandOptions = {},
): Promise<CommandResult> {
  const ran: CommandResult = { out: '', err: '', code: 0 };
  const to = (name: 'out' | 'err'): Stream => {
    const stream = Object.assign(new PassThrough(), { isTTY: tty });
    stream.on('data', (chunk) => {
      ran[name] += chunk;
      if (name === 'out') seen?.(ran.out);
    });
    return stream;
  };
  const program = new Command('dialtill').exitOverride((fault) => {
    throw fault;
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
  } catch (fault) {
    if (fault instanceof UserError) {
      ran.err += `${fault.message}\n`;
      ran.code = 1;
    } else if (fault instanceof CommanderError) {
      ran.code = fault.exitCode === 0 ? 0 : 2;
    } else {
      throw fault;
    }
  }
  return ran;
}
