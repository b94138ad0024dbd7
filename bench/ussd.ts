import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { count } from 'drizzle-orm';
import { Pool } from 'undici';
import { aggregatorNames, demoChannels, simulatedAggregators } from '../src/aggregators/registry.ts';
import {
  type Dial,
  readJson,
  readScreen,
  type SimulatedAggregator,
  type WireRequest,
} from '../src/aggregators/simulated-aggregator.ts';
import { turn } from '../src/gateway/schema.ts';
import { systemClock } from '../src/shared/clock.ts';
import { systemIds } from '../src/shared/ids.ts';
import { operatorByPrefix, parseMsisdn } from '../src/shared/msisdn.ts';
import { createSqliteReader } from '../src/sqlite/sqlite.ts';
import { peerDialects } from './ussd-peer.ts';

/**
 * Measures turns per second of the gateway over HTTP, by aggregator: dial, choose, amount, cancel. In the same run
 * a bare node:http server answers the same requests with a fixed screen, and ussd-menu-builder on express serves
 * the same menu. Each server has its own process, and so has the client. Every screen of the gateway and of ussd-
 * menu-builder is parsed as the aggregator would, outside the measured time.
 *
 * `npm run bench:ussd -- --dialogues 500 --connections 16 --rounds 3 --only nalo,hubtel`
 */
