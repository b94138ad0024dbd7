import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { createSeed } from '../../test/seed/create-seed.ts';
import { newPayment, type Servers, startServers } from '../collection/measure.ts';
import type { PeerCounts } from '../collection/peer.ts';
import { callbackPath, tills } from '../collection/tills.ts';
import { startChild } from '../kit/child-server.ts';
import { median } from '../kit/median.ts';
import { onCore } from '../kit/on-core.ts';
import { parseOptions } from '../kit/options.ts';
import { openDialogues } from '../scale/gateways.ts';
import { multiply } from '../scale/multiply.ts';
import { seal } from '../scale/seal.ts';
import type { Latency, LatencyRequest } from './client-process.ts';
import { countDuePolls, parkPolls } from './park-polls.ts';
import { repeatCommand } from './run-command.ts';

/**
 * Measures the latency of turns at half of the highest rate: alone, while the service hangs, while an export of all
 * collections runs, while a backup runs, and while many parked polls are due. Short windows of the states follow each
 * other in each round; the ratio of each refers to the p99 of the turns alone in the same round. The benchmark fails when
 * a disturbance did not happen in its window.
 *
 * The client runs on one core and the gateway on the other, where `taskset` exists.
 *
 * With `--disk`, it measures only the turns alone, on an empty ledger and on disks that take so many milliseconds more for each
 * `fdatasync`: `strace` delays the call.
 *
 * `npm run bench:latency -- --disk 0,5,20`
 * `npm run bench:latency -- --collections 200000 --polls 100000 --rounds 3 --seconds 8 --json`
 */
const values = parseOptions('npm run bench:latency --', {
  collections: { type: 'string', default: '200000' },
  polls: { type: 'string', default: '100000' },
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '8' },
  only: { type: 'string', default: '' },
  disk: { type: 'string' },
  json: { type: 'boolean', default: false },
});
const collections = Math.min(1_000_000, Number(values.collections));
const polls = Math.min(collections, Number(values.polls));
const rounds = Math.min(9, Number(values.rounds));
const seconds = Math.min(60, Number(values.seconds));
/** Calls of each merchant's key: the default of the configuration. */
const callsPerSecond = 20;
const print = (line: string) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'dialtill-latency-'));
const database = join(folder, 'ledger', 'gateway.db');
const copies = join(folder, 'copies');

const states = ['alone', 'service hangs', 'export runs', 'backup runs', 'polls are due'] as const;
type State = (typeof states)[number];
/** The states to measure beside the turns alone: those whose name contains `--only`. */
const selected = new Set<State>(states.filter((state) => state.includes(values.only)));
/** A window: its latency, and what the disturbance did, such as the exported rows. */
type Window = { latency: Latency; work: number };

function expectWork(state: State, work: number, least: number): number {
  if (work < least) throw new Error(`${state}: ${work} of at least ${least} during the measurement`);
  return work;
}

/** One payment for each merchant, whose calls the service does not answer. */
async function payWithoutAnswer(url: string): Promise<void> {
  await Promise.all(
    tills.map(async (till) => {
      for (const { method, contentType, body } of newPayment(till.channel)) {
        const headers = { 'content-type': contentType };
        const answer = await request(`${url}${callbackPath(till)}`, { method, body, headers });
        await answer.body.dump();
      }
    }),
  );
}

type Measure = () => Promise<Latency>;

/** Starts the client on another core than the gateway's: its own lateness would count as that of the gateway. */
const startClient = () =>
  startChild<object>(new URL('./client-process.ts', import.meta.url), ['client'], [], onCore(0));

async function whileServiceHangs({ peer, gateway }: Servers, measure: Measure): Promise<Window> {
  await peer.ask('hang');
  await payWithoutAnswer(gateway.started.url);
  const latency = await measure();
  const { waiting } = (await peer.ask('counts')) as PeerCounts;
  await peer.ask('answer');
  return { latency, work: expectWork('service hangs', waiting, 1) };
}

async function whileExporting(measure: Measure): Promise<Window> {
  const command = await repeatCommand(['ledger', 'export', '--db', database]);
  const latency = await measure();
  const { completed, lines } = await command.finish();
  return { latency, work: expectWork('export runs', Math.floor(lines / completed), collections) };
}

async function whileBackingUp(measure: Measure): Promise<Window> {
  // The copies of the seeded payments have first facts only, so the complete verification of each backup ends with 1.
  const args = ['backup', '--db', database, '--to', `${copies}/`, '--keep', '1'];
  const command = await repeatCommand(args, [0, 1]);
  const latency = await measure();
  return { latency, work: (await command.finish()).completed };
}

async function whilePollsAreDue({ peer }: Servers, measure: Measure): Promise<Window> {
  const polled = async () => ((await peer.ask('counts')) as PeerCounts).polled;
  const before = await polled();
  const latency = await measure();
  const work = expectWork('polls are due', (await polled()) - before, seconds);
  expectWork('polls are due', countDuePolls(database), polls / 2);
  return { latency, work };
}

