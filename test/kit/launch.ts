import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How to run a program: its file, and the arguments before those of the caller. */
export type Cli = readonly [program: string, ...args: string[]];

export type LaunchSettings = { cwd?: string | undefined; env?: Readonly<Record<string, string>> | undefined };

export type Ended = { code: number | null; signal: NodeJS.Signals | null };

/** A program in its own process. */
export type Program = {
  pid: number;
  /** Writes a line to its standard input. */
  writeLine(line: string): void;
  closeInput(): void;
  stdout(): string;
  stderr(): string;
  /** Resolves with the match as soon as the output contains one. Rejects if the program ends first. */
  waitForOutput(pattern: RegExp): Promise<string>;
  /** Sends a signal and resolves when the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
  /** Sends a signal. */
  signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): void;
  ended: Promise<Ended>;
};

/** Starts a program as a shell would. The caller ends it. */
export function launch([program, ...args]: Cli, { cwd, env }: LaunchSettings = {}): Program {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  // Writing to a process that ends causes EPIPE.
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  return {
    pid: child.pid ?? 0,
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    closeInput: () => void child.stdin.end(),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    signal: (signal) => void child.kill(signal),
    end(signal) {
      child.kill(signal);
      return ended;
    },
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output.stdout + output.stderr)?.[0];
          if (found === undefined) return;
          for (const stream of [child.stdout, child.stderr]) stream.off('data', look);
          resolve(found);
        };
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        look();
        const early = ({ code }: Ended) =>
          `ended with ${code} before it printed ${pattern}:\n${output.stdout}${output.stderr}`;
        void ended.then((end) => reject(new Error(early(end))));
      }),
  };
}

/** Runs a program until it exits. Its input is empty, and its files are in `cwd`. */
export async function run(
  [program, ...before]: Cli,
  args: readonly string[],
  cwd?: string,
  env: LaunchSettings['env'] = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const running = launch([program, ...before, ...args], { cwd, env: { DIALTILL_DATA: './data', ...env } });
  running.closeInput();
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}
