import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends the fault. */
export type Injected = { heal(): Promise<void> };

/**
 * Makes system calls of all threads of a process fail, as a full or broken disk does.
 *
 * @param calls comma-separated names.
 * @param from the first call that fails, counted from now; all later ones fail too.
 */
export async function inject(pid: number, calls: string, error: string, from = 1): Promise<Injected> {
  const tracer = trace(pid, [`trace=${calls}`, `inject=${calls}:error=${error}:when=${from}+`]);
  const refusal = await attached(tracer);
  if (refusal !== undefined) throw new Error(`strace: ${refusal}`);
  return {
    async heal() {
      const ended = once(tracer, 'close');
      if (tracer.exitCode === null && tracer.signalCode === null && tracer.kill('SIGINT')) await ended;
    },
  };
}

/** Returns why system calls cannot be made to fail: no strace, or no permission. `undefined` if they can. */
export async function whyNoFaults(): Promise<string | undefined> {
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
  try {
    const tracer = trace(sleeper.pid ?? 0, ['trace=none']);
    const refusal = await attached(tracer);
    tracer.kill('SIGKILL');
    return refusal;
  } finally {
    sleeper.kill('SIGKILL');
  }
}

const program = 'strace';

function trace(pid: number, expressions: readonly string[]): ChildProcess {
  const args = expressions.flatMap((one) => ['-e', one]);
  return spawn(program, ['-f', '-o', '/dev/null', ...args, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Resolves with `undefined` when every thread is traced, or with the error of strace. */
function attached(tracer: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = '';
    tracer.stderr?.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (/ attached/.test(output)) resolve(undefined);
    });
    tracer.once('error', () => resolve('strace is not installed'));
    tracer.once('close', () => resolve(output.trim()));
  });
}
