import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const files = await createSeed(join(folder, 'large'), endsAt);
  const large = join(files.folder, 'gateway.db');
  const small = join(folder, 'small.db');
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

/** Runs a command of the CLI in this process. Returns its duration in milliseconds and its output. */
async function time(programs: SeededPrograms, command: string, staffFile: string, codes = [0]) {
  const before = performance.now();
  const { code, out, err } = await programs.run(command.split(' '), staffFile);
  if (!codes.includes(code)) throw new Error(`${command}: ${err}${out.slice(0, 500)}`);
  return { ms: performance.now() - before, out };
}

async function measureCommands(files: SeedFiles) {
  const programs = await startSeeded(files, endsAt);
  const staffFile = files.staffFile('ama');
  const support: { command: string; ms: number }[] = [];
  const all: number[] = [];
  for (const command of commands) {
    const elapsed: number[] = [];
    for (let run = 0; run < runs; run++) elapsed.push((await time(programs, command, staffFile)).ms);
    support.push({ command, ms: median(elapsed) });
    all.push(...elapsed);
  }
  const balances: number[] = [];
  for (let run = 0; run < runs; run++) balances.push((await time(programs, 'ledger balances', staffFile)).ms);
  const merchantApi = await measureMerchantApi(programs, staffFile);
  // The copies have only their first facts, which the audit reports.
  const verified = await time(programs, 'ledger verify --json', staffFile, [0, 1]);
  await programs.stop();
  const { facts, postings, turns, collections: audited } = JSON.parse(verified.out);
  return {
    support,
    supportP99Ms: quantile(all, 0.99),
    balancesMs: median(balances),
    merchantApi,
    verifyRowsPerSecond: (1000 * (facts + postings + turns + audited)) / verified.ms,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
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
  };
  if (values.json) print(JSON.stringify(figures, null, 2));
  else {
    print(
      `${collections} collections and more, ${Math.round(bytes / 2 ** 20)} MiB, built in ${buildSeconds.toFixed(0)} s; medians of ${runs} runs`,
    );
    for (const { command, ms } of figures.support)
      print(`${command.padEnd(70)} ${ms.toFixed(1).padStart(8)} ms`);
    print(`all of these, p99${''.padEnd(53)} ${figures.supportP99Ms.toFixed(1).padStart(8)} ms`);
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
  rmSync(folder, { recursive: true, force: true });
}
