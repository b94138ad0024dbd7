import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, UserError } from '../errors.ts';

export type Listening = {
  url: string;
  port: number;
  /** Takes no more connections, lets running requests finish, and cuts what is left after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

/** Limits on what one peer can hold open; Node's own defaults are minutes and no bound at all. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8 * 1024,
} as const;
const maxConnections = 2_000;
const maxRequestsPerSocket = 1_000;

/** What a connection has to show for itself: what it asked last, until that is answered, and whether it ever was. */
type Held = { asking?: IncomingMessage; served: boolean };

/**
 * Keeps a place free: a connection beyond `most` takes the place of one on which nothing whole was asked, and which
 * has been so for the longest; those that were served before, and are kept for their next request, come last. Whoever
 * holds on to connections and sends slowly loses them, and locks nobody out.
 */
function makeRoom(server: Server, most: number): void {
  // In the order in which they last came forward.
  const held = new Map<Socket, Held>();
  const note = (socket: Socket, as: Held) => {
    held.delete(socket);
    held.set(socket, as);
  };
  const find = (isSpared: (one: Held) => boolean) => {
    for (const [socket, one] of held) if (!one.asking?.complete && !isSpared(one)) return socket;
    return undefined;
  };
  server.on('connection', (socket: Socket) => {
    note(socket, { served: false });
    socket.once('close', () => held.delete(socket));
    if (held.size <= most) return;
    const quietest = find(({ served }) => served) ?? find(() => false);
    if (!quietest) return;
    held.delete(quietest);
    quietest.destroy();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const { served = false } = held.get(socket) ?? {};
    note(socket, { asking: request, served });
    response.once('close', () => {
      if (held.has(socket)) note(socket, { served: request.complete });
    });
  });
}

/**
 * Serves an app over HTTP with bounds on headers, bodies, connections and time.
 *
 * @param portSetting where a user sets the port, for the error that says so.
 * @throws UserError when the address cannot be had.
 */
export async function listen(
  app: { fetch: Parameters<typeof createAdaptorServer>[0]['fetch'] },
  address: { host: string; port: number },
  portSetting: string,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: limits });
  if (!('maxRequestsPerSocket' in server)) throw new Error('expected a plain HTTP server');
  server.maxConnections = maxConnections;
  makeRoom(server, maxConnections - 1);
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new UserError(
          `cannot listen on ${address.host}:${address.port}: ${messageOf(cause)}. Choose another port with ${portSetting}.`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
