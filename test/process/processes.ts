import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { TestContext } from 'vitest';

export type Ended = { code: number | null; signal: NodeJS.Signals | null };

/** A program of ours in a process of its own. */
export type Program = {
  stdout(): string;
  stderr(): string;
  /** Resolves with the text that matched, as soon as the output has it. Rejects when the program ends before. */
  says(pattern: RegExp): Promise<string>;
  /** Sends the signal to this process, and resolves when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
  /** Sends the signal, and returns at once. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  ended: Promise<Ended>;
};

const loader = createRequire(import.meta.url).resolve('tsx');

/** Starts a TypeScript program of this project. It is killed with the test, if it still runs then. */
export function startProgram(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  file: string,
  args: readonly string[],
): Program {
  const child = spawn(process.execPath, ['--import', loader, resolve(file), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const output = collect(child);
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    signal: (signal) => void child.kill(signal),
    end(signal) {
      child.kill(signal);
      return ended;
    },
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output.stdout + output.stderr)?.[0];
          if (found !== undefined) resolve(found);
        };
        child.stdout?.on('data', look);
        child.stderr?.on('data', look);
        look();
        void ended.then(({ code }) =>
          reject(
            new Error(`ended with ${code} before it said ${pattern}:\n${output.stdout}${output.stderr}`),
          ),
        );
      }),
  };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  return output;
}
