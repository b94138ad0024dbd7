import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '../collection/measure.ts';
import { startChild } from '../kit/child-server.ts';
import { median } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import type { Latency, LatencyRequest } from '../latency/client-process.ts';
import { openDialogues } from '../scale/gateways.ts';
import { repeatExport } from './export.ts';
import { buildLedger } from './ledger.ts';
import { measurePages } from './pages.ts';
import { measureSlowNetwork } from './slow-network.ts';

/**
 * Measures the console on a large ledger: each search and every page of its routes, the turns of payers during an export of all collections beside the
 * turns alone, at a rate far below the highest one, and the first paint of two pages on a slow network in Chromium. The benchmark fails when no payment was exported
 * during a window.
 *
 * `npm run bench:console -- --collections 200000 --requests 50 --rounds 3 --seconds 8 --rate 200 --json`
 */
const values = parseOptions('npm run bench:console --', {
  collections: { type: 'string', default: '200000' },
  requests: { type: 'string', default: '50' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '8' },
  rate: { type: 'string', default: '200' },
  /** Keeps the ledger in this folder, or measures the one that an earlier run has kept there. */
  folder: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
});
const collections = Math.min(1_000_000, Number(values.collections));
const requests = Math.min(200, Number(values.requests));
const rounds = Math.min(9, Number(values.rounds));
const seconds = Math.min(60, Number(values.seconds));
/** Far below the highest rate: what an export delays is then its own work and not a queue of turns. */
const perSecond = Math.min(2_000, Number(values.rate));
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Measures turns alone and during an export, in turn. */
async function measureTurns(url: string) {
  const client = await startChild<object>(new URL('../latency/client-process.ts', import.meta.url), [
    'client',
  ]);
  try {
    await openDialogues({ url }, 1_000, 4);
    const measure = async () =>
      (await client.ask({ url, perSecond, seconds } satisfies LatencyRequest)) as Latency;
    await measure();
    const [alone, exporting, ratios, lines]: number[][] = [[], [], [], []];
    for (let round = 0; round < rounds; round++) {
      const before = await measure();
      const exports = await repeatExport(url);
      const during = await measure();
      const work = await exports.finish();
      if (work.lines === 0) throw new Error('no payment was exported during the window');
      alone?.push(before.p99Ms);
      exporting?.push(during.p99Ms);
      ratios?.push(during.p99Ms / before.p99Ms);
      lines?.push(work.lines);
    }
    const of = (all: number[] | undefined) => median(all ?? []);
    return {
      ...{ perSecond, aloneP99Ms: of(alone), exportP99Ms: of(exporting) },
      ...{ exportOfAlone: of(ratios), exportedRows: of(lines) },
    };
  } finally {
    await client.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-console-'));
try {
  const built = await buildLedger(values.folder || folder, collections);
  const database = join(folder, 'gateway.db');
  // The kept ledger stays as it was built: payers who dial again would get other screens. Without `.seen`, the copy would be a restored one.
  for (const part of ['', '.seen']) copyFileSync(`${built}${part}`, `${database}${part}`);
  const nodeArgs = ['--import', new URL('./count-queries.ts', import.meta.url).href];
  const servers = await startServers(database, { nodeArgs, logLevel: 'silent', hasConsole: true });
  const { url } = servers.gateway.started;
  try {
    const pages = await measurePages(servers.gateway, requests);
    if (!values.json) {
      print(`${collections} collections; ${requests} requests each`);
      for (const { what, kind, medianMs, p95Ms, cpuMs, queries, bytes } of pages)
        print(
          `${`${kind} ${what}`.padEnd(50)} ${medianMs.toFixed(1).padStart(6)} ms, p95 ${p95Ms.toFixed(1).padStart(6)} ms, CPU ${cpuMs.toFixed(1).padStart(6)} ms, ${queries.toFixed(1).padStart(5)} queries, ${bytes} bytes`,
        );
    }
    const turns = await measureTurns(url);
    const slow = await measureSlowNetwork(url);
    if (values.json) print(JSON.stringify({ collections, pages, turns, slow }, null, 2));
    else {
      print(
        `turns, ${Math.round(turns.perSecond)}/s: p99 ${turns.aloneP99Ms.toFixed(1)} ms alone, ${turns.exportP99Ms.toFixed(1)} ms during exports of ${turns.exportedRows} rows, ${turns.exportOfAlone.toFixed(2)} x`,
      );
      for (const { what, paintedMs, requests: count, bytes } of slow)
        print(
          `2G, ${what}: painted after ${(paintedMs / 1_000).toFixed(1)} s, ${count} requests, ${bytes} bytes`,
        );
    }
  } finally {
    await servers.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
