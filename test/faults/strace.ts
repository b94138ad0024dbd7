import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends a fault: from here on the calls go through again. */
export type Injected = { heal(): Promise<void> };

/**
 * Lets system calls of a running process fail, in all its threads, until they are healed: what a full or broken disk
 * does, without one.
 *
 * @param calls names with commas between.
 * @param from the first of the calls that fails, counted from now; all after it fail too.
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

/** Why no call can be made to fail here: no strace, or no right to trace. `undefined` when it can. */
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

/** Resolves once every thread is traced; with what strace said, when it gave up. */
function attached(tracer: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    tracer.stderr?.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (/ attached/.test(said)) resolve(undefined);
    });
    tracer.once('error', () => resolve('strace is not installed'));
    tracer.once('close', () => resolve(said.trim()));
  });
}
