import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname;

/** What a command did from the start of the measurement to its end: complete runs, and lines that it printed. */
export type CommandWork = { completed: number; lines: number };

/** A command of the CLI that runs again and again while turns are measured. */
export type RepeatedCommand = {
  /** Stops after the present run. @throws when a run failed, or none was complete. */
  finish(): Promise<CommandWork>;
};

/**
 * Starts a command of the CLI in a process of its own, and again each time that it ends.
 *
 * @param complete the exit codes of a complete run.
 */
export async function repeatCommand(args: readonly string[], complete = [0]): Promise<RepeatedCommand> {
  const work: CommandWork = { completed: 0, lines: 0 };
  let isStopping = false;
  let isStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    isStarted = resolve;
  });
  const run = async () => {
    while (!isStopping) {
      const child: ChildProcess = spawn(process.execPath, [cli, ...args], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.stdout?.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) work.lines++;
      });
      await once(child, 'spawn');
      isStarted();
      const [code] = await once(child, 'close');
      if (!complete.includes(code)) throw new Error(`dialtill ${args.join(' ')} ended with ${code}`);
      work.completed++;
    }
  };
  const running = run();
  // `finish` reports the failure.
  running.catch(() => undefined);
  await Promise.race([started, running]);
  return {
    async finish() {
      isStopping = true;
      await running;
      if (work.completed === 0) throw new Error(`dialtill ${args.join(' ')} was never complete`);
      return work;
    },
  };
}
