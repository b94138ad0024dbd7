import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';
import { type Listening, listen, type Served } from '../../src/shared/http/server.ts';

type Finished = TestContext['onTestFinished'];

/** Serves a program on a free port of this machine until the end of the test. */
export async function serve(served: Served, finished: Finished = onTestFinished): Promise<Listening> {
  const server = await listen(served, { host: '127.0.0.1', port: 0 }, 'the port of this test');
  finished(() => server.close(0));
  return server;
}

/** Lets a server of Node listen on a free port of this machine until the end of the test. The URL has no path. */
export async function listenLocally(
  server: Server & { closeAllConnections?(): void },
  finished: Finished = onTestFinished,
): Promise<{ port: number; url: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  finished(() => {
    server.closeAllConnections?.();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}

export type HttpRequest = {
  method?: string;
  headers?: OutgoingHttpHeaders | undefined;
  body?: string | Uint8Array | undefined;
  /** The address of the client, of 127.0.0.0/8. */
  from?: string;
};

export type HttpReply = { status: number; headers: Record<string, unknown>; body: string };

/** Sends a request to a port of this machine on a connection of its own, exactly as it is given. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '', from = '127.0.0.1' }: HttpRequest = {},
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers, localAddress: from, agent: false };
    const asking = request(options, async (answer) => {
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += chunk;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
