import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, UserError } from '../errors.ts';

export type Listening = {
  url: string;
  port: number;
  /** Stops accepting connections, waits for running requests, and closes the rest after `graceMs` milliseconds. */
  close(graceMs: number): Promise<void>;
};

/** Limits for one connection. Node's defaults are minutes, or no limit. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8 * 1024,
} as const;
const maxConnections = 2_000;
const maxRequestsPerSocket = 1_000;

/** The state of a connection: its current request, and whether an earlier request was served. */
type ConnectionState = { request?: IncomingMessage; served: boolean };

/**
 * Evicts a connection for each one beyond `maxOpen`, so that slow senders cannot exclude other callers. Evicts the least
 * recently active connection without a complete request: first one that never had a request served, then a kept-alive
 * one.
 */
function evictIdleConnections(server: Server, maxOpen: number): void {
  /** The least recently active connection first. */
  const connections = new Map<Socket, ConnectionState>();
  const touch = (socket: Socket, state: ConnectionState) => {
    connections.delete(socket);
    connections.set(socket, state);
  };
  const findIdle = (mayEvict: (state: ConnectionState) => boolean) => {
    for (const [socket, state] of connections) {
      if (!state.request?.complete && mayEvict(state)) return socket;
    }
    return undefined;
  };
  server.on('connection', (socket: Socket) => {
    touch(socket, { served: false });
    socket.once('close', () => connections.delete(socket));
    if (connections.size <= maxOpen) return;
    const evicted = findIdle(({ served }) => !served) ?? findIdle(() => true);
    if (!evicted) return;
    connections.delete(evicted);
    evicted.destroy();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const { served = false } = connections.get(socket) ?? {};
    touch(socket, { request, served });
    response.once('close', () => {
      if (connections.has(socket)) touch(socket, { served: request.complete });
    });
  });
}

/**
 * Serves an app over HTTP with bounds on headers, bodies, connections and time.
 *
 * @param portSetting names the setting of the port, for the error message.
 * @throws UserError when the address is not available.
 */
export async function listen(
  app: { fetch: Parameters<typeof createAdaptorServer>[0]['fetch'] },
  address: { host: string; port: number },
  portSetting: string,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: limits });
  if (!('maxRequestsPerSocket' in server)) throw new Error('expected a plain HTTP server');
  server.maxConnections = maxConnections;
  evictIdleConnections(server, maxConnections - 1);
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
