import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { count } from 'drizzle-orm';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import {
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../../src/aggregators/simulated-aggregator.ts';
import { turn } from '../../src/gateway/database/schema.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { parseOptions } from '../kit/options.ts';
import { expectScreens, type Lane, newDialogue, turnsOfDialogue } from './dialogue.ts';
import { exchange } from './exchange.ts';
import { peerDialects } from './peer.ts';
import { header, legend, lineOf, type Round, summarize } from './report.ts';
import { type Role, type Server, startServer } from './start-server.ts';

/**
 * Measures turns of the gateway over HTTP, by aggregator: dial, choose, amount, cancel. In the same run, a bare node:http
 * server and the floor answer the same requests, and ussd-menu-builder on express serves the same menu. Each server has
 * its own process, and so has the client. Every screen of the gateway and of ussd-menu-builder is parsed as the aggregator
 * would, outside the measured time.
 *
 * `npm run bench:ussd -- --dialogues 500 --connections 16 --rounds 3 --only nalo,hubtel --json`
 */
const values = parseOptions('npm run bench:ussd --', {
  dialogues: { type: 'string', default: '500' },
  connections: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '3' },
  /** No dialogue of a round starts later, so that a slow machine needs about the same time for fewer dialogues. */
  seconds: { type: 'string', default: '2' },
  /** Comma-separated aggregators; all of them by default. */
  only: { type: 'string', default: aggregatorNames.join() },
  /** Prints the figures as JSON. */
  json: { type: 'boolean', default: false },
  /** Options for the gateway's own process, such as `--cpu-prof`. */
  node: { type: 'string', default: '' },
});
const dialogues = bounded('dialogues', 20_000);
const connections = bounded('connections', 256);
const rounds = bounded('rounds', 9);
const maxMs = 1_000 * bounded('seconds', 60);
const maxWarmUpMs = 30_000;
/** With fewer dialogues, the processor time of a turn still falls from one round to the next. */
const warmUpRepeats = 4;
const secret = 'secret-of-the-benchmark';
/** The bare server and the floor are fast, so they get more dialogues. */
const bareRepeats = 4;
const floorRepeats = 2;

