import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import {
  type CollectionRound,
  checkBooked,
  measureCollections,
  measureWebhooks,
  startServers,
  type WebhookRound,
} from './measure.ts';

/**
 * Measures what a completed collection costs the gateway: five turns, quote, create, initiate, webhook, confirming poll,
 * postings and seal; and the webhooks that it acknowledges durably, beside a bare node:http server in the same run. The
 * gateway, its peer and the client have processes of their own.
 *
 * `npm run bench:collection -- --collections 1000 --deliveries 3000 --rounds 3`
 */
const values = parseOptions('npm run bench:collection --', {
  collections: { type: 'string', default: '1000' },
  deliveries: { type: 'string', default: '3000' },
  connections: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '3' },
  /** Prints the figures as JSON. */
  json: { type: 'boolean', default: false },
  /** Options for the gateway's own process, such as `--cpu-prof`. */
  node: { type: 'string', default: '' },
});
const collections = Math.min(20_000, Number(values.collections));
const deliveries = Math.min(50_000, Number(values.deliveries));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const print = (line: string) => process.stdout.write(`${line}\n`);

const nodeArgs = values.node.split(' ').filter((option) => option !== '');

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));

/** Measures collections, and the bytes that each of them leaves in the database. */
async function runCollections() {
  const database = join(folder, 'collections.db');
  const servers = await startServers(database, { nodeArgs });
  const found: CollectionRound[] = [];
  // The time of a collection falls until some 3,000 of them: the engine compiles what it runs often.
  const warmUp = 3 * collections;
  try {
    await measureCollections(servers, { collections: warmUp, connections });
    for (let round = 0; round < rounds; round++) {
      found.push(await measureCollections(servers, { collections, connections }));
    }
  } finally {
    await servers.stop();
  }
  const all = warmUp + rounds * collections;
  await checkBooked(database, all);
  const of = (figure: (round: CollectionRound) => number) => median(found.map(figure));
  return {
    cpuMs: of((round) => round.cpuMs),
    perSecond: of((round) => round.perSecond),
    turnP50Ms: of((round) => round.p50Ms),
    turnP99Ms: of((round) => round.p99Ms),
    residentBytes: of((round) => round.residentBytes),
    bytesOnDisk: statSync(database).size / all,
  };
}

type Webhooks = { own: WebhookRound; bare: WebhookRound };

/** Measures webhooks of other channels' sessions, which leave no work to the collections. */
async function runWebhooks() {
  const servers = await startServers(join(folder, 'webhooks.db'), { nodeArgs });
  const found: Webhooks[] = [];
  const send = async (size: number): Promise<Webhooks> => ({
    bare: await measureWebhooks(servers.bare, { deliveries: size, connections }),
    own: await measureWebhooks(servers.gateway, { deliveries: size, connections }),
  });
  try {
    await send(Math.ceil(deliveries / 4));
    for (let round = 0; round < rounds; round++) found.push(await send(deliveries));
  } finally {
    await servers.stop();
  }
  const of = (figure: (round: Webhooks) => number) => median(found.map(figure));
  return {
    cpuMs: of(({ own }) => own.cpuMs),
    bareCpuMs: of(({ bare }) => bare.cpuMs),
    cpuOfBare: of(({ own, bare }) => own.cpuMs / bare.cpuMs),
    perSecond: of(({ own }) => own.perSecond),
    barePerSecond: of(({ bare }) => bare.perSecond),
    rateOfBare: of(({ own, bare }) => own.perSecond / bare.perSecond),
    p50Ms: of(({ own }) => own.p50Ms),
    p99Ms: of(({ own }) => own.p99Ms),
  };
}

try {
  const webhook = await runWebhooks();
  const collection = await runCollections();
  const figures = { collection: { ...collection, cpuOfBare: collection.cpuMs / webhook.bareCpuMs }, webhook };
  if (values.json) print(JSON.stringify(figures, null, 2));
  else {
    print(`${collections} collections and ${deliveries} webhooks a round, medians of ${rounds} rounds`);
    print(
      `completed collection  ${collection.cpuMs.toFixed(2)} ms CPU (${figures.collection.cpuOfBare.toFixed(0)} x a bare request), ${collection.perSecond.toFixed(0)}/s; turn p50 ${collection.turnP50Ms.toFixed(2)} ms, p99 ${collection.turnP99Ms.toFixed(2)} ms; ${collection.bytesOnDisk.toFixed(0)} bytes on disk; ${Math.round(collection.residentBytes / 2 ** 20)} MiB resident`,
    );
    print(
      `durable webhook       ${(1000 * webhook.cpuMs).toFixed(0)} us CPU (${webhook.cpuOfBare.toFixed(1)} x bare), ${webhook.perSecond.toFixed(0)}/s (${(100 * webhook.rateOfBare).toFixed(0)} % of bare); p50 ${webhook.p50Ms.toFixed(2)} ms, p99 ${webhook.p99Ms.toFixed(2)} ms`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
