import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, type Random } from '../kit/random.ts';
import { type PayerReport, runPayers } from './payers.ts';
import { type ProgramName, type Programs, startPrograms } from './programs.ts';
import { createHostileRequest, type HostileRequest } from './requests.ts';
import { runSlowConnections } from './slow.ts';
import { type WireAnswer, WireConnection } from './wire.ts';

export type HostileOptions = {
  requests: number;
  seed: number;
  /** Hostile connections with a request in progress. */
  concurrency: number;
  onProgress?(done: number): void;
};

/** The memory of a program in MiB, as medians of the first and the last quarter of the run. */
export type Memory = { firstQuarterMib: number; lastQuarterMib: number; logLines: number };

export type HostileReport = {
  requests: number;
  seconds: number;
  perSecond: number;
  /** Answers by class and status. */
  answers: Record<string, Record<string, number>>;
  honest: { sessions: number; p50Ms: number; p99Ms: number };
  memory: Record<ProgramName, Memory>;
  failures: string[];
};

/** Beyond it, a request without a time limit of its own hangs. */
const maxAnswerMs = 20_000;

/** Requests on one connection, below the budget of unauthenticated requests of its address. */
const requestsPerAddress = 90;

const maxGrowthMib = 160;
const maxFailures = 20;

/** Classes after which the state of the connection is not known. */
const closingKinds: ReadonlySet<string> = new Set(['malformed HTTP', 'pipelining', 'large header']);

/** The state of a run. */
type Run = {
  programs: Programs;
  random: Random;
  options: HostileOptions;
  done: number;
  addresses: number;
  answers: Record<string, Record<string, number>>;
  failures: string[];
};

/** The memory of each program in MiB. */
type Sample = Record<ProgramName, number>;

/** Sends hostile requests to both programs while honest payers pay, and reports every broken promise. */
export async function runHostile(options: HostileOptions): Promise<HostileReport> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-hostile-'));
  const programs = await startPrograms(folder);
  try {
    return await attack(programs, options);
  } finally {
    await Promise.all([programs.gateway.stop(), programs.service.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attack(programs: Programs, options: HostileOptions): Promise<HostileReport> {
  const random = createRandom(`hostile ${options.seed}`);
  const run: Run = { programs, random, options, done: 0, addresses: 0, answers: {}, failures: [] };
  const over = new AbortController();
  const paying = runPayers(programs, over.signal);
  const slow = runSlowConnections(programs, over.signal);
  const samples: Sample[] = [];
  const sampling = sampleMemory(run, samples, over.signal);

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: options.concurrency }, () => work(run)));
  const seconds = (performance.now() - startedAt) / 1000;
  over.abort();
  const honest = await paying;
  run.answers['slow connection'] = { closed: await slow };
  await sampling;
  return reportOf(run, { seconds, honest, samples });
}

/** Sends requests on one connection after the other. Every tenth is from the address of the honest payers. */
async function work(run: Run): Promise<void> {
  const connections = new Map<ProgramName, WireConnection>();
  const closeAll = () => {
    for (const connection of connections.values()) connection.close();
    connections.clear();
  };
  let address = '';
  for (let sent = 0; run.done < run.options.requests; sent++) {
    if (sent % requestsPerAddress === 0) {
      closeAll();
      address = nextAddress(run);
    }
    run.done += 1;
    const request = createHostileRequest(run.random, run.programs);
    const answer = await send(run, request, { connections, address });
    record(run, request, answer);
    if (run.done % 1_000 === 0) run.options.onProgress?.(run.done);
  }
  closeAll();
}

/** Every address of 127.0.0.0/8 is this machine. */
function nextAddress(run: Run): string {
  const n = run.addresses++;
  return n % 10 === 0 ? '127.0.0.1' : `127.${1 + ((n >> 16) & 63)}.${(n >> 8) & 255}.${n & 255}`;
}

type From = { connections: Map<ProgramName, WireConnection>; address: string };

/** Sends a request; an authenticated one a second time if the server had closed the connection meanwhile. */
async function send(run: Run, request: HostileRequest, from: From): Promise<WireAnswer> {
  const first = await sendOnce(run, request, from);
  return first.status === 'closed' ? sendOnce(run, request, from) : first;
}

async function sendOnce(run: Run, request: HostileRequest, { connections, address }: From) {
  const { program, bytes, isHead = false, kind } = request;
  const connection =
    connections.get(program) ?? (await WireConnection.open(run.programs[program].port, address));
  connections.set(program, connection);
  const answer = await connection.exchange(bytes, { isHead, timeoutMs: maxAnswerMs });
  if (!answer.isOpen || typeof answer.status === 'string' || closingKinds.has(kind)) {
    connection.close();
    connections.delete(program);
  }
  return answer;
}

function record(run: Run, request: HostileRequest, { status, ms }: WireAnswer): void {
  const { kind, program, expected, isAuthenticated = false, withinMs = maxAnswerMs } = request;
  const name = `${program}: ${kind}`;
  const counts = run.answers[name] ?? {};
  run.answers[name] = counts;
  counts[status] = (counts[status] ?? 0) + 1;
  const isRight =
    typeof status === 'number'
      ? expected.includes(status) || (status === 429 && !isAuthenticated)
      : status === 'closed' && !isAuthenticated;
  const isInTime = ms <= withinMs;
  if ((isRight && isInTime) || run.failures.length >= maxFailures) return;
  const [line = ''] = request.bytes.toString('latin1', 0, 200).split('\r\n');
  const shown = line.replaceAll(run.programs.channelSecret, '<secret>');
  run.failures.push(`${program}, ${kind}: ${status} after ${Math.round(ms)} ms: ${shown}`);
}

async function sampleMemory(run: Run, samples: Sample[], signal: AbortSignal): Promise<void> {
  const { gateway, service } = run.programs;
  do {
    samples.push({ gateway: gateway.residentMib(), service: service.residentMib() });
    await new Promise((resolve) => setTimeout(resolve, 500));
  } while (!signal.aborted);
}

function reportOf(
  run: Run,
  { seconds, honest, samples }: { seconds: number; honest: PayerReport; samples: readonly Sample[] },
): HostileReport {
  const { gateway, service } = run.programs;
  const memory = {
    gateway: { ...memoryOf(samples, 'gateway'), logLines: gateway.logLines() },
    service: { ...memoryOf(samples, 'service'), logLines: service.logLines() },
  };
  const failures = [...run.failures, ...honest.failures.slice(0, maxFailures)];
  for (const [name, { firstQuarterMib, lastQuarterMib }] of Object.entries(memory)) {
    if (lastQuarterMib - firstQuarterMib > maxGrowthMib) {
      failures.push(`${name}: its memory grew from ${firstQuarterMib} to ${lastQuarterMib} MiB`);
    }
  }
  return {
    requests: run.done,
    seconds: Math.round(seconds),
    perSecond: Math.round(run.done / seconds),
    answers: run.answers,
    honest: {
      sessions: honest.sessions,
      p50Ms: quantile(honest.screenMs, 0.5),
      p99Ms: quantile(honest.screenMs, 0.99),
    },
    memory,
    failures,
  };
}

function memoryOf(samples: readonly Sample[], name: ProgramName) {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const medianOf = (some: readonly Sample[]) =>
    quantile(
      some.map((sample) => sample[name]),
      0.5,
    );
  return {
    firstQuarterMib: medianOf(samples.slice(0, quarter)),
    lastQuarterMib: medianOf(samples.slice(-quarter)),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