function bounded(option: 'dialogues' | 'connections' | 'rounds' | 'seconds', most: number): number {
  const value = Number(values[option]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${option}: expected a whole number from 1`);
  return Math.min(most, value);
}

type Servers = Readonly<Record<Role, Server>>;

/** How many dialogues a round has, and the time after which none starts. */
type Size = { size: number; maxMs: number };

async function measure({ bare, floor }: Servers, lane: Lane, { size, maxMs }: Size): Promise<Round> {
  const all = Array.from({ length: size }, () => newDialogue(lane));
  const again = Array.from({ length: bareRepeats }, () => all).flat();
  const forms = Array.from({ length: floorRepeats * size }, () => newDialogue(floorLane));
  const path = `/ussd/${lane.channel}/${secret}`;
  const options = { connections, maxMs };
  return {
    bare: await exchange([bare], { path, dialogues: again, ...options }),
    floor: await exchange([floor], { path: '/', dialogues: forms, ...options }),
    own: await exchange([lane.server], { path, dialogues: all, ...options }, (one, answers) =>
      expectScreens(lane, one, answers),
    ),
  };
}

/** ussd-menu-builder writes Hubtel's older responses, which have only a type and a text. */
const readOldHubtel: SimulatedAggregator['read'] = (contentType, body) => {
  const reply = readJsonAnswer(contentType, body);
  return readScreen(reply?.Message, reply?.Type, 'Response', 'Release');
};

function simulatedOf(channel: string): SimulatedAggregator {
  const simulated = simulatedAggregators[channel];
  if (!simulated) throw new Error(`no aggregator ${channel}; there are ${aggregatorNames.join(', ')}`);
  return simulated;
}

const floorLane = { channel: 'africastalking', simulated: simulatedOf('africastalking') };

function lanesOf({ gateway, peer }: Servers): { peers: Lane[]; own: Lane[] } {
  const chosen = values.only.split(',');
  const lane = (name: string, channel: string, server: Server): Lane => {
    const simulated = simulatedOf(channel);
    const isOldHubtel = server === peer && channel === 'hubtel';
    return { name, channel, server, simulated, read: isOldHubtel ? readOldHubtel : simulated.read };
  };
  const spoken = Object.keys(peerDialects).filter(
    (name) => name === 'africastalking' || chosen.includes(name),
  );
  return {
    peers: spoken.map((name) => lane(`peer, ${name}`, name, peer)),
    own: chosen.map((name) => lane(name, name, gateway)),
  };
}

/** Runs all rounds. Every turn of the gateway is counted in `answered`. */
async function runRounds(servers: Servers) {
  const { peers, own } = lanesOf(servers);
  const found = new Map<Lane, Round[]>([...peers, ...own].map((lane) => [lane, []]));
  let answered = 0;
  const run = async (lane: Lane, size: Size): Promise<Round> => {
    const round = await measure(servers, lane, size);
    if (lane.server === servers.gateway) answered += round.own.turns;
    return round;
  };
  // The compilation of the servers' code belongs to no turn. This round also detects a failing dialect early.
  const warmUp = (lanes: readonly Lane[]): Size => ({
    size: Math.ceil((warmUpRepeats * dialogues) / lanes.length),
    maxMs: maxWarmUpMs,
  });
  for (const lane of own) await run(lane, warmUp(own));
  for (const lane of peers) await run(lane, warmUp(peers));
  for (let round = 0; round < rounds; round++) {
    for (const [lane, all] of found) all.push(await run(lane, { size: dialogues, maxMs }));
  }
  const peerOf = ({ channel }: Lane) => peers.find((one) => one.channel === channel) ?? peers[0];
  const lanes = [...found].map(([lane, all]) => {
    const peer = peers.includes(lane) ? undefined : peerOf(lane);
    const isSameDialect = peer?.channel === lane.channel;
    return summarize(lane.name, all, peer && { rounds: found.get(peer) ?? [], isSameDialect });
  });
  return { answered, lanes };
}

/** Checks that every answered turn is in the database. */
async function checkStored(database: string, answered: number): Promise<void> {
  const store = createSqliteReader(database);
  const [kept] = await store.read.select({ turns: count() }).from(turn);
  await store.close();
  if (kept?.turns !== answered) {
    throw new Error(`${answered} turns were answered, ${kept?.turns} are in the database`);
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const database = join(folder, 'gateway.db');
const started: Server[] = [];
try {
  const start = async (...args: Parameters<typeof startServer>) => {
    const server = await startServer(...args);
    started.push(server);
    return server;
  };
  const nodeArgs = values.node.split(' ').filter((option) => option !== '');
  const servers = {
    gateway: await start('gateway', [database, secret], nodeArgs),
    floor: await start('floor', [join(folder, 'floor.db')]),
    bare: await start('bare'),
    peer: await start('peer'),
  };
  const { answered, lanes } = await runRounds(servers);
  const { residentBytes } = await servers.gateway.usage();
  await servers.gateway.stop();
  await checkStored(database, answered);
  const machine = { cores: cpus().length, node: process.version };
  const options = { dialogues, turnsOfDialogue, connections, rounds };
  if (values.json) print(JSON.stringify({ machine, options, lanes, residentBytes }, null, 2));
  else {
    print(
      `${machine.cores} cores, node ${machine.node}, ${dialogues} dialogues of ${turnsOfDialogue} turns, ${connections} connections, medians of ${rounds} rounds\n`,
    );
    print(header);
    for (const lane of lanes) print(lineOf(lane));
    print(legend);
    print(`
Each turn of the gateway is one durable write, before its answer; turns that arrive together share an fsync.
All ${answered.toLocaleString('en')} turns of this run are in its database. The gateway logs warnings only.
gateway at the end: ${Math.round(residentBytes / 2 ** 20)} MiB resident`);
  }
} finally {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
}
