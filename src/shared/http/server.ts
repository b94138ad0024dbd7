import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { errorMessage, UserError } from '../errors.ts';
import { type AccessPolicy, createAccessLimit, type ServerBindings } from './access.ts';
import { createAddressList, isLoopbackHostHeader } from './addresses.ts';
import { Connections } from './connections.ts';
import { hasValidUrl } from './request-url.ts';

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
} as const;
/** Time without a byte: a reply that the client does not read. Node closes a connection with unsent bytes at the second such time. */
const inactivityTimeout = 12_000;
const maxConnections = 2_000;
const maxRequestsPerSocket = 1_000;

const defaultMaxHeaderBytes = 8 * 1024;

/** Counts an unauthenticated request, and answers it when its client is over the limit. Returns whether it did. */
export type Deny = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** A program as a server runs it. */
export type Served = {
  /** Upper bound of the request line and the headers of one request; 8 KiB by default. A longer one gets 431. */
  maxHeaderBytes?: number;
  fetch(request: Request, bindings: ServerBindings): Response | Promise<Response>;
  /** Answers only requests for a name or an address of this machine: a page of another site (DNS rebinding) gets 421. */
  isLocalOnly?: boolean;
  /** Without it, unauthenticated requests are not limited. */
  access?: AccessPolicy;
  /**
   * Answers a request on Node's own request and response. Returns false, and does nothing, for a request that `fetch` must
   * answer. Calls `deny` before it answers a request that it could not authenticate.
   */
  answerDirectly?(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    deny: Deny,
  ): boolean | Promise<boolean>;
};

function answerMisdirected(outgoing: ServerResponse): void {
  const message =
    'this server answers only requests for this machine: use 127.0.0.1 or localhost in the address\n';
  outgoing.writeHead(421, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' }).end(message);
}

/** Creates the server. A request reaches the program when its connection and its client are within their limits. */
async function createLimitedServer(served: Served): Promise<Server> {
  const { fetch, access, answerDirectly, isLocalOnly = false } = served;
  const { maxHeaderBytes: maxHeaderSize = defaultMaxHeaderBytes } = served;
  const limit = access && (await createAccessLimit(access));
  const deny: Deny = limit?.deny ?? (() => false);
  const serve = getRequestListener(async (request, env) => {
    const { incoming } = env as HttpBindings;
    const access = limit?.accessOf(incoming) ?? { isGranted: false };
    const bindings: ServerBindings = { ...(env as HttpBindings), access };
    const response = await fetch(request, bindings);
    return limit ? limit.check(response, bindings) : response;
  });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const answered = answerDirectly?.(incoming, outgoing, deny) ?? false;
    if (answered === false) void serve(incoming, outgoing);
    else if (answered !== true) void answered.then((done) => done || void serve(incoming, outgoing));
  };
  const trustedProxies = access?.trustedProxies ?? createAddressList([]);
  const connections = new Connections({ maxOpen: maxConnections - 1, trustedProxies });
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // No client sends a fragment (RFC 9112): it is a dialled string of an aggregator that does not encode it.
    if (incoming.url?.includes('#')) incoming.url = incoming.url.replaceAll('#', '%23');
    if (!connections.startRequest(incoming, outgoing) || limit?.reject(incoming, outgoing)) return;
    if (!hasValidUrl(incoming)) outgoing.writeHead(400, { connection: 'close', 'content-length': 0 }).end();
    else if (isLocalOnly && !isLoopbackHostHeader(incoming.headers.host ?? '')) answerMisdirected(outgoing);
    else answer(incoming, outgoing);
  };
  const server = createServer({ ...limits, maxHeaderSize }, handle);
  server.on('checkExpectation', handle);
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.timeout = inactivityTimeout;
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  return server;
}

/**
 * Serves a program over HTTP with bounds on headers, bodies, connections and time.
 *
 * @param portSetting names the setting of the port, for the error message.
 * @throws UserError when the address is not available.
 */
export async function listen(
  served: Served,
  address: { host: string; port: number },
  portSetting: string,
): Promise<Listening> {
  const server = await createLimitedServer(served);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new UserError(
          `cannot listen on ${address.host}:${address.port}: ${errorMessage(cause)}. Choose another port with ${portSetting}.`,
          { cause },
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
