import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'vitest';
import { z } from 'zod';
import { compiled } from '../process/compiled.ts';

/** Number of processes that have loaded the program and wait, because loading takes longer than most of them live. */
const standby = 2;

const up = z.object({ url: z.string(), key: z.string().optional() });

/** One process of the service. */
export type Life = z.infer<typeof up> & {
  end(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves with the signal that ended it, or `null` when it ended by itself. */
  ended: Promise<NodeJS.Signals | null>;
};

type Loading = { child: ChildProcess; line(): Promise<string>; ended: Promise<NodeJS.Signals | null> };

/** Starts processes of the service one after another with the same arguments, and ends them with the test. */
export function openLives({ onTestFinished }: TestContext, args: readonly string[]) {
  const program = compiled('test/service/kill-child.ts');
  const all = new Set<Loading>();

  function load(): Loading {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A process that is killed while its moment is written to it leaves a broken pipe.
    child.stdin?.on('error', () => {});
    const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
    const ended = once(child, 'close').then(([, signal]) => signal);
    const loading: Loading = {
      child,
      ended,
      async line() {
        const { value, done } = await lines.next();
        if (done) throw new Error('the service ended before it was up');
        return value;
      },
    };
    all.add(loading);
    void ended.then(() => all.delete(loading));
    return loading;
  }

  const waiting = Array.from({ length: standby }, load);
  onTestFinished(async () => {
    for (const { child } of all) child.kill('SIGKILL');
    await Promise.all([...all].map(({ ended }) => ended));
  });

  return {
    /** Starts the next process on the database. `moment` selects the point at which the process kills itself. */
    async next(moment = 'never'): Promise<Life> {
      const { child, line, ended } = waiting.shift() ?? load();
      waiting.push(load());
      await line();
      child.stdin?.write(`${moment}\n`);
      return { ...up.parse(JSON.parse(await line())), end: (signal) => void child.kill(signal), ended };
    },
  };
}
