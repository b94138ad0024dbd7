import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { CallName } from '../../src/gateway/collection/fact.ts';
import { callName } from './network-faults.ts';

/** What becomes of a call: no answer ever, an answer at a byte a second, or one that breaks off in its middle. */
export type ProxyFault = 'silent' | 'a byte a second' | 'broken off';

/** A call that met a fault, and after how long the caller let go of its socket. */
export type FaultedCall = { name: CallName; fault: ProxyFault; freedAfterMs?: number };

/** A target that does not answer within this time counts as lost, in milliseconds. */
const answerWithinMs = 30_000;

/**
 * One address before one or several programs, on real sockets. Each request goes to the next target of its path, and to another one
 * when that does not answer. Without a fault it passes everything on.
 */
export async function startProxy(options: ProxyOptions = {}) {
  const { port = 0, targetsOf = () => line.targets, withinMs = answerWithinMs } = options;
  const line = {
    url: '',
    /** The addresses that the requests are passed on to, unless the options choose them by the path. */
    targets: [] as string[],
    faultOf: (_: CallName): ProxyFault | undefined => undefined,
    met: [] as FaultedCall[],
    /** Answers in the place of a target, where it returns something. */
    answer: (_: string): object | undefined => undefined,
  };
  let turn = 0;

  async function pass({ method = 'GET', headers, url = '' }: IncomingMessage, body: Buffer): Promise<Buffer> {
    const own = line.answer(url);
    if (own) return framed(200, Buffer.from(JSON.stringify(own)));
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers;
    const sent = {
      ...{ method, headers: kept as Record<string, string> },
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    };
    const targets = targetsOf(url);
    const first = turn++;
    for (let tries = 0; tries < targets.length; tries++) {
      const target = targets[(first + tries) % targets.length];
      try {
        const answer = await fetch(`${target}${url}`, { ...sent, signal: AbortSignal.timeout(withinMs) });
        const type = answer.headers.get('content-type') ?? 'text/plain';
        return framed(answer.status, Buffer.from(await answer.arrayBuffer()), type);
      } catch {
        // The next target answers.
      }
    }
    return framed(502, Buffer.from('no program answers\n'), 'text/plain');
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
    const body = await buffer(request);
    const fault = line.faultOf(callName(`http://line${request.url}`));
    if (fault === 'silent') return meet(fault, request, undefined);
    const answer = await pass(request, body);
    if (fault) return meet(fault, request, answer);
    // Written as they are: the answer's own framing is the line's business alone.
    response.socket?.write(answer);
    response.detachSocket(request.socket);
    request.socket.end();
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(line, {
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
}

type ProxyOptions = {
  port?: number;
  /** Returns the addresses of the programs that answer requests with a path. */
  targetsOf?: (path: string) => readonly string[];
  withinMs?: number;
};

/** An answer as it goes over the wire, byte by byte. */
function framed(status: number, body: Buffer, type = 'application/json'): Buffer {
  const head = [`content-type: ${type}`, `content-length: ${body.length}`, 'connection: close'];
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} -\r\n${head.join('\r\n')}\r\n\r\n`), body]);
}
