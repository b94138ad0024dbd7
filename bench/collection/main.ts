import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../kit/median.ts';
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
const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: '1000' },
    deliveries: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
    /** Prints the figures as JSON. */
    json: { type: 'boolean', default: false },
    /** Options for the gateway's own process, such as `--cpu-prof`. */
    node: { type: 'string', default: '' },
  },
});
const collections = Math.min(20_000, Number(values.collections));
const deliveries = Math.min(50_000, Number(values.deliveries));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const print = (line: string) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const database = join(folder, 'gateway.db');
const servers = await startServers(
  database,
  values.node.split(' ').filter((option) => option !== ''),
);
try {
  const found: { paid: CollectionRound; bare: WebhookRound; webhooks: WebhookRound }[] = [];
  // A smaller round warms up all servers.
  await measureCollections(servers, { collections: Math.ceil(collections / 4), connections });
  for (let round = 0; round < rounds; round++) {
    found.push({
      paid: await measureCollections(servers, { collections, connections }),
      bare: await measureWebhooks(servers.bare, { deliveries, connections }),
      webhooks: await measureWebhooks(servers.gateway, { deliveries, connections }),
    });
  }
  await servers.gateway.stop();
  await checkBooked(database, Math.ceil(collections / 4) + rounds * collections);
  const of = (figure: (round: (typeof found)[number]) => number) => median(found.map(figure));
  const figures = {
    collection: {
      cpuMs: of(({ paid }) => paid.cpuMs),
      perSecond: of(({ paid }) => paid.perSecond),
      turnP50Ms: of(({ paid }) => paid.p50Ms),
      turnP99Ms: of(({ paid }) => paid.p99Ms),
      residentBytes: of(({ paid }) => paid.residentBytes),
    },
    webhook: {
      cpuMs: of(({ webhooks }) => webhooks.cpuMs),
      bareCpuMs: of(({ bare }) => bare.cpuMs),
      perSecond: of(({ webhooks }) => webhooks.perSecond),
      barePerSecond: of(({ bare }) => bare.perSecond),
      rateOfBare: of(({ webhooks, bare }) => webhooks.perSecond / bare.perSecond),
      p50Ms: of(({ webhooks }) => webhooks.p50Ms),
      p99Ms: of(({ webhooks }) => webhooks.p99Ms),
    },
  };
  if (values.json) print(JSON.stringify(figures, null, 2));
  else {
    const { collection, webhook } = figures;
    print(`${collections} collections and ${deliveries} webhooks a round, medians of ${rounds} rounds`);
    print(
      `completed collection   ${collection.cpuMs.toFixed(2)} ms CPU, ${collection.perSecond.toFixed(0)}/s; turn p50 ${collection.turnP50Ms.toFixed(2)} ms, p99 ${collection.turnP99Ms.toFixed(2)} ms`,
    );
    print(
      `durable webhook        ${(1000 * webhook.cpuMs).toFixed(0)} us CPU (bare ${(1000 * webhook.bareCpuMs).toFixed(0)}), ${webhook.perSecond.toFixed(0)}/s, ${(100 * webhook.rateOfBare).toFixed(0)} % of bare; p50 ${webhook.p50Ms.toFixed(2)} ms, p99 ${webhook.p99Ms.toFixed(2)} ms`,
    );
  }
} finally {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}
