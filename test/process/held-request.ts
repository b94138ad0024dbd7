import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export type HeldRequest = {
  /** Sends the last byte. Resolves with the response when the server has closed the connection. */
  finish(): Promise<string>;
};

export type HeldRequestOptions = { method: 'GET' | 'POST'; url: string; contentType?: string; body?: string };

const end = '\r\n\r\n';

/**
 * Sends a request without its last byte. Resolves when the server has started to read it. With a body, the server's
 * `100 Continue` proves that. Without one, a complete request is sent before it in the same segment, and its response
 * proves that both arrived.
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
    ...(body === '' ? [] : ['expect: 100-continue']),
  ].join('\r\n');
  const request = `${head}${end}${body}`;
  const before = body === '' ? `GET /healthz HTTP/1.1\r\nhost: ${host}${end}` : '';
  const proof = body === '' ? '{"status":"ok"}' : `HTTP/1.1 100 Continue${end}`;

  const socket = connect(Number(port), hostname).setEncoding('utf8');
  onTestFinished(() => void socket.destroy());
  let received = '';
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve).once('error', reject);
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (text) => {
      received += text;
      if (received.includes(proof)) resolve();
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
