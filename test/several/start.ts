import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type Cli, launch, type Program } from '../kit/launch.ts';
import { startProxy } from '../kit/proxy.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { freePort, replacePorts } from '../process/free-port.ts';

export type SeveralOptions = {
  /** How to run the command line. */
  cli: Cli;
  /** A new or empty folder for the settings. */
  folder: string;
  /** The port of the one address. */
  port: number;
  /** The port of the sandbox of each cell. A cell has a merchant, a database and gateways of its own. */
  servicePorts: readonly number[];
  /** Gateways of each cell. */
  gateways: number;
};

/** One database with its gateways and the merchants that it serves. */
type Cell = {
  /** Its settings, with the port of the one address. */
  folder: string;
  /** What payers of its merchant dial. */
  code: string;
  /** The process of each gateway; undefined while it is not running. */
  pids: readonly (number | undefined)[];
};

/** `targets`: the addresses of its gateways. */
type RunningCell = Cell & { merchant: string; targets: readonly string[] };

/** Time after which a gateway that does not answer counts as lost, in milliseconds. */
const lostAfterMs = 3_000;

/** A killed gateway is started again after this time, in milliseconds. */
const restartMs = 10_000;

/**
 * Starts an embedded PostgreSQL, and one address for several cells of gateways: the path of a request names the channel or the
 * merchant, and so the cell.
 *
 * @throws Error when the folder contains a project, or a program does not start.
 */
export async function startSeveral(options: SeveralOptions) {
  const { folder, port, servicePorts, cli } = options;
  const folders = servicePorts.map((_, at) =>
    servicePorts.length === 1 ? folder : join(folder, `cell-${at + 1}`),
  );
  const taken = folders.find((one) => existsSync(join(one, 'dialtill.yaml')));
  if (taken) throw new Error(`${taken} contains a project already. Choose another folder, or delete it.`);
  const server = await startEmbeddedPostgres();
  const running = new Set<Program>();
  let isStopped = false;

  async function start(cwd: string, args: readonly string[], isUp: RegExp): Promise<Program> {
    const program = launch([...cli, ...args], { cwd });
    running.add(program);
    void program.ended.then(() => running.delete(program));
    await program.waitForOutput(isUp);
    return program;
  }

  async function startGateway(cwd: string, place: number, pids: (number | undefined)[]): Promise<void> {
    const args = ['start', '--config', `gateway-${place + 1}.yaml`];
    const gateway = await start(cwd, args, /the gateway is running/);
    pids[place] = gateway.pid;
    void gateway.ended.then(async () => {
      pids[place] = undefined;
      await setTimeout(restartMs, undefined, { ref: false });
      if (!isStopped) await startGateway(cwd, place, pids).catch(() => {});
    });
  }

  async function startCell(cwd: string, at: number): Promise<RunningCell> {
    const merchant = `shop-${at + 1}`;
    const code = `*713*${at + 5}#`;
    const servicePort = servicePorts[at] ?? 0;
    const database = await createDatabase(server.url, `cell_${at + 1}`);
    const names = { folder: cwd, name: `Shop ${at + 1}`, code };
    const ports = await writeProject({ ...options, ...names, servicePort, database });
    await start(cwd, ['service', 'start', '--port', `${servicePort}`], /Stop with ctrl-c/);
    const pids: (number | undefined)[] = [];
    for (const place of ports.keys()) await startGateway(cwd, place, pids);
    return { folder: cwd, code, pids, merchant, targets: ports.map((one) => `http://127.0.0.1:${one}`) };
  }

  async function stopAll(): Promise<void> {
    isStopped = true;
    await Promise.all([...running].map((program) => program.end('SIGTERM')));
    await server.stop();
  }

  try {
    const started: RunningCell[] = [];
    for (const [at, cwd] of folders.entries()) started.push(await startCell(cwd, at));
    const targetsOf = (path: string) => {
      const named = /^\/(?:ussd|webhooks)\/(shop-\d+)/.exec(path)?.[1];
      return (started.find(({ merchant }) => merchant === named) ?? started[0])?.targets ?? [];
    };
    const proxy = await startProxy({ port, targetsOf, withinMs: lostAfterMs });
    return {
      cells: started as readonly Cell[],
      async stop(): Promise<void> {
        proxy.close();
        await stopAll();
      },
    };
  } catch (fault) {
    await stopAll();
    throw fault;
  }
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return `${url}/${name}`;
}

type Project = Pick<SeveralOptions, 'cli' | 'folder' | 'port' | 'gateways'> & {
  servicePort: number;
  /** The merchant's name, and what its payers dial. */
  name: string;
  code: string;
  /** The URL of its database. */
  database: string;
};

/** Writes the settings of the one address, and of each gateway of a cell. Returns the ports of the gateways. */
async function writeProject(project: Project): Promise<number[]> {
  const { cli, folder, port, servicePort, gateways, name, code, database } = project;
  const [program, ...before] = cli;
  mkdirSync(folder, { recursive: true });
  execFileSync(program, [...before, 'init', '--yes', '--name', name, '--code', code], {
    cwd: folder,
    stdio: 'pipe',
  });
  const file = join(folder, 'dialtill.yaml');
  const settings = readFileSync(file, 'utf8').replace(/^ {2}file: .*$/m, `  url: ${database}`);
  const withPort = (one: number) => replacePorts(settings, one, servicePort);
  writeFileSync(file, withPort(port));
  const ports: number[] = [];
  for (let place = 1; place <= gateways; place++) {
    const own = await freePort();
    ports.push(own);
    writeFileSync(join(folder, `gateway-${place}.yaml`), withPort(own));
  }
  return ports;
}
