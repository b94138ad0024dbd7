import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { endpointWithSecret } from '../../src/contract/merchant/merchant-operations.ts';
import { signIn } from '../console/browser.ts';

/** How many requests of a flood ended with each status; `none` for those without an answer. */
export type Statuses = Record<string, number>;

export type Flood = { name: string; start(): { stop(): Promise<Statuses> } };

type Sent = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };

const connections = 32;

/** Requests that wait for an answer: beyond it, a flood sends no more. */
const maxWaiting = 256;

/** A flood that sends a request at a fixed rate, whether or not earlier ones are answered. */
function createFlood(name: string, url: string, perSecond: number, sent: () => Sent): Flood {
  return {
    name: `${name}, ${perSecond}/s`,
    start() {
      const pool = new Pool(url, { connections, pipelining: 1 });
      const statuses: Statuses = {};
      const count = (status: string) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
      };
      let waiting = 0;
      const send = async () => {
        const { method, path, headers = {}, body = null } = sent();
        waiting += 1;
        try {
          const answer = await pool.request({ method, path, headers, body });
          await answer.body.dump();
          count(String(answer.statusCode));
        } catch {
          count('none');
        } finally {
          waiting -= 1;
        }
      };
      const startedAt = performance.now();
      let started = 0;
      const timer = setInterval(() => {
        const due = ((performance.now() - startedAt) * perSecond) / 1_000;
        for (; started < due; started++) if (waiting < maxWaiting) void send();
      }, 5);
      return {
        async stop() {
          clearInterval(timer);
          await pool.destroy();
          return statuses;
        },
      };
    },
  };
}

const endpoints = 10;

/** Accepts notifications and answers none. */
async function startSilentReceiver() {
  const server = createServer((request) => void request.resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type CallApi = (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

/** The endpoints of a merchant that get a backlog of notifications and answer none. */
function createNotificationFlood(callApi: CallApi, receiver: string): Flood {
  return {
    name: `notifications, ${endpoints} silent endpoints`,
    start() {
      const added = (async () => {
        const ids: string[] = [];
        for (let at = 0; at < endpoints; at++) {
          const answer = await callApi('POST', '/endpoints', { url: `${receiver}/${at}` });
          const { id } = endpointWithSecret.parse(answer).endpoint;
          ids.push(id);
          await callApi('POST', '/events/replay', {
            ...{ endpoint: id, from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' },
          });
        }
        return ids;
      })();
      return {
        async stop() {
          const ids = await added;
          for (const id of ids) await callApi('DELETE', `/endpoints/${id}`);
          return { 'silent endpoints': ids.length };
        },
      };
    },
  };
}

/** Creates the floods of a gateway. `key` is one of a merchant with many payments. */
export async function createFloods(url: string, key: string) {
  const receiver = await startSilentReceiver();
  const person = await signIn(url);
  const bearer = { authorization: `Bearer ${key}` };
  const read = (path: string) => () => ({ method: 'GET', path, headers: bearer }) as const;
  const page =
    (path: string, headers = {}) =>
    () =>
      ({ method: 'GET', path, headers }) as const;
  const callApi: CallApi = async (method, path, body) => {
    const answer = await fetch(`${url}/merchant/v1${path}`, {
      method,
      headers: { ...bearer, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const callback = { method: 'POST', path: '/ussd/till-1/wrong', body: 'sessionId=s&text=' } as const;
  const all: Flood[] = [
    createFlood('openapi.json', url, 60, page('/merchant/v1/openapi.json')),
    createFlood('sign-in page', url, 150, page('/console/sign-in')),
    createFlood('unknown callbacks', url, 150, () => callback),
    createFlood('late payments of a key', url, 10, read('/merchant/v1/payments?late=true')),
    createFlood('events of a key', url, 10, read('/merchant/v1/events')),
    createFlood('console of one person', url, 4, page('/console/payments', { cookie: person.cookie })),
    createNotificationFlood(callApi, receiver.url),
  ];
  return { all, close: receiver.close };
}
