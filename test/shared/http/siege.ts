import { request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Opens a connection, sends `bytes` and resolves with the first bytes of the reply, or with `''` when it is closed first. */
export function openSocket(port: number, bytes: string): Promise<{ socket: Socket; reply: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('error', () => {});
    socket.once('data', (reply) => resolve({ socket, reply: String(reply) }));
    socket.once('close', () => resolve({ socket, reply: '' }));
  });
}

/** Sends bytes on a new connection and resolves with everything that the server sends until it closes. */
export function exchange(port: number, bytes: string, timeoutMs = 5_000): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(received));
  });
}

/** Sends one request on a connection of its own. Resolves with the status, or with the code of the network error. */
export function getOnce(port: number, path = '/healthz'): Promise<number | string> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', (fault: NodeJS.ErrnoException) => resolve(fault.code ?? fault.message))
      .end();
  });
}
