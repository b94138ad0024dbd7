import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Time after which a gateway that does not answer counts as lost, in milliseconds. */
const answerWithinMs = 3_000;

/**
 * Serves one address for several gateways: each request goes to the next one, and to another one when that does not answer. A
 * request that two gateways get has the same answer.
 *
 * @param ports the ports of the gateways.
 */
export async function startProxy(port: number, ports: readonly number[]) {
  let turn = 0;
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const body = await text(request);
    const first = turn++;
    for (let tries = 0; tries < ports.length; tries++) {
      try {
        const answer = await fetch(`http://127.0.0.1:${ports[(first + tries) % ports.length]}${url}`, {
          method,
          headers: headers as Record<string, string>,
          ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
          signal: AbortSignal.timeout(answerWithinMs),
        });
        const content = await answer.text();
        response.writeHead(answer.status, {
          'content-type': answer.headers.get('content-type') ?? 'text/plain',
        });
        response.end(content);
        return;
      } catch {
        // The next gateway answers.
      }
    }
    response.writeHead(502).end('no gateway answers\n');
  }
  const server = createServer((request, response) => void forward(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
