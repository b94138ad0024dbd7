import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from 'undici';
import { type ChildServer, startChild } from '../kit/child-server.ts';
import { median, quantile } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';

/**
 * Measures sessions per second of the Payment Collection Service over HTTP: created, initiated, paid, and the paid
 * event delivered to a receiver that checks its signature. In the same run a bare node:http server answers as many
 * requests with fixed bytes. Each server has its own process, and so have the client and the receiver.
 *
 * `npm run bench:service -- --sessions 3000 --concurrency 64 --connections 32 --rounds 3`
 */
const values = parseOptions('npm run bench:service --', {
  sessions: { type: 'string', default: '3000' },
  concurrency: { type: 'string', default: '64' },
  connections: { type: 'string', default: '32' },
  rounds: { type: 'string', default: '3' },
  ways: { type: 'string', default: 'magic,phone' },
  /** Prints the figures as JSON. */
  json: { type: 'boolean', default: false },
  /** Options for the service's own process, such as `--cpu-prof`. */
  node: { type: 'string', default: '' },
  /** The folder of another build of this project, which is measured in turn with this one. */
  beside: { type: 'string', default: '' },
});
const sessions = Math.min(20_000, Number(values.sessions));
const concurrency = Math.min(512, Number(values.concurrency));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const secret = 'secret-of-the-benchmark';
const maxWaitMs = 30_000;

type Server = ChildServer<{ url: string; key: string }>;
type Answer = { status: number; body: string };

const ownProgram = new URL('./server-process.ts', import.meta.url);

