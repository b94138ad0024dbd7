import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LinkedList, ListNode } from '../linked-list.ts';
import { type AddressList, getClientNetwork } from './addresses.ts';

/** The phase of a connection: no complete request yet (`new`), in the middle of a request (`busy`), or between two requests (`idle`). */
type Phase = 'new' | 'busy' | 'idle';

/** Connections of one client in one phase, the least recently active one first. */
class Group extends LinkedList<Connection> {
  readonly client: Client;

  constructor(client: Client) {
    super();
    this.client = client;
  }
}

/** The connections of one network of clients. */
class Client {
  readonly network: string;
  /** A proxy that connects on behalf of many clients. */
  readonly isTrusted: boolean;
  readonly groups: Readonly<Record<Phase, Group>>;

  constructor(network: string, isTrusted: boolean) {
    this.network = network;
    this.isTrusted = isTrusted;
    this.groups = { new: new Group(this), busy: new Group(this), idle: new Group(this) };
  }

  isGone(): boolean {
    const { new: fresh, busy, idle } = this.groups;
    return fresh.size + busy.size + idle.size === 0;
  }
}

class Connection extends ListNode {
  readonly socket: Socket;
  group: Group;
  /** The request in progress, and its response. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The connection closes after the reply in progress. */
  isClosing = false;

  constructor(socket: Socket, group: Group) {
    super();
    this.socket = socket;
    this.group = group;
    group.add(this);
  }

  /** Enters a phase as the most recently active connection of its client. */
  enter(phase: Phase): void {
    this.group.remove(this);
    this.group = this.group.client.groups[phase];
    this.group.add(this);
  }
}

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
  private readonly clients = new Map<string, Client>();

  constructor(options: ConnectionsOptions) {
    this.options = options;
  }

  /** Registers a new connection, and closes another one when there are too many. */
  add(socket: Socket): void {
    const connection = new Connection(socket, this.clientOf(socket.remoteAddress ?? '').groups.new);
    this.bySocket.set(socket, connection);
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
    connection.enter('busy');
    connection.request = request;
    connection.response = response;
    response.once('close', () => {
      // Not deleted: an object without a deleted field is slow from then on.
      connection.request = undefined;
      connection.response = undefined;
      if (this.bySocket.has(socket)) connection.enter(request.complete ? 'idle' : 'new');
    });
    return true;
  }

  private clientOf(address: string): Client {
    const network = getClientNetwork(address);
    const known = this.clients.get(network);
    if (known) return known;
    const client = new Client(network, this.options.trustedProxies.has(address));
    this.clients.set(network, client);
    return client;
  }

  private remove(socket: Socket): void {
    const connection = this.bySocket.get(socket);
    if (!connection) return;
    this.bySocket.delete(socket);
    const { group } = connection;
    group.remove(connection);
    if (group.client.isGone()) this.clients.delete(group.client.network);
  }

  /** Closes the least recently active connection of the largest group; a group of a trusted proxy only without others. */
  private closeOne(newest: Socket): void {
    let victim: { socket: Socket; group: Group } | undefined;
    for (const { groups } of this.clients.values()) {
      for (const group of Object.values(groups)) {
        if (victim && !isPreferred(group, victim.group)) continue;
        const socket = findIdle(group, newest);
        if (socket) victim = { socket, group };
      }
    }
    if (!victim) return;
    this.remove(victim.socket);
    victim.socket.destroy();
  }
}

/** True when a connection of `group` is closed rather than one of `other`. */
function isPreferred(group: Group, other: Group): boolean {
  if (group.client.isTrusted !== other.client.isTrusted) return other.client.isTrusted;
  return group.size > other.size;
}

/** Returns the least recently active connection that waits for no reply, except the newest one. */
function findIdle(group: Group, newest: Socket): Socket | undefined {
  for (const { socket, request, response } of group) {
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

/** Drops the requests in bytes already received: 64 KiB hold more than two thousand, and Node has no documented way to stop its parser. */
function ignoreRequests(socket: Socket): void {
  socket.pause();
  const { parser } = socket as { parser?: { onIncoming?: unknown } };
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => 0;
}

/** True when the program has answered, and the client does not read the answer. */
function isAnswered(response: ServerResponse | undefined): boolean {
  return response !== undefined && (response.writableEnded || response.writableLength > 0);
}
