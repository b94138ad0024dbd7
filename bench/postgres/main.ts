import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import { createRandom } from '../../test/kit/random.ts';
import { startEmbeddedPostgres } from '../../test/kit/start-postgres.ts';
import { median } from '../kit/median.ts';
import { parseOptions } from '../kit/options.ts';
import { expectScreens, newDialogue, turnsOfDialogue } from '../ussd/dialogue.ts';
import { exchange } from '../ussd/exchange.ts';
import { type Server, startServer } from '../ussd/start-server.ts';
import { compareCollections } from './collections.ts';
import type { Spent } from './compare.ts';
import { compareOpenings } from './openings.ts';
import { cpuMsOfServer, findServer } from './server-cpu.ts';

/**
 * Measures turns over HTTP with the ledger in a file, and on a PostgreSQL with one, two and three gateways, one after another
 * in each round. Each dialogue stays on one gateway. With two gateways, dialogues whose every turn goes to a random gateway, or to
 * the other one, have a line each. The gateways, the database and the client share the machine, and the files of the database
 * are in memory. Then opens collections on both engines without HTTP, 16 in flight, claims them, and completes others.
 *
 * `npm run bench:postgres -- --dialogues 500 --collections 500 --connections 16 --rounds 3 --seed 1 --json`
 */
const values = parseOptions('npm run bench:postgres --', {
  dialogues: { type: 'string', default: '500' },
  collections: { type: 'string', default: '500' },
  connections: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '3' },
  /** Of the gateways that get the turns of random dialogues. */
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
});
const dialogues = Math.min(20_000, Number(values.dialogues));
const collections = Math.min(5_000, Number(values.collections));
const connections = Math.min(256, Number(values.connections));
const rounds = Math.min(9, Number(values.rounds));
const maxMs = 20_000;
const secret = 'secret-of-the-benchmark';
const channel = 'africastalking';
const simulated = simulatedAggregators[channel];
if (!simulated) throw new Error(`no aggregator ${channel}`);
const lane = { name: channel, channel, simulated, read: simulated.read };

type Figures = { perSecond: number; p99Ms: number; gatewayCpuMs: number; databaseCpuMs: number };
/** Whether each turn of a dialogue goes to the same gateway, to a random one, or to the one after the last. */
type Route = 'sticky' | 'random' | 'alternating';
type Setting = { name: string; servers: readonly Server[]; database: number | undefined; route: Route };

const random = createRandom(values.seed);

/** Returns the place of the gateway of each turn. The random ones are drawn here, before the measurement. */
function routeTurns({ route, servers }: Setting, size: number): (dialogue: number, turn: number) => number {
  const { length } = servers;
  if (route === 'sticky') return (dialogue) => dialogue % length;
  if (route === 'alternating') return (dialogue, turn) => (dialogue + turn) % length;
  const drawn = Array.from({ length: size * turnsOfDialogue }, () => random.int(0, length - 1));
  return (dialogue, turn) => drawn[dialogue * turnsOfDialogue + turn] ?? 0;
}