/** Receives webhooks and resolves the waiters of each session's paid event. */
async function openReceiver() {
  const waiting = new Map<string, () => void>();
  const paid = new Set<string>();
  let again = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
      const [t = '', v1] = String(request.headers['service-signature']).split(',');
      const expected = createHmac('sha256', secret)
        .update(`${t.slice(2)}.${body}`)
        .digest('hex');
      const { type, data } = JSON.parse(body);
      if (v1 !== `v1=${expected}` || type !== 'payment.session.paid') throw new Error(`unexpected: ${body}`);
      if (paid.has(data.id)) again++;
      paid.add(data.id);
      waiting.get(data.id)?.();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    again: () => again,
    paid(id: string): Promise<void> {
      if (paid.has(id)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no event of ${id}`)), maxWaitMs);
        waiting.set(id, () => {
          clearTimeout(late);
          waiting.delete(id);
          resolve();
        });
      });
    },
    close: () => server.close(),
  };
}

/** A pool of persistent connections, with the durations of each kind of call in milliseconds. */
function openClient({ started: { url, key } }: Server) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const times = new Map<string, number[]>();
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    const of = times.get(name) ?? [];
    of.push(performance.now() - before);
    times.set(name, of);
    return result;
  };
  async function send(method: 'GET' | 'POST', path: string, body?: object, more?: Record<string, string>) {
    const answer = await pool.request({
      path,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...more,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.statusCode, body: await answer.body.text() } satisfies Answer;
  }
  return { timed, send, times, close: () => pool.close() };
}
type Client = ReturnType<typeof openClient>;
type Receiver = Awaited<ReturnType<typeof openReceiver>>;

function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`HTTP ${answer.status}: ${answer.body}`);
  return answer;
}

/** How a payer pays: with a magic number, or on the simulated phone. */
const endings = { magic: '901', phone: '100' } as const;
type Way = keyof typeof endings;

const prefixes = ['24', '54', '55', '59'];

/** Returns the number of a session's payer. It repeats after 40,000 sessions. */
function payerOf(way: Way, session: number): string {
  const prefix = prefixes[Math.floor(session / 10_000) % prefixes.length];
  return `233${prefix}${String(session % 10_000).padStart(4, '0')}${endings[way]}`;
}

async function approve({ send, timed }: Client, msisdn: string, id: string): Promise<void> {
  const seen = await timed('list prompts', () => send('GET', `/handset/prompts?msisdn=${msisdn}`));
  const { data: prompts } = JSON.parse(expectStatus(seen, 200).body);
  const prompt = prompts.find((one: { session_id: string }) => one.session_id === id);
  const path = `/handset/prompts/${prompt.id}/approve`;
  expectStatus(await timed('approve', () => send('POST', path, { pin: '1234' })), 200);
}

/** Runs one session up to its paid event. */
async function collect(client: Client, receiver: Receiver, way: Way, session: number): Promise<void> {
  const { send, timed } = client;
  const msisdn = payerOf(way, session);
  const order = {
    msisdn,
    amount_minor: 2_000,
    network: 'mtn',
    mode: 'offline',
    reference: `INV-${session}`,
  };
  const created = await timed('create', () =>
    send('POST', '/v1/payments/sessions', order, { 'idempotency-key': `order-${session}` }),
  );
  const { id } = JSON.parse(expectStatus(created, 201).body);
  const path = `/v1/payments/sessions/${id}/initiate`;
  expectStatus(await timed('initiate', () => send('POST', path, {})), 200);
  await timed('initiated to event', async () => {
    if (way === 'phone') await approve(client, msisdn, id);
    await receiver.paid(id);
  });
}

/** Sends as many requests as a session to a server without work. */
async function pretend({ send, timed }: Client, way: Way, session: number): Promise<void> {
  const path = '/v1/payments/sessions';
  const body = { msisdn: payerOf(way, session), amount_minor: 2_000, network: 'mtn', mode: 'offline' };
  await timed('create', () => send('POST', path, body, { 'idempotency-key': `order-${session}` }));
  await timed('initiate', () => send('POST', path, {}));
  if (way === 'magic') return;
  await timed('list prompts', () => send('GET', path));
  await timed('approve', () => send('POST', path, { pin: '1234' }));
}

/** `cpuMs`: the server's processor time for one session. */
type Round = { perSecond: number; cpuMs: number; times: Map<string, number[]> };

let nextSession = 0;

async function measure(
  server: Server,
  one: (client: Client, session: number) => Promise<void>,
): Promise<Round> {
  const client = openClient(server);
  const end = nextSession + sessions;
  const worker = async () => {
    while (nextSession < end) {
      const session = nextSession++;
      await client.timed('whole session', () => one(client, session));
    }
  };
  const before = await server.usage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMs = ((await server.usage()).cpuMs - before.cpuMs) / sessions;
  await client.close();
  return { perSecond: sessions / seconds, cpuMs, times: client.times };
}

const print = (line: string) => process.stdout.write(`${line}\n`);

/** The medians of all rounds of one way of paying. Ratios are medians of each round's ratio. */
function summarize(own: readonly Round[], bare: readonly Round[]) {
  const of = (figure: (round: Round, at: number) => number) => median(own.map(figure));
  const ofBare = (at: number, figure: (round: Round) => number) => {
    const round = bare[at];
    return round ? figure(round) : Number.NaN;
  };
  const calls = [...(own[0]?.times.keys() ?? [])].map((name) => ({
    name,
    p50Ms: of(({ times }) => quantile(times.get(name) ?? [], 0.5)),
    p99Ms: of(({ times }) => quantile(times.get(name) ?? [], 0.99)),
  }));
  return {
    perSecond: of((round) => round.perSecond),
    barePerSecond: median(bare.map((round) => round.perSecond)),
    rateOfBare: of((round, at) => round.perSecond / ofBare(at, (one) => one.perSecond)),
    cpuMs: of((round) => round.cpuMs),
    cpuOfBare: of((round, at) => round.cpuMs / ofBare(at, (one) => one.cpuMs)),
    calls,
  };
}

function report(way: string, figures: ReturnType<typeof summarize>): void {
  const { perSecond, barePerSecond, rateOfBare, cpuMs, cpuOfBare } = figures;
  print(
    `${way.padEnd(14)} ${perSecond.toFixed(0)} sessions/s (${(100 * rateOfBare).toFixed(0)} % of ${barePerSecond.toFixed(0)} of bare node:http), ${cpuMs.toFixed(2)} ms CPU per session (${cpuOfBare.toFixed(1)} x bare)`,
  );
  for (const { name, p50Ms, p99Ms } of figures.calls) {
    print(
      `  ${name.padEnd(24)} p50 ${p50Ms.toFixed(2).padStart(7)} ms  p99 ${p99Ms.toFixed(2).padStart(7)} ms`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const receiver = await openReceiver();
const nodeArgs = values.node.split(' ').filter((option) => option !== '');
const startService = (program: URL, name: string): Promise<Server> =>
  startChild(program, ['service', join(folder, name), receiver.url, secret], nodeArgs);
const services = [{ name: '', server: await startService(ownProgram, 'own') }];
if (values.beside !== '') {
  const other = pathToFileURL(join(resolve(values.beside), 'bench/service/server-process.ts'));
  services.push({ name: ', beside', server: await startService(other, 'beside') });
}
const bare: Server = await startChild(ownProgram, ['bare']);

try {
  const ways = values.ways.split(',') as Way[];
  const measured = ways.flatMap((way) =>
    services.map(({ name, server }) => ({
      name: `${way}${name}`,
      way,
      server,
      bare: [] as Round[],
      own: [] as Round[],
    })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { way, server, bare: ofBare, own } of measured) {
      ofBare.push(await measure(bare, (client, at) => pretend(client, way, at)));
      own.push(await measure(server, (client, at) => collect(client, receiver, way, at)));
    }
  }
  const figures = measured.map(({ name, own, bare: ofBare }) => [name, summarize(own, ofBare)] as const);
  if (values.json) print(JSON.stringify(Object.fromEntries(figures), null, 2));
  else {
    print(
      `${sessions} sessions a round, ${concurrency} at once, ${connections} connections, medians of ${rounds} rounds`,
    );
    for (const [way, one] of figures) report(way, one);
    print(`events delivered more than once: ${receiver.again()}`);
  }
} finally {
  await Promise.all([...services.map(({ server }) => server.stop()), bare.stop()]);
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
