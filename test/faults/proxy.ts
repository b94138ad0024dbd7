import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';
import type { CallName } from '../../src/gateway/collection/fact.ts';
import { callName } from '../kit/call.ts';

/** What becomes of a call: no answer ever, an answer at a byte a second, or one that breaks off in its middle. */
export type ProxyFault = 'silent' | 'a byte a second' | 'broken off';

/** A call that met a fault, and after how long the caller let go of its socket. */
export type FaultedCall = { name: CallName; fault: ProxyFault; freedAfterMs?: number };

/** The line to a service, on real sockets. Without a fault it passes everything on. */
export async function startProxy({ onTestFinished }: TestContext) {
  const line = {
    url: '',
    /** Where the calls are passed on to. */
    to: '',
    faultOf: (_: CallName): ProxyFault | undefined => undefined,
    met: [] as FaultedCall[],
    /** Answers in the service's place, where it returns something. */
    answer: (_: string): object | undefined => undefined,
  };

  async function pass(request: IncomingMessage, body: Buffer): Promise<Buffer> {
    const { method = 'GET', headers, url = '' } = request;
    const own = line.answer(url);
    if (own) return framed(200, Buffer.from(JSON.stringify(own)));
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers;
    const sent = method === 'GET' ? { method } : { method, body };
    const answer = await fetch(line.to + url, { ...sent, headers: kept as Record<string, string> });
    return framed(answer.status, Buffer.from(await answer.arrayBuffer()));
  }

  function meet(fault: ProxyFault, { socket, url = '' }: IncomingMessage, answer: Buffer | undefined): void {
    const met: FaultedCall = { name: callName(`http://line${url}`), fault };
    line.met.push(met);
    const at = performance.now();
    socket.on('error', () => {});
    let sent = 0;
    const drip = setInterval(() => answer && socket.write(answer.subarray(sent, ++sent)), 1_000);
    socket.once('close', () => {
      clearInterval(drip);
      met.freedAfterMs = performance.now() - at;
    });
    if (fault !== 'broken off' || !answer) return;
    socket.write(answer.subarray(0, answer.length / 2), () => socket.resetAndDestroy());
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fault = line.faultOf(callName(`http://line${request.url}`));
    if (fault === 'silent') return meet(fault, request, undefined);
    const answer = await pass(request, Buffer.concat(chunks));
    if (fault) return meet(fault, request, answer);
    // Written as they are: the answer's own framing is the line's business alone.
    response.socket?.write(answer);
    response.detachSocket(request.socket);
    request.socket.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return line;
}

/** An answer as it goes over the wire, byte by byte. */
function framed(status: number, body: Buffer): Buffer {
  const head = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} -\r\n${head.join('\r\n')}\r\n\r\n`), body]);
}
