import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The processor time of a server so far, and its memory. */
export type Usage = { cpuMs: number; residentBytes: number };

/** A server in a process of its own. `started` is the line of JSON that it printed. */
export type ChildServer<Started> = {
  started: Started;
  usage(): Promise<Usage>;
  /** Sends a message, and resolves with the answer. */
  ask(message: unknown): Promise<unknown>;
  stop(): Promise<unknown>;
};

/**
 * Starts a program that prints one line of JSON when it accepts requests.
 *
 * @param nodeArgs options for Node, such as `--cpu-prof`.
 * @param under a command that starts Node, such as `strace` with its options.
 */
export async function startChild<Started>(
  program: URL,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
  under: readonly string[] = [],
): Promise<ChildServer<Started>> {
  const loader = createRequire(import.meta.url).resolve('tsx');
  const [command = process.execPath, ...commandArgs] = [...under, process.execPath, ...nodeArgs];
  const child = spawn(command, [...commandArgs, '--import', loader, fileURLToPath(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout ?? process.stdin }), 'line'),
    ended.then(() => Promise.reject(new Error(`${args[0]} did not start`))),
  ]);
  const ask = async (message: unknown): Promise<unknown> => {
    child.send(message as object);
    const [answer] = await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error(`${args[0]} ended before it answered`))),
    ]);
    return answer;
  };
  return {
    started: JSON.parse(String(line)) as Started,
    ask,
    usage: async () => (await ask('usage')) as Usage,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Reports that this process accepts requests, and answers `usage` and, with `onMessage`, every other message. */
export function reportStarted(started: object, onMessage: (message: unknown) => unknown = () => null): void {
  process.stdout.write(`${JSON.stringify(started)}\n`);
  process.on('message', (message) => {
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
    void Promise.resolve(message === 'usage' ? usage : onMessage(message)).then((answer) =>
      process.send?.(answer),
    );
  });
  process.once('disconnect', () => process.exit(1));
}
