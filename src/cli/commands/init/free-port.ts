import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports that are tried from the first one. */
const tried = 10;

/** Returns a port of this machine on which no program listens: one of ten from `first`, or else one that the system chooses. */
export async function findFreePort(first: number): Promise<number> {
  for (let port = first; port < first + tried; port++) {
    if ((await listenBriefly(port)) !== undefined) return port;
  }
  return (await listenBriefly(0)) ?? first;
}

/** Returns the port; `undefined` when it is in use. */
async function listenBriefly(port: number): Promise<number | undefined> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
