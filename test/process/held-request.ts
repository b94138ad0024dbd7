import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export type HeldRequest = {
  /** Sends the rest, and resolves with the whole answer once the server has closed the connection. */
  finish(): Promise<string>;
};

export type HeldRequestOptions = { method: 'GET' | 'POST'; url: string; contentType?: string; body?: string };

const end = '\r\n\r\n';

/**
 * Opens a request and leaves out its last bytes. Resolves when the server has begun to read it: a complete request
 * goes before it in the same segment, and its answer says that both have arrived.
 */
export async function holdRequest(options: HeldRequestOptions): Promise<HeldRequest> {
  const { method, contentType = 'text/plain', body = '' } = options;
  const { hostname, port, host, pathname } = new URL(options.url);
  const head = [
    `${method} ${pathname} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  const request = `${head}${end}${body}`;
  const before = `GET /healthz HTTP/1.1\r\nhost: ${host}${end}`;

  const socket = connect(Number(port), hostname).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let received = '';
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve).once('error', reject);
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (text) => {
      received += text;
      if (received.includes('{"status":"ok"}')) resolve();
    });
  });
  socket.write(before + request.slice(0, -1));
  await Promise.race([answered, closed]);
  const from = received.length;
  return {
    async finish() {
      socket.write(request.slice(-1));
      await closed;
      return received.slice(from);
    },
  };
}
