import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { demoChannels, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { openForReading } from '../../src/gateway/database/database-location.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import { type ChildServer, startChild } from '../kit/child-server.ts';
import { median, quantile } from '../kit/median.ts';
import { type PeerCounts, signedHeaders } from './peer.ts';
import { callbackPath, locationOf, type Till, tills } from './tills.ts';

/** `startMs`: how long the program took to accept requests, without the start of Node. */
export type Server = ChildServer<{ url: string; startMs: number }>;

const program = new URL('./server-process.ts', import.meta.url);

/** Starts the gateway on a file or a `postgres://` URL, its peer and the bare server. `nodeArgs`: options for the gateway's process; `under`: the command that starts it. */
export async function startServers(
  database: string,
  {
    nodeArgs = [],
    under = [],
    logLevel = 'warn',
    callsPerSecond = 1_000,
    hasConsole = false,
  }: {
    nodeArgs?: readonly string[];
    under?: readonly string[];
    logLevel?: string;
    callsPerSecond?: number;
    hasConsole?: boolean;
  } = {},
) {
  const peer: Server = await startChild(program, ['peer']);
  const bare: Server = await startChild(program, ['bare']);
  const gateway: Server = await startChild(
    program,
    ['gateway', database, peer.started.url, logLevel, String(callsPerSecond), hasConsole ? 'console' : '-'],
    nodeArgs,
    under,
  );
  await peer.ask(gateway.started.url);
  return { peer, bare, gateway, stop: () => Promise.all([gateway, peer, bare].map((one) => one.stop())) };
}

export type Servers = Awaited<ReturnType<typeof startServers>>;

/** The inputs of a payment: pay a bill, its number, the amount, confirm. With the dial, these are five turns. */
const inputs = ['3', 'INV-1234', '20', '1'];

let payers = 0;

/** Gives this process payers of its own: a payer who dials again would get other screens. */
export function startPayersAt(first: number): void {
  payers = first;
}

/** Returns the requests of one payment of a new payer. */
export function newPayment(channel: string) {
  const demo = demoChannels.find(({ id }) => id === 'africastalking');
  const simulated = simulatedAggregators.africastalking;
  const number = payers++;
  const msisdn = parseMsisdn(`024${String(number).padStart(7, '0')}`);
  if (!demo || !simulated || !msisdn) throw new Error('no phone');
  const session = `s-${channel}-${number}-${process.pid}`;
  const { serviceCode } = demo;
  const operator = operatorByPrefix(msisdn);
  const dial = { session, msisdn, operator, serviceCode, dialled: serviceCode };
  return Array.from({ length: inputs.length + 1 }, (_, typed) =>
    simulated.request(dial, inputs.slice(0, typed)),
  );
}

/** Figures of one round. Times are milliseconds; `cpuMs` is the gateway's processor time for one collection. */
export type CollectionRound = {
  collections: number;
  perSecond: number;
  cpuMs: number;
  p50Ms: number;
  p99Ms: number;
  residentBytes: number;
};

const maxWaitMs = 60_000;

async function pay(pool: Pool, till: Till, turns: number[]): Promise<void> {
  let screen = '';
  for (const { method, contentType, body } of newPayment(till.channel)) {
    const before = performance.now();
    const path = callbackPath(till);
    const answer = await pool.request({ path, method, headers: { 'content-type': contentType }, body });
    screen = await answer.body.text();
    turns.push(performance.now() - before);
  }
  if (!screen.startsWith('END ')) throw new Error(`a payment ended with the screen: ${screen}`);
}

/** Lets `collections` payers pay, and waits until a poll has confirmed each payment. */
export async function measureCollections(
  { gateway, peer }: Servers,
  { collections, connections }: { collections: number; connections: number },
): Promise<CollectionRound> {
  const pool = new Pool(gateway.started.url, { connections, pipelining: 1 });
  const confirmed = async () => ((await peer.ask('counts')) as PeerCounts).confirmed;
  const goal = (await confirmed()) + collections;
  const turns: number[] = [];
  let next = 0;
  const before = await gateway.usage();
  const startedAt = performance.now();
  const phone = async () => {
    while (next < collections) {
      const till = tills[next++ % tills.length];
      if (till) await pay(pool, till, turns);
    }
  };
  await Promise.all(Array.from({ length: connections }, phone));
  while ((await confirmed()) < goal) {
    if (performance.now() - startedAt > maxWaitMs) {
      throw new Error(`${goal - (await confirmed())} of ${collections} collections were not confirmed`);
    }
    await wait(20);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  // The last postings, and the block that seals them.
  await wait(1_500);
  const after = await gateway.usage();
  await pool.close();
  return {
    collections,
    perSecond: collections / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / collections,
    p50Ms: median(turns),
    p99Ms: quantile(turns, 0.99),
    residentBytes: after.residentBytes,
  };
}

/** Figures of one round. `cpuMs` is the server's processor time for one delivery. */
export type WebhookRound = { perSecond: number; cpuMs: number; p50Ms: number; p99Ms: number };

let events = 0;

/**
 * Sends signed events, each once. They are about sessions of other channels, so the gateway stores, reads and parks them.
 */
export async function measureWebhooks(
  server: Server,
  { deliveries, connections }: { deliveries: number; connections: number },
): Promise<WebhookRound> {
  const pool = new Pool(server.started.url, { connections, pipelining: 1 });
  const all = Array.from({ length: deliveries }, () => {
    const number = String(++events).padStart(26, '0');
    const data = { id: `pay_other${number}`, status: 'failed', reason: 'declined' };
    const type = 'payment.session.failed';
    const body = JSON.stringify({ id: `evt_${number}`, type, created_at: '2026-11-23T00:00:00Z', data });
    return { body, headers: signedHeaders(`evt_${number}`, body) };
  });
  const times: number[] = [];
  let next = 0;
  const before = await server.usage();
  const startedAt = performance.now();
  const sender = async () => {
    for (let delivery = all[next++]; delivery; delivery = all[next++]) {
      const sentAt = performance.now();
      const path = `/webhooks/${tills[next % tills.length]?.merchant}`;
      const answer = await pool.request({ path, method: 'POST', ...delivery });
      await answer.body.dump();
      times.push(performance.now() - sentAt);
      if (answer.statusCode !== 200) throw new Error(`a webhook was answered with ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await server.usage();
  await pool.close();
  return {
    perSecond: deliveries / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / deliveries,
    p50Ms: median(times),
    p99Ms: quantile(times, 0.99),
  };
}

/** Checks that every collection of a file or a server is paid, confirmed and booked. */
export async function checkBooked(database: string, collections: number): Promise<void> {
  const store = await openForReading(locationOf(database));
  const count = (sql: string) => store.query(sql, [], 'row').then((row) => Number((row as unknown[])[0]));
  const paid = await count(
    "SELECT count(*) FROM collection WHERE status = 'paid' AND confirmed_at IS NOT NULL",
  );
  const booked = await count('SELECT count(DISTINCT subject_id) FROM posting');
  await store.close();
  if (paid !== collections || booked !== collections) {
    throw new Error(`${collections} collections ended; ${paid} are confirmed and ${booked} are booked`);
  }
}
