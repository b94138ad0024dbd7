import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** An address of which a test decides where it leads, as the name of a primary does. */
export type Forwarder = {
  port: number;
  /** Ends every connection, and leads new ones to another port; to none for null. */
  lead(port: number | null): void;
  /** Loses the packets of every connection from now on, as a network does that breaks down. No connection ends; new ones work. */
  lose(): void;
  close(): void;
};

/** @param mustEnd ends the connection of a client that sends a packet of which this is true. */
export async function startForwarder(
  port: number,
  mustEnd: (packet: Buffer) => boolean = () => false,
): Promise<Forwarder> {
  let to: number | null = port;
  const sockets = new Set<Socket>();
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  // No side answers the end of the other one by itself, so that a lost connection does not.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (to === null) return near.destroy();
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    near.on('data', (packet) => mustEnd(packet) && near.destroy());
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    lead(next) {
      to = next;
      endAll();
    },
    lose() {
      for (const socket of sockets) socket.unpipe().resume();
    },
    close() {
      server.close();
      endAll();
    },
  };
}
