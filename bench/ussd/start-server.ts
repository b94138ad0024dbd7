import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The processor time of a server so far, and its memory. */
export type Usage = { cpuMs: number; residentBytes: number };
export type Server = { url: string; usage(): Promise<Usage>; stop(): Promise<unknown> };
export type Role = 'gateway' | 'floor' | 'peer' | 'bare';

/**
 * Starts a server in a process of its own.
 *
 * @param nodeArgs options for Node, such as `--cpu-prof`.
 */
export async function startServer(
  role: Role,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
): Promise<Server> {
  const loader = createRequire(import.meta.url).resolve('tsx');
  const program = fileURLToPath(new URL('./server-process.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeArgs, '--import', loader, program, role, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'close');
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout ?? process.stdin }), 'line'),
    ended.then(() => Promise.reject(new Error(`${role} did not start`))),
  ]);
  return {
    url: String(url),
    async usage() {
      child.send('usage');
      const [usage] = await once(child, 'message');
      return usage as Usage;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
