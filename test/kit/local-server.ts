import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
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
  at = 0,
): Promise<{ port: number; url: string }> {
  await once(server.listen(at, '127.0.0.1'), 'listening');
  finished(() => {
    server.closeAllConnections?.();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}

/** A request as a server got it. */
export type Question = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** Starts a server on a free port of this machine that keeps what it is asked. `answer` writes any response, or none. */
export async function startServer(
  answer: (response: ServerResponse, question: Question) => unknown = (response) => response.end(),
  { finished = onTestFinished, port = 0 }: { finished?: Finished; port?: number } = {},
) {
  const questions: Question[] = [];
  let arrived = () => {};
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const question = { method, path, headers, body: await text(request) };
    questions.push(question);
    answer(response, question);
    arrived();
  });
  return {
    ...(await listenLocally(server, finished, port)),
    questions,
    server,
    /** Resolves after that many requests. */
    async asked(count: number): Promise<void> {
      while (questions.length < count) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
  };
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
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
