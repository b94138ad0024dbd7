import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeed } from '../../test/seed/create-seed.ts';
import { startServers } from '../collection/measure.ts';
import { startChild } from '../kit/child-server.ts';
import { median } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import type { Latency, LatencyRequest } from '../latency/client-process.ts';
import { openDialogues } from '../scale/gateways.ts';
import { multiply } from '../scale/multiply.ts';
import { seal } from '../scale/seal.ts';
import { createFloods, type Flood } from './floods.ts';
import { insertKey } from './merchant-key.ts';

/**
 * Measures the latency of turns at a fixed rate: alone, and beside each flood of a stranger, a merchant's system or a person. In each
 * round, a window without a flood precedes the window of each flood, so that the ratios compare neighbours. The client, the gateway
 * and the flood have a process each, on 127.0.0.1 only.
 *
 * `npm run bench:fair -- --collections 20000 --turns 100 --rounds 3 --seconds 8 --only sign-in --json`
 */
const values = parseOptions('npm run bench:fair --', {
  collections: { type: 'string', default: '20000' },
  /** Turns per second. */
  turns: { type: 'string', default: '100' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '8' },
  /** The floods whose name contains this text. */
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
});
const collections = bounded('collections', 200_000);
const perSecond = bounded('turns', 1_000);
const rounds = bounded('rounds', 9);
const seconds = bounded('seconds', 30);

function bounded(option: 'collections' | 'turns' | 'rounds' | 'seconds', most: number): number {
  const value = Number(values[option]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option}: expected a whole number from 1`);
  return Math.min(most, value);
}

type Window = { alone: Latency; beside: Latency; statuses: Record<string, number> };

async function measureAll(url: string, key: string): Promise<Map<Flood, Window[]>> {
  const client = await startChild<object>(new URL('../latency/client-process.ts', import.meta.url), [
    'client',
  ]);
  const floods = await createFloods(url, key);
  try {
    await openDialogues({ url }, 1_000, 4);
    const measure = async () =>
      (await client.ask({ url, perSecond, seconds } satisfies LatencyRequest)) as Latency;
    await measure();
    const selected = floods.all.filter(({ name }) => name.includes(values.only));
    const found = new Map<Flood, Window[]>(selected.map((flood) => [flood, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [flood, windows] of found) {
        const alone = await measure();
        const running = flood.start();
        const beside = await measure();
        windows.push({ alone, beside, statuses: await running.stop() });
      }
    }
    return found;
  } finally {
    await client.stop();
    await floods.close();
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'dialtill-fair-'));
const database = join(folder, 'ledger', 'gateway.db');
try {
  await createSeed(join(folder, 'ledger'), Date.parse('2026-03-13T12:00:00Z'));
  multiply(database, collections);
  await seal(database);
  const key = await insertKey(database);
  const servers = await startServers(database, { logLevel: 'silent', hasConsole: true });
  const found = await measureAll(servers.gateway.started.url, key).finally(servers.stop);
  const rows = [...found].map(([{ name }, windows]) => {
    const of = (figure: (window: Window) => number) => median(windows.map(figure));
    return {
      flood: name,
      aloneP50Ms: of(({ alone }) => alone.p50Ms),
      aloneP99Ms: of(({ alone }) => alone.p99Ms),
      p50Ms: of(({ beside }) => beside.p50Ms),
      p99Ms: of(({ beside }) => beside.p99Ms),
      p50OfAlone: of(({ alone, beside }) => beside.p50Ms / alone.p50Ms),
      p99OfAlone: of(({ alone, beside }) => beside.p99Ms / alone.p99Ms),
      statuses: windows.at(-1)?.statuses ?? {},
    };
  });
  if (values.json) print(JSON.stringify({ perSecond, rounds, seconds, collections, floods: rows }, null, 2));
  else {
    print(`${perSecond} turns/s, ${collections} collections; medians of ${rounds} rounds of ${seconds} s`);
    for (const row of rows) {
      const { flood, aloneP50Ms, aloneP99Ms, p50Ms, p99Ms, p50OfAlone, p99OfAlone, statuses } = row;
      const answers = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
      print(
        `${flood.padEnd(28)} p50 ${aloneP50Ms.toFixed(1)} -> ${p50Ms.toFixed(1)} ms (${p50OfAlone.toFixed(2)} x), p99 ${aloneP99Ms.toFixed(1)} -> ${p99Ms.toFixed(1)} ms (${p99OfAlone.toFixed(2)} x); answers: ${answers.join(', ')}`,
      );
    }
    print('Target: p50 at most 1.20 x, p99 at most 2.00 x.');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