async function measureAll(): Promise<{ perSecond: number; found: Map<State, Window[]> }> {
  const client = await startClient();
  const found = new Map<State, Window[]>(states.map((state) => [state, []]));
  const add = (state: State, window: Window) => found.get(state)?.push(window);
  const start = () => startServers(database, { logLevel: 'silent', callsPerSecond, under: onCore(1) });
  let servers = await start();
  try {
    // The first dialogues compile the program, and the others find the highest rate.
    await openDialogues(servers.gateway.started, 1_000, 4);
    const startedAt = performance.now();
    await openDialogues(servers.gateway.started, 2_000, 4);
    const perSecond = (0.5 * 1_000 * 2_000 * 4) / (performance.now() - startedAt);
    const measure: Measure = async () => {
      const asked: LatencyRequest = { url: servers.gateway.started.url, perSecond, seconds };
      return (await client.ask(asked)) as Latency;
    };
    await measure();
    for (let round = 0; round < rounds; round++) {
      add('alone', { latency: await measure(), work: 0 });
      if (selected.has('service hangs')) add('service hangs', await whileServiceHangs(servers, measure));
      if (selected.has('export runs')) add('export runs', await whileExporting(measure));
      if (selected.has('backup runs')) add('backup runs', await whileBackingUp(measure));
    }
    if (!selected.has('polls are due')) return { perSecond, found };
    await servers.stop();
    parkPolls(database, polls);
    servers = await start();
    await openDialogues(servers.gateway.started, 1_000, 4);
    for (let round = 0; round < rounds; round++)
      add('polls are due', await whilePollsAreDue(servers, measure));
    return { perSecond, found };
  } finally {
    await servers.stop();
    await client.stop();
  }
}

const maxDelayMs = 100;
/** Few, because each commit of a slow disk has the turns of 16 phones at most. */
const disk = { dialogues: 200, turns: 4 };

/** Returns the command that starts a program whose calls of the disk take longer. */
function underSlowDisk(delayMs: number): string[] {
  if (delayMs === 0) return [];
  const calls = 'fdatasync,fsync';
  const delay = `inject=${calls}:delay_exit=${delayMs * 1_000}`;
  // With -D, signals reach the program and not strace.
  return ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', delay];
}

/** Measures turns at half of the highest rate of a gateway on a slow disk. Times are milliseconds. */
async function measureDisk(delayMs: number) {
  // A ledger of its own: payers who have dialled before would get other screens.
  const empty = join(folder, `disk-${delayMs}`, 'gateway.db');
  const client = await startClient();
  const under = [...onCore(1), ...underSlowDisk(delayMs)];
  const servers = await startServers(empty, { logLevel: 'silent', callsPerSecond, under });
  const { gateway } = servers;
  try {
    await openDialogues(gateway.started, disk.dialogues, disk.turns);
    const startedAt = performance.now();
    await openDialogues(gateway.started, disk.dialogues, disk.turns);
    const turns = disk.dialogues * disk.turns;
    const perSecond = (0.5 * 1_000 * turns) / (performance.now() - startedAt);
    const windows: { latency: Latency; cpuMs: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = await gateway.usage();
      const latency = (await client.ask({ url: gateway.started.url, perSecond, seconds })) as Latency;
      const { cpuMs } = await gateway.usage();
      windows.push({ latency, cpuMs: (cpuMs - before.cpuMs) / latency.turns });
    }
    const of = (figure: (window: (typeof windows)[number]) => number) => median(windows.map(figure));
    return {
      ...{ delayMs, perSecond, p50Ms: of(({ latency }) => latency.p50Ms) },
      ...{ p99Ms: of(({ latency }) => latency.p99Ms), cpuMs: of(({ cpuMs }) => cpuMs) },
    };
  } finally {
    await servers.stop();
    await client.stop();
  }
}

async function measureDisks(delays: string): Promise<void> {
  const disks = [];
  const known = delays.split(',').map(Number);
  if (!known.every((ms) => ms >= 0 && ms <= maxDelayMs))
    throw new Error(`--disk: expected milliseconds from 0 to ${maxDelayMs}, such as 0,5,20`);
  if (spawnSync('strace', ['--version']).error) throw new Error('--disk: strace is not installed');
  for (const delayMs of known) {
    const found = await measureDisk(delayMs);
    disks.push(found);
    if (values.json) continue;
    const { perSecond, p50Ms, p99Ms, cpuMs } = found;
    print(
      `${delayMs} ms more for each call of the disk: ${Math.round(perSecond)} turns/s, half of the highest rate; p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, CPU ${cpuMs.toFixed(3)} ms`,
    );
  }
  if (values.json) print(JSON.stringify({ disks }, null, 2));
}

async function measureStates(): Promise<void> {
  await createSeed(join(folder, 'ledger'), Date.parse('2026-03-13T12:00:00Z'));
  mkdirSync(copies);
  multiply(database, collections);
  await seal(database);
  const { perSecond, found } = await measureAll();
  const alone = (found.get('alone') ?? []).map(({ latency }) => latency.p99Ms);
  const rows = [...found]
    .filter(([, windows]) => windows.length > 0)
    .map(([state, windows]) => {
      const of = (figure: (window: Window) => number) => median(windows.map(figure));
      return {
        state,
        p50Ms: of(({ latency }) => latency.p50Ms),
        p99Ms: of(({ latency }) => latency.p99Ms),
        maxMs: of(({ latency }) => latency.maxMs),
        p99OfAlone: median(windows.map(({ latency }, round) => latency.p99Ms / (alone[round] ?? Number.NaN))),
        work: of(({ work }) => work),
      };
    });
  if (values.json) print(JSON.stringify({ perSecond, states: rows }, null, 2));
  else {
    print(`${Math.round(perSecond)} turns/s, half of the highest rate; medians of ${rounds} rounds`);
    for (const { state, p50Ms, p99Ms, maxMs, p99OfAlone, work } of rows)
      print(
        `${state.padEnd(16)} p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, max ${maxMs.toFixed(0)} ms, p99 ${p99OfAlone.toFixed(2)} x alone (${work})`,
      );
  }
}

try {
  await (values.disk === undefined ? measureStates() : measureDisks(values.disk));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