const { values } = parseArgs({
  options: {
    dialogues: { type: 'string', default: '500' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
    /** Comma-separated aggregators; all of them by default. */
    only: { type: 'string', default: aggregatorNames.join() },
  },
});
const dialogues = bounded('dialogues', 20_000);
const connections = bounded('connections', 256);
const rounds = bounded('rounds', 9);
const secret = 'secret-of-the-benchmark';
const maxAnswerMs = 10_000;
/** No dialogue starts later than this, so that a slow machine needs about the same time for fewer dialogues. */
const maxRoundMs = 1_500;
/** The bare server is fast, so it gets the same requests several times. */
const bareRepeats = 4;
const turnsOfDialogue = 4;

type Usage = { cpuMs: number; residentBytes: number };
type Server = { url: string; usage(): Promise<Usage>; stop(): Promise<unknown> };

/** One aggregator's dialect as one server speaks it. */
type Lane = {
  name: string;
  server: Server;
  channel: string;
  simulated: SimulatedAggregator;
  read: SimulatedAggregator['read'];
};

/** The requests of one dialogue, created before the measurement. */
type Dialogue = { dial: Dial; amount: string; requests: readonly WireRequest[] };
type Answer = { contentType: string; body: string };

/** `cpuMs`: the server's processor time for one turn. */
type Figures = { turns: number; perSecond: number; p50Ms: number; p99Ms: number; cpuMs: number };
/** The figures of one round: a lane, and the bare server with the same requests just before. */
type Round = { own: Figures; bare: Figures };

function bounded(option: 'dialogues' | 'connections' | 'rounds', most: number): number {
  const value = Number(values[option]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option}: expected a whole number from 1`);
  return Math.min(most, value);
}

async function startServer(role: 'gateway' | 'peer' | 'bare', ...args: readonly string[]): Promise<Server> {
  const loader = createRequire(import.meta.url).resolve('tsx');
  const program = fileURLToPath(new URL('./ussd-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', loader, program, role, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'close');
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout ?? process.stdin }), 'line'),
    ended.then(() => Promise.reject(new Error(`${role} did not start`))),
  ]);
  return {
    url: String(url),
    async usage() {
      child.send('usage');
      const [usage] = await once(child, 'message');
      return usage as Usage;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const ids = systemIds(systemClock());
let payers = 0;

/** Creates a dialogue of a new payer. Amounts differ, so that mixed sessions are detected. */
function newDialogue({ channel, simulated }: Lane): Dialogue {
  const of = demoChannels.find(({ id }) => id === channel);
  const amount = String(10 + (payers % 90));
  const msisdn = parseMsisdn(`024${String(payers++).padStart(7, '0')}`);
  if (!of || !msisdn) throw new Error(`no phone for ${channel}`);
  const { serviceCode, settings } = of;
  const operator = operatorByPrefix(msisdn);
  const dial = { session: ids.next('ussd'), msisdn, operator, serviceCode, dialled: serviceCode, settings };
  // Consecutive inputs differ: some channels would take an equal one within two seconds for a repeat.
  const inputs = ['1', amount, '2'];
  const requests = Array.from({ length: turnsOfDialogue }, (_, typed) =>
    simulated.request(dial, inputs.slice(0, typed)),
  );
  return { dial, amount, requests };
}

function expectScreens({ name, read }: Lane, { dial, amount }: Dialogue, answers: readonly Answer[]): void {
  answers.forEach(({ contentType, body }, at) => {
    const screen = read(contentType, body, dial);
    const kind = at === turnsOfDialogue - 1 ? 'end' : 'continue';
    const holds = at === 2 ? `${amount}.00` : '';
    if (screen?.kind !== kind || !screen.text.includes(holds)) {
      throw new Error(`${name}: turn ${at + 1} was answered with ${contentType} ${body}`);
    }
  });
}

/** Sends dialogues over persistent connections, one after another on each, and passes each finished one to `done`. */
async function exchange(
  { url, usage }: Server,
  lane: Lane,
  all: readonly Dialogue[],
  done: (dialogue: Dialogue, answers: readonly Answer[]) => void,
): Promise<Figures> {
  const timeouts = { headersTimeout: maxAnswerMs, bodyTimeout: maxAnswerMs };
  const pool = new Pool(url, { connections, pipelining: 1, ...timeouts });
  const path = `/ussd/${lane.channel}/${secret}`;
  const times: number[] = [];
  const ask = async ({ method, to, contentType, body }: WireRequest): Promise<Answer> => {
    const before = performance.now();
    const answer = await pool.request({
      path: `${path}${to}`,
      method,
      ...(method === 'GET' ? {} : { headers: { 'content-type': contentType }, body }),
    });
    const text = await answer.body.text();
    times.push(performance.now() - before);
    if (answer.statusCode !== 200) throw new Error(`${lane.name}: HTTP ${answer.statusCode}`);
    return { contentType: String(answer.headers['content-type']), body: text };
  };
  const finished: [Dialogue, Answer[]][] = [];
  let next = 0;
  const { cpuMs } = await usage();
  const startedAt = performance.now();
  const phone = async () => {
    while (performance.now() - startedAt < maxRoundMs) {
      const dialogue = all[next++];
      if (!dialogue) return;
      const answers: Answer[] = [];
      for (const request of dialogue.requests) answers.push(await ask(request));
      finished.push([dialogue, answers]);
    }
  };
  await Promise.all(Array.from({ length: connections }, phone));
  const seconds = (performance.now() - startedAt) / 1000;
  const turns = times.length;
  const spentMs = (await usage()).cpuMs - cpuMs;
  await pool.close();
  for (const [dialogue, answers] of finished) done(dialogue, answers);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(turns * share)] ?? 0;
  return { turns, perSecond: turns / seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuMs: spentMs / turns };
}

async function measure(bare: Server, lane: Lane, size: number): Promise<Round> {
  const all = Array.from({ length: size }, () => newDialogue(lane));
  const again = Array.from({ length: bareRepeats }, () => all).flat();
  return {
    bare: await exchange(bare, lane, again, () => {}),
    own: await exchange(lane.server, lane, all, (one, answers) => expectScreens(lane, one, answers)),
  };
}

/** ussd-menu-builder writes Hubtel's older responses, which have only a type and a text. */
const readOldHubtel: SimulatedAggregator['read'] = (contentType, body) => {
  const reply = readJson(contentType, body);
  return readScreen(reply?.Message, reply?.Type, 'Response', 'Release');
};

function lanesOf(gateway: Server, peer: Server): { peers: Lane[]; own: Lane[] } {
  const chosen = values.only.split(',');
  const lane = (name: string, channel: string, server: Server, read?: SimulatedAggregator['read']): Lane => {
    const simulated = simulatedAggregators[channel];
    if (!simulated) throw new Error(`no aggregator ${channel}; there are ${aggregatorNames.join(', ')}`);
    return { name, channel, server, simulated, read: read ?? simulated.read };
  };
  const spoken = Object.keys(peerDialects).filter(
    (name) => name === 'africastalking' || chosen.includes(name),
  );
  return {
    peers: spoken.map((name) =>
      lane(`peer, ${name}`, name, peer, name === 'hubtel' ? readOldHubtel : undefined),
    ),
    own: chosen.map((name) => lane(name, name, gateway)),
  };
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const print = (line: string) => process.stdout.write(`${line}\n`);
const whole = (value: number) => Math.round(value).toLocaleString('en');
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

const widths = [22, 9, 8, 8, 8, 10, 10, 10, 9, 9];
const row = (cells: readonly string[]) =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    .join('');

function report(lane: Lane, all: readonly Round[], peers: ReadonlyMap<Lane, readonly Round[]>): void {
  const of = (figure: (round: Round, at: number) => number) => median(all.map(figure));
  const entries = [...peers];
  const [, beside] = entries.find(([{ channel }]) => channel === lane.channel) ?? entries[0] ?? [];
  const ofPeer = of(({ own }, at) => own.perSecond / (beside?.[at]?.own.perSecond ?? Number.NaN));
  const sameDialect = entries.some(([{ channel }]) => channel === lane.channel);
  print(
    row([
      lane.name,
      whole(of(({ own }) => own.perSecond)),
      of(({ own }) => own.p50Ms).toFixed(2),
      of(({ own }) => own.p99Ms).toFixed(2),
      of(({ own }) => own.cpuMs).toFixed(2),
      whole(of(({ bare }) => bare.perSecond)),
      of(({ bare }) => bare.p50Ms).toFixed(2),
      of(({ bare }) => bare.p99Ms).toFixed(2),
      percent(of(({ own, bare }) => own.perSecond / bare.perSecond)),
      peers.has(lane) ? '' : `${sameDialect ? '' : '~'}${percent(ofPeer)}`,
    ]),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const database = join(folder, 'gateway.db');
const servers: Server[] = [];
try {
  const started = async (...args: Parameters<typeof startServer>) => {
    const server = await startServer(...args);
    servers.push(server);
    return server;
  };
  const gateway = await started('gateway', database, secret);
  const bare = await started('bare');
  const peer = await started('peer');
  const { peers, own } = lanesOf(gateway, peer);
  const lanes = [...peers, ...own];
  print(
    `${cpus().length} cores, node ${process.version}, ${dialogues} dialogues of ${turnsOfDialogue} turns, ${connections} connections, medians of ${rounds} rounds`,
  );

  let answered = 0;
  const run = async (lane: Lane, size: number): Promise<Round> => {
    const round = await measure(bare, lane, size);
    if (lane.server === gateway) answered += round.own.turns;
    return round;
  };
  // A smaller round warms up all servers and detects a failing dialect early.
  const smaller = Math.ceil(dialogues / 5);
  for (const lane of own) await run(lane, smaller);
  for (const lane of peers) await run(lane, Math.ceil((smaller * own.length) / peers.length));
  const found = new Map<Lane, Round[]>(lanes.map((lane) => [lane, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [lane, all] of found) all.push(await run(lane, dialogues));
  }

  print('');
  print(
    row([
      '',
      'turns/s',
      'p50 ms',
      'p99 ms',
      'cpu ms',
      'bare/s',
      'bare p50',
      'bare p99',
      'of bare',
      'of peer',
    ]),
  );
  const beside = new Map(peers.map((lane) => [lane, found.get(lane) ?? []]));
  for (const [lane, all] of found) report(lane, all, beside);

  const { residentBytes } = await gateway.usage();
  await gateway.stop();
  const store = createSqliteReader(database);
  const [kept] = await store.read.select({ turns: count() }).from(turn);
  await store.close();
  if (kept?.turns !== answered) {
    throw new Error(`${answered} turns were answered, ${kept?.turns} are in the database`);
  }
  print(`
bare  node:http, the same requests, one fixed screen
peer  ussd-menu-builder on express, the same menu; ~ compares with its Africa's Talking dialect where it lacks this one
cpu   the server's processor time for one turn
of    the median of each round's ratio of turns/s; a round ends early after ${maxRoundMs / 1000} s
The peer keeps sessions in memory and writes nothing durable. Each turn of the gateway is one durable write, before
its answer; turns that arrive together share an fsync. All ${whole(answered)} turns of this run are in its database.
The gateway logs warnings only.
gateway at the end: ${whole(residentBytes / 2 ** 20)} MiB resident`);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
}
