import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How an exchange ended. `closed`: the server closed the connection without a reply. `hang`: neither came in time. */
export type WireAnswer = { status: number | 'closed' | 'hang'; ms: number; isOpen: boolean };

type Wait = { isHead: boolean; timeoutMs: number };

/** A kept-alive connection that sends any bytes and reads the reply to each. */
export class WireConnection {
  private readonly socket: Socket;
  private received = Buffer.alloc(0);
  private changed = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.changed();
    });
    socket.on('error', () => {});
    socket.on('close', () => this.changed());
  }

  /** Opens a connection from one of the addresses of this machine. @throws Error when the server does not accept it. */
  static async open(port: number, localAddress: string): Promise<WireConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    await once(socket, 'connect');
    return new WireConnection(socket);
  }

  /** Sends a request and resolves with the reply to it, or to what the server has read of it. */
  async exchange(bytes: Buffer, { isHead, timeoutMs }: Wait): Promise<WireAnswer> {
    const startedAt = performance.now();
    const answer = (status: WireAnswer['status']) => ({
      status,
      ms: performance.now() - startedAt,
      isOpen: !this.socket.destroyed && this.socket.writable,
    });
    // A reply that no request has caused: the server has given the connection up.
    if (this.received.length > 0) return { ...answer('closed'), isOpen: false };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.changed();
    }, timeoutMs);
    try {
      this.socket.write(bytes);
      for (;;) {
        const reply = readReply(this.received, isHead);
        if (reply && (reply.length !== undefined || this.socket.destroyed)) {
          this.received = this.received.subarray(reply.length ?? this.received.length);
          if (reply.isLast) this.close();
          return answer(reply.status);
        }
        if (this.socket.destroyed) return answer('closed');
        if (isLate) return answer('hang');
        await new Promise<void>((resolve) => {
          this.changed = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.socket.destroy();
  }
}

type Reply = { status: number; isLast: boolean; length: number | undefined };

/** Reads the first reply. Its length is `undefined` while it is not complete, or when it ends with the connection. */
function readReply(received: Buffer, isHead: boolean): Reply | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  // An interim reply precedes the final one.
  if (status === 100) {
    const rest = readReply(received.subarray(end + 4), isHead);
    return rest && { ...rest, length: rest.length === undefined ? undefined : end + 4 + rest.length };
  }
  const isLast = /^connection: close\r?$/im.test(head);
  const size = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? Number.NaN);
  if (isHead || status === 204) return { status, isLast, length: end + 4 };
  if (Number.isNaN(size)) return { status, isLast, length: undefined };
  const length = end + 4 + size;
  return { status, isLast, length: received.length >= length ? length : undefined };
}
