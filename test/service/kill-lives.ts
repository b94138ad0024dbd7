import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'vitest';
import { z } from 'zod';

/** Processes that have loaded the program and wait: to load takes longer than most of them live. */
const standby = 2;

const up = z.object({ url: z.string(), key: z.string().optional() });

/** One process of the service, from its start to its end. */
export type Life = z.infer<typeof up> & {
  end(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves with the signal that ended it, or `null` when it ended by itself. */
  ended: Promise<NodeJS.Signals | null>;
};

type Loading = { child: ChildProcess; line(): Promise<string>; ended: Promise<NodeJS.Signals | null> };

/** Compiles the program once: with a loader for TypeScript, most of the test's time would be spent on starting. */
function compile(folder: string): string {
  for (const name of ['node_modules', 'drizzle', 'package.json'])
    symlinkSync(resolve(name), join(folder, name));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = { noEmit: false, noCheck: true, rootDir: resolve('.'), outDir: folder };
  const program = 'test/service/kill-child';
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions,
      include: [resolve(`${program}.ts`)],
    }),
  );
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', config]);
  return join(folder, `${program}.js`);
}

/** Starts processes of the service one after another, all with the same arguments. They end with the test; the folder is for the compiled program. */
export function openLives({ onTestFinished }: TestContext, folder: string, args: readonly string[]) {
  const program = compile(folder);
  const all = new Set<Loading>();

  function load(): Loading {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // A process that dies while it is being told when to die leaves a broken pipe.
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
    /** Lets the next process open the database. `moment` says when it is to die from within, if at all. */
    async next(moment = 'never'): Promise<Life> {
      const { child, line, ended } = waiting.shift() ?? load();
      waiting.push(load());
      await line();
      child.stdin?.write(`${moment}\n`);
      return { ...up.parse(JSON.parse(await line())), end: (signal) => void child.kill(signal), ended };
    },
  };
}
