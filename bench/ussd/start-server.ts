import { startChild, type Usage } from '../kit/child-server.ts';

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
  const program = new URL('./server-process.ts', import.meta.url);
  const { started, ...server } = await startChild<{ url: string }>(program, [role, ...args], nodeArgs);
  return { url: started.url, ...server };
}
