import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

/** Returns a port on which no program listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Replaces the ports in the configuration of a project. */
export function replacePorts(text: string, port: number, servicePort: number): string {
  return text
    .replace(/^ {2}port: \d+/m, `  port: ${port}`)
    .replace(/^( {2}url: http:\/\/127\.0\.0\.1:)\d+/m, `$1${servicePort}`);
}

/** Gives a project ports that no other test takes: `init` may have found the same ones for two. Returns them. */
export async function changePorts(folder: string): Promise<{ port: number; servicePort: number }> {
  const [port, servicePort] = [await freePort(), await freePort()];
  const file = join(folder, 'dialtill.yaml');
  writeFileSync(file, replacePorts(readFileSync(file, 'utf8'), port, servicePort));
  return { port, servicePort };
}