async function measure(setting: Setting, size: number): Promise<Figures> {
  const { servers, database } = setting;
  const load = {
    path: `/ussd/${channel}/${secret}`,
    dialogues: Array.from({ length: size }, () => newDialogue(lane)),
    serverOf: routeTurns(setting, size),
    ...{ connections, maxMs },
  };
  const before = database === undefined ? 0 : cpuMsOfServer(database);
  const { turns, perSecond, p99Ms, cpuMs } = await exchange(servers, load, (one, answers) =>
    expectScreens(lane, one, answers),
  );
  const spent = database === undefined ? 0 : cpuMsOfServer(database) - before;
  return { perSecond, p99Ms, gatewayCpuMs: cpuMs, databaseCpuMs: spent / turns };
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client(`${server}/postgres`);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return `${server}/${name}`;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const title = (text: string) => text.padEnd(24);
const cell = (text: string) => text.padStart(13);
const percent = (ratio: number) => `${(100 * ratio).toFixed(0)} %`;

/** Returns what the server has spent so far. */
async function spent(): Promise<Spent> {
  const text = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes";
  const { rows } = await monitor.query(text);
  return { databaseCpuMs: cpuMsOfServer(database), logBytes: Number(rows[0]?.bytes) };
}

const folder = mkdtempSync(join(tmpdir(), 'dialtill-bench-'));
const started: Server[] = [];
const postgres = await startEmbeddedPostgres();
const database = await findServer(`${postgres.url}/postgres`);
const monitor = new pg.Client(`${postgres.url}/postgres`);
await monitor.connect();
try {
  const start = async (database: string) => {
    const server = await startServer('gateway', [database, secret]);
    started.push(server);
    return server;
  };
  const file = await start(join(folder, 'gateway.db'));
  const settings: Setting[] = [{ name: 'file', servers: [file], database: undefined, route: 'sticky' }];
  for (const count of [1, 2, 3]) {
    const url = await createDatabase(postgres.url, `bench_${count}`);
    const servers: Server[] = [];
    for (let place = 0; place < count; place++) servers.push(await start(url));
    settings.push({ name: `postgres, ${count}`, servers, database, route: 'sticky' });
    if (count !== 2) continue;
    for (const route of ['random', 'alternating'] as const)
      settings.push({ name: `postgres, ${count} ${route}`, servers, database, route });
  }
  // Each gateway compiles its code before the rounds, with as many dialogues as every other one.
  for (const setting of settings)
    if (setting.route === 'sticky') await measure(setting, dialogues * setting.servers.length);
  const all = new Map<Setting, Figures[]>(settings.map((setting) => [setting, []]));
  for (let round = 0; round < rounds; round++)
    for (const [setting, figures] of all) figures.push(await measure(setting, dialogues));
  const { openings, claims } = await compareOpenings({
    file: join(folder, 'openings.db'),
    url: await createDatabase(postgres.url, 'openings'),
    ...{ rounds, spent },
  });
  const completed = await compareCollections({
    file: join(folder, 'collections.db'),
    url: await createDatabase(postgres.url, 'collections'),
    ...{ rounds, collections, connections, spent },
  });
  const [ofFile = [], ofOne = []] = all.values();
  const lines = [...all].map(([{ name, servers, route }, figures]) => {
    const of = (pick: (one: Figures, at: number) => number) => median(figures.map(pick));
    const ratioTo = (other: readonly Figures[]) =>
      of((one, at) => one.perSecond / (other[at]?.perSecond ?? Number.NaN));
    return {
      ...{ name, gateways: servers.length, route },
      perSecond: of((one) => one.perSecond),
      ofFile: ratioTo(ofFile),
      ofOne: ratioTo(ofOne),
      p99Ms: of((one) => one.p99Ms),
      gatewayCpuMs: of((one) => one.gatewayCpuMs),
      databaseCpuMs: of((one) => one.databaseCpuMs),
    };
  });
  const size = { dialogues, collections, connections, rounds, seed: values.seed };
  const machine = { cores: cpus().length, node: process.version };
  if (values.json) print(JSON.stringify({ machine, ...size, lines, openings, claims, completed }, null, 2));
  else {
    print(
      `${machine.cores} cores, node ${machine.node}, ${dialogues} dialogues of ${turnsOfDialogue} turns, ${connections} connections, medians of ${rounds} rounds, seed ${values.seed}\n`,
    );
    print(
      [
        title('ledger'),
        ...['turns/s', 'of file', 'of one', 'p99 ms', 'gateway us', 'database us'].map(cell),
      ].join(''),
    );
    for (const one of lines)
      print(
        [
          title(one.name),
          cell(Math.round(one.perSecond).toLocaleString('en')),
          cell(percent(one.ofFile)),
          cell(percent(one.ofOne)),
          cell(one.p99Ms.toFixed(1)),
          cell((1_000 * one.gatewayCpuMs).toFixed(0)),
          cell((1_000 * one.databaseCpuMs).toFixed(0)),
        ].join(''),
      );
    print(`
of one: turns/s beside those of one gateway on PostgreSQL, in the same rounds
us: processor time of one turn, of all gateways and of the database server
random, alternating: each turn of a dialogue goes to a random gateway, or to the other one; elsewhere, all go to the same one
`);
    for (const [what, figures] of [
      ['openings/s', openings],
      ['claims/s', claims],
      ['collections/s', completed],
    ] as const)
      for (const { name, perSecond, ofFile, cpuMs, databaseCpuMs, logBytes } of figures)
        print(
          `${title(name)}${cell(Math.round(perSecond).toLocaleString('en'))} ${what.padEnd(13)}${cell(percent(ofFile))}` +
            `${cell((1_000 * cpuMs).toFixed(0))} us${cell((1_000 * databaseCpuMs).toFixed(0))} us of the database` +
            `${cell(Math.round(logBytes).toLocaleString('en'))} bytes of its log`,
        );
  }
} finally {
  await Promise.all(started.map((server) => server.stop()));
  await monitor.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
