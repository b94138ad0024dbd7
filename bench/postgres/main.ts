import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import { startEmbeddedPostgres } from '../../test/kit/start-postgres.ts';
import { median } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import { expectScreens, type Lane, newDialogue, turnsOfDialogue } from '../ussd/dialogue.ts';
import { exchange } from '../ussd/exchange.ts';
import { type Server, startServer } from '../ussd/start-server.ts';
import { compareOpenings } from './openings.ts';
import { cpuMsOfServer, findServer } from './server-cpu.ts';

/**
 * Measures turns over HTTP with the ledger in a file, and on a PostgreSQL with one, two and three gateways, one after another
 * in each round. The gateways, the database and the client share the machine, and the files of the database are in memory. Then
 * opens collections on both engines without HTTP, 16 in flight.
 *
 * `npm run bench:postgres -- --dialogues 500 --connections 16 --rounds 3 --json`
 */
const values = parseOptions('npm run bench:postgres --', {
  dialogues: { type: 'string', default: '500' },
  connections: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '3' },
  json: { type: 'boolean', default: false },
});
const dialogues = Math.min(20_000, Number(values.dialogues));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const maxMs = 20_000;
const secret = 'secret-of-the-benchmark';
const channel = 'africastalking';

type Figures = { perSecond: number; p99Ms: number; gatewayCpuMs: number; databaseCpuMs: number };
type Setting = { name: string; servers: readonly Server[]; database: number | undefined };

function laneOf(server: Server): Lane {
  const simulated = simulatedAggregators[channel];
  if (!simulated) throw new Error(`no aggregator ${channel}`);
  return { name: channel, channel, server, simulated, read: simulated.read };
}

/** Lets each gateway answer its share of the dialogues at the same time. */
async function measure({ servers, database }: Setting, size: number): Promise<Figures> {
  const before = database === undefined ? 0 : cpuMsOfServer(database);
  const startedAt = performance.now();
  const found = await Promise.all(
    servers.map((server) => {
      const lane = laneOf(server);
      const own = Array.from({ length: Math.ceil(size / servers.length) }, () => newDialogue(lane));
      const load = { path: `/ussd/${channel}/${secret}`, dialogues: own, maxMs };
      return exchange(
        server,
        { ...load, connections: Math.ceil(connections / servers.length) },
        (one, answers) => expectScreens(lane, one, answers),
      );
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const turns = found.reduce((sum, one) => sum + one.turns, 0);
  const spent = database === undefined ? 0 : cpuMsOfServer(database) - before;
  return {
    perSecond: turns / seconds,
    p99Ms: Math.max(...found.map(({ p99Ms }) => p99Ms)),
    gatewayCpuMs: found.reduce((sum, one) => sum + one.cpuMs * one.turns, 0) / turns,
    databaseCpuMs: spent / turns,
  };
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return `${server}/${name}`;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const cell = (text: string) => text.padStart(14);

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const started: Server[] = [];
const postgres = await startEmbeddedPostgres();
try {
  const start = async (database: string) => {
    const server = await startServer('gateway', [database, secret]);
    started.push(server);
    return server;
  };
  const database = await findServer(`${postgres.url}/postgres`);
  const settings: Setting[] = [
    { name: 'file', servers: [await start(join(folder, 'gateway.db'))], database: undefined },
  ];
  for (const count of [1, 2, 3]) {
    const url = await createDatabase(postgres.url, `bench_${count}`);
    const servers: Server[] = [];
    for (let place = 0; place < count; place++) servers.push(await start(url));
    settings.push({ name: `postgres, ${count}`, servers, database });
  }
  for (const setting of settings) await measure(setting, dialogues);
  const all = new Map<Setting, Figures[]>(settings.map((setting) => [setting, []]));
  for (let round = 0; round < rounds; round++)
    for (const [setting, figures] of all) figures.push(await measure(setting, dialogues));
  const openings = await compareOpenings({
    file: join(folder, 'openings.db'),
    url: await createDatabase(postgres.url, 'openings'),
    cpuMsOfDatabase: () => cpuMsOfServer(database),
    rounds,
  });
  const [file = []] = all.values();
  const lines = [...all].map(([{ name }, figures]) => {
    const of = (pick: (one: Figures, at: number) => number) => median(figures.map(pick));
    return {
      name,
      perSecond: of((one) => one.perSecond),
      ofFile: of((one, at) => one.perSecond / (file[at]?.perSecond ?? Number.NaN)),
      p99Ms: of((one) => one.p99Ms),
      gatewayCpuMs: of((one) => one.gatewayCpuMs),
      databaseCpuMs: of((one) => one.databaseCpuMs),
    };
  });
  const machine = { cores: cpus().length, node: process.version };
  if (values.json)
    print(JSON.stringify({ machine, dialogues, connections, rounds, lines, openings }, null, 2));
  else {
    print(
      `${machine.cores} cores, node ${machine.node}, ${dialogues} dialogues of ${turnsOfDialogue} turns, ${connections} connections, medians of ${rounds} rounds\n`,
    );
    print(
      ['ledger        ', ...['turns/s', 'of file', 'p99 ms', 'gateway us', 'database us'].map(cell)].join(''),
    );
    for (const one of lines)
      print(
        [
          one.name.padEnd(14),
          cell(Math.round(one.perSecond).toLocaleString('en')),
          cell(`${(100 * one.ofFile).toFixed(0)} %`),
          cell(one.p99Ms.toFixed(1)),
          cell((1_000 * one.gatewayCpuMs).toFixed(0)),
          cell((1_000 * one.databaseCpuMs).toFixed(0)),
        ].join(''),
      );
    print('\nus: processor time of one turn, of all gateways and of the database server\n');
    for (const { name, perSecond, ofFile, cpuMs, databaseCpuMs } of openings)
      print(
        `${name.padEnd(14)}${cell(Math.round(perSecond).toLocaleString('en'))} openings/s${cell(`${(100 * ofFile).toFixed(0)} %`)}` +
          `${cell((1_000 * cpuMs).toFixed(0))} us${cell((1_000 * databaseCpuMs).toFixed(0))} us of the database`,
      );
  }
} finally {
  await Promise.all(started.map((server) => server.stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
