import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { createSeed } from '../../test/seed/create-seed.ts';
import type { SeedFiles } from '../../test/seed/files.ts';
import { type SeededPrograms, startSeeded } from '../../test/seed/seeded-programs.ts';
import { median, quantile } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import { commands } from './commands.ts';
import { measureGateways } from './gateways.ts';
import { measureMerchantApi } from './merchant-api.ts';
import { multiply } from './multiply.ts';
import { measureResident } from './resident.ts';
import { seal } from './seal.ts';

/**
 * Measures the gateway on a ledger with many collections: the commands of support staff, the API of merchants' systems, `ledger balances`, `ledger verify`,
 * the start, a turn beside one on a small ledger, and the memory with many open dialogues. The ledger is the seeded one, whose
 * ended payments are copied (`multiply.ts`); the gateway's own code seals them.
 *
 * `npm run bench:scale -- --collections 1000000 --dialogues 100000 --runs 3 --json`
 */
const values = parseOptions('npm run bench:scale --', {
  collections: { type: 'string', default: '1000000' },
  dialogues: { type: 'string', default: '100000' },
  runs: { type: 'string', default: '3' },
  /** Keeps the ledgers in this folder, which must not have any. */
  folder: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
});
const collections = Math.min(10_000_000, Number(values.collections));
const dialogues = Math.min(200_000, Number(values.dialogues));
const runs = Math.min(9, Number(values.runs));
const smallLedger = Math.min(10_000, collections);
const endsAt = Date.parse('2026-03-13T12:00:00Z');
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Creates the seeded ledger, and copies of its database with few and with many collections. */
async function build(): Promise<{ files: SeedFiles; large: string; small: string }> {
  const large = join(folder, 'large', 'gateway.db');
  const small = join(folder, 'small.db');
  const files = await createSeed(join(folder, 'large'), endsAt);
  copyFileSync(large, small);
  // Without its watermark, the gateway would take the file for a restored copy.
  copyFileSync(`${large}.seen`, `${small}.seen`);
  for (const [file, size] of [
    [large, collections],
    [small, smallLedger],
  ] as const) {
    multiply(file, size);
    await seal(file);
  }
  return { files, large, small };
}

/** Runs a command of the CLI in this process. Returns its duration in milliseconds. */
async function time(programs: SeededPrograms, command: string) {
  // The clock stands still, and the gateway limits the requests of a person in a second.
  await programs.advance(1_000);
  const before = performance.now();
  const { code, out, err } = await programs.run(command.split(' '));
  if (code !== 0) throw new Error(`${command}: ${err}${out.slice(0, 500)}`);
  return { ms: performance.now() - before };
}

/**
 * Measures each command in this process. The first run of a command also loads its modules, and reads its pages from the
 * disk; the later ones open the ledger and run its queries.
 */
async function measureCommands(files: SeedFiles) {
  const programs = await startSeeded(files, endsAt);
  await programs.signIn('ama');
  const support: { command: string; firstMs: number; ms: number }[] = [];
  const all: number[] = [];
  for (const command of commands) {
    const firstMs = (await time(programs, command)).ms;
    const elapsed: number[] = [];
    for (let run = 0; run < runs; run++) elapsed.push((await time(programs, command)).ms);
    support.push({ command, firstMs, ms: median(elapsed) });
    all.push(...elapsed);
  }
  const balances: number[] = [];
  for (let run = 0; run < runs; run++) balances.push((await time(programs, 'ledger balances')).ms);
  const merchantApi = await measureMerchantApi(programs);
  await programs.stop();
  return {
    support,
    firstSupportP99Ms: quantile(
      support.map(({ firstMs }) => firstMs),
      0.99,
    ),
    supportP99Ms: quantile(all, 0.99),
    balancesMs: median(balances),
    merchantApi,
  };
}

/** Returns how long it takes to open the ledger for reading, in milliseconds. */
async function measureOpening(database: string): Promise<number> {
  const elapsed: number[] = [];
  for (let run = 0; run < 20; run++) {
    const before = performance.now();
    const store = createSqliteReader(database);
    elapsed.push(performance.now() - before);
    await store.close();
  }
  return median(elapsed);
}

/** Runs the audit as the built program, in a process of its own. Returns the rows for each second. */
async function measureVerify({ configFile }: SeedFiles): Promise<number> {
  const before = performance.now();
  const child = spawn(
    process.execPath,
    ['dist/cli/main.js', 'ledger', 'verify', '--json', '--config', configFile],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // The copies have only their first facts, which the audit reports: it exits with 1.
  const out = await text(child.stdout);
  const seconds = (performance.now() - before) / 1000;
  const { facts, postings, turns, collections: audited } = JSON.parse(out);
  return (facts + postings + turns + audited) / seconds;
}

const folder = values.folder || mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
try {
  const startedAt = performance.now();
  const { files, large, small } = await build();
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const bytes = statSync(large).size;
  const gateways = await measureGateways({ large, small }, runs);
  const resident = await measureResident(large, dialogues);
  const figures = {
    ...{ collections, buildSeconds, bytes, openDialogues: dialogues },
    ...{ ...(await measureCommands(files)), ...gateways, ...resident },
    ...{ openingMs: await measureOpening(large), verifyRowsPerSecond: await measureVerify(files) },
  };
  if (values.json) print(JSON.stringify(figures, null, 2));
  else {
    print(
      `${collections} collections and more, ${Math.round(bytes / 2 ** 20)} MiB, built in ${buildSeconds.toFixed(0)} s; medians of ${runs} runs`,
    );
    for (const { command, ms, firstMs } of figures.support)
      print(`${command.padEnd(70)} ${ms.toFixed(1).padStart(8)} ms, first run ${firstMs.toFixed(1)} ms`);
    print(`all of these, p99${''.padEnd(53)} ${figures.supportP99Ms.toFixed(1).padStart(8)} ms`);
    print(`first runs, p99${''.padEnd(55)} ${figures.firstSupportP99Ms.toFixed(1).padStart(8)} ms`);
    print(`opening the ledger${''.padEnd(52)} ${figures.openingMs.toFixed(1).padStart(8)} ms`);
    for (const { path, medianMs, p95Ms } of figures.merchantApi)
      print(
        `GET /merchant/v1${path}`.padEnd(70) +
          ` ${medianMs.toFixed(1).padStart(8)} ms, p95 ${p95Ms.toFixed(1)} ms`,
      );
    print(`ledger balances${''.padEnd(55)} ${figures.balancesMs.toFixed(1).padStart(8)} ms`);
    print(`ledger verify${''.padEnd(57)} ${figures.verifyRowsPerSecond.toFixed(0).padStart(8)} rows/s`);
    print(`start${''.padEnd(65)} ${figures.startMs.toFixed(1).padStart(8)} ms`);
    print(
      `turn, CPU per that on ${smallLedger} collections`.padEnd(70) +
        ` ${figures.turnCpuOfSmall.toFixed(2).padStart(8)} x`,
    );
    for (const [what, memory] of [
      [`resident with ${figures.openDialogues} open dialogues`, figures.residentBytes],
      ['  of it programs and libraries, shared by processes', figures.fileBytes],
      ['  of it the heap of JavaScript', figures.heapBytes],
      ['  of it buffers outside the heap', figures.externalBytes],
    ] as const)
      print(`${what.padEnd(70)} ${(memory / 1e6).toFixed(0).padStart(8)} MB`);
  }
} finally {
  if (values.folder === '') rmSync(folder, { recursive: true, force: true });
}
