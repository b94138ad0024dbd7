import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { expect, type TestContext } from 'vitest';
import { findLeaks } from '../kit/leaks.ts';
import { compiled } from './compiled.ts';

export type Ended = { code: number | null; signal: NodeJS.Signals | null };

/** A program of this project in its own process. */
export type Program = {
  pid: number;
  /** Writes a line to its standard input. */
  writeLine(line: string): void;
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

type Settings = { cwd?: string; env?: Readonly<Record<string, string>> };

/** Starts a program of this project. It is killed at the end of the test. */
export function startProgram(
  context: Pick<TestContext, 'onTestFinished'>,
  file: string,
  args: readonly string[],
  settings: Settings = {},
): Program {
  return startCommand(context, ['node', compiled(file), ...args], settings);
}

/** Starts a command as a shell would; `node` is the one that runs the tests. It is killed at the end of the test. */
export function startCommand(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  [program = '', ...args]: readonly string[],
  { cwd, env }: Settings = {},
): Program {
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Writing to a process that ends causes EPIPE.
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    const logged = `${output.stdout}\n${output.stderr}`
      .split('\n')
      .filter((line) => line.startsWith('{"level"'));
    expect(logged.flatMap(findLeaks), 'secrets in the log').toEqual([]);
  });
  const output = collect(child);
  return {
    pid: child.pid ?? 0,
    writeLine: (line) => void child.stdin.write(`${line}\n`),
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
          child.stdout.off('data', look);
          child.stderr.off('data', look);
          resolve(found);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        look();
        void ended.then(({ code }) =>
          reject(
            new Error(`ended with ${code} before it printed ${pattern}:\n${output.stdout}${output.stderr}`),
          ),
        );
      }),
  };
}

function collect(child: ChildProcessByStdio<Writable, Readable, Readable>): {
  stdout: string;
  stderr: string;
} {
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  return output;
}
