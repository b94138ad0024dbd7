import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressList } from './address-list.ts';
import { clientNetworkOf } from './client-network.ts';

/**
 * The phase of a connection: no complete request yet (`new`), in the middle of a request (`busy`), or between two
 * requests (`idle`).
 */
type Phase = 'new' | 'busy' | 'idle';

/** Connections of one client in one phase, the least recently active one first. */
type Group = { key: string; isTrusted: boolean; connections: Map<Socket, Connection> };

type Connection = {
  client: string;
  group: Group;
  /** The request in progress, and its response. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The connection closes after the reply in progress. */
  isClosing?: true;
};

export type ConnectionsOptions = {
  /** Connections that stay open at the same time, the newest one not counted. */
  maxOpen: number;
  /** Proxies that connect on behalf of many clients: their connections are closed last. */
  trustedProxies: Pick<AddressList, 'has'>;
};

/**
 * Bounds the open connections of a server, and the requests in progress on each of them to one.
 *
 * A new connection beyond the bound closes the least recently active one of the client with the most connections in
 * one phase. A client that fills the server therefore closes its own connections. The newest connection and complete
 * requests in progress are never closed.
 */
export class Connections {
  private readonly options: ConnectionsOptions;
  private readonly bySocket = new Map<Socket, Connection>();
  private readonly groups = new Map<string, Group>();

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  /** Registers a new connection, and closes another one when there are too many. */
  add(socket: Socket): void {
    const client = clientNetworkOf(socket.remoteAddress ?? '');
    const group = this.groupOf(client, 'new', socket.remoteAddress);
    const connection: Connection = { client, group, request: undefined, response: undefined };
    this.bySocket.set(socket, connection);
    group.connections.set(socket, connection);
    socket.once('close', () => this.remove(socket));
    if (this.bySocket.size > this.options.maxOpen) this.closeOne(socket);
  }

  /**
   * Registers the start of a request. A request that arrives before the reply to the one before it (pipelining) must
   * not be served: the connection closes after that reply.
   *
   * @returns whether the request may be served.
   */
  startRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.bySocket.get(socket);
    if (!connection) return false;
    if (connection.response) {
      if (!connection.isClosing) closeAfter(connection.response, socket);
      connection.isClosing = true;
      return false;
    }
    this.move(socket, connection, 'busy');
    connection.request = request;
    connection.response = response;
    response.once('close', () => {
      // Not deleted: an object without a deleted field is slow from then on.
      connection.request = undefined;
      connection.response = undefined;
      if (this.bySocket.has(socket)) this.move(socket, connection, request.complete ? 'idle' : 'new');
    });
    return true;
  }

  private groupOf(client: string, phase: Phase, address: string | undefined): Group {
    const key = `${phase} ${client}`;
    const known = this.groups.get(key);
    if (known) return known;
    const isTrusted = address !== undefined && this.options.trustedProxies.has(address);
    const group = { key, isTrusted, connections: new Map() };
    this.groups.set(key, group);
    return group;
  }

  private move(socket: Socket, connection: Connection, phase: Phase): void {
    this.leaveGroup(socket, connection);
    connection.group = this.groupOf(connection.client, phase, socket.remoteAddress);
    connection.group.connections.set(socket, connection);
  }

  private remove(socket: Socket): void {
    const connection = this.bySocket.get(socket);
    if (connection) this.leaveGroup(socket, connection);
    this.bySocket.delete(socket);
  }

  private leaveGroup(socket: Socket, { group }: Connection): void {
    group.connections.delete(socket);
    if (group.connections.size === 0) this.groups.delete(group.key);
  }

  /** Closes the least recently active connection of the largest group; a group of a trusted proxy only without others. */
  private closeOne(newest: Socket): void {
    let victim: { socket: Socket; group: Group } | undefined;
    for (const group of this.groups.values()) {
      if (victim && !isPreferred(group, victim.group)) continue;
      const socket = findIdle(group, newest);
      if (socket) victim = { socket, group };
    }
    if (!victim) return;
    this.remove(victim.socket);
    victim.socket.destroy();
  }
}

/** Whether a connection of `group` is closed rather than one of `other`. */
function isPreferred(group: Group, other: Group): boolean {
  if (group.isTrusted !== other.isTrusted) return other.isTrusted;
  return group.connections.size > other.connections.size;
}

/** Returns the least recently active connection that waits for no reply, except the newest one. */
function findIdle({ connections }: Group, newest: Socket): Socket | undefined {
  for (const [socket, { request, response }] of connections) {
    if (socket !== newest && (!request?.complete || isAnswered(response))) return socket;
  }
  return undefined;
}

/** Serves no further request of the connection, and closes it after the reply. */
function closeAfter(response: ServerResponse, socket: Socket): void {
  ignoreRequests(socket);
  if (response.headersSent) response.once('finish', () => socket.destroySoon());
  else response.setHeader('connection', 'close');
}

/**
 * Drops the requests that are still in the bytes already received. Without it, each of them costs as much as a request
 * that is served: a chunk of 64 KiB holds more than two thousand. Node has no documented way to stop its parser.
 */
function ignoreRequests(socket: Socket): void {
  socket.pause();
  const { parser } = socket as { parser?: { onIncoming?: unknown } };
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => 0;
}

/** Whether the program has answered, and the client does not read the answer. */
function isAnswered(response: ServerResponse | undefined): boolean {
  return response !== undefined && (response.writableEnded || response.writableLength > 0);
}
