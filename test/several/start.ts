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
  /** The port of the one address, and that of the sandbox. */
  port: number;
  servicePort: number;
  gateways: number;
};

/** Time after which a gateway that does not answer counts as lost, in milliseconds. */
const lostAfterMs = 3_000;

/** A killed gateway is started again after this time, in milliseconds. */
const restartMs = 10_000;

/**
 * Starts an embedded PostgreSQL, a sandbox, several gateways on the one database, and one address for them.
 *
 * @throws Error when the folder contains a project, or a program does not start.
 */
export async function startSeveral(options: SeveralOptions) {
  const { folder, port, servicePort, cli } = options;
  if (existsSync(join(folder, 'dialtill.yaml')))
    throw new Error(`${folder} contains a project already. Choose another folder, or delete it.`);
  mkdirSync(folder, { recursive: true });
  const server = await startEmbeddedPostgres();
  const running = new Set<Program>();
  let isStopped = false;

  async function start(args: readonly string[], isUp: RegExp): Promise<Program> {
    const program = launch([...cli, ...args], { cwd: folder });
    running.add(program);
    void program.ended.then(() => running.delete(program));
    await program.waitForOutput(isUp);
    return program;
  }

  async function startGateway(place: number, pids: (number | undefined)[]): Promise<void> {
    const gateway = await start(['start', '--config', `gateway-${place + 1}.yaml`], /the gateway is running/);
    pids[place] = gateway.pid;
    void gateway.ended.then(async () => {
      pids[place] = undefined;
      await setTimeout(restartMs, undefined, { ref: false });
      if (!isStopped) await startGateway(place, pids).catch(() => {});
    });
  }

  async function stopAll(): Promise<void> {
    isStopped = true;
    await Promise.all([...running].map((program) => program.end('SIGTERM')));
    await server.stop();
  }

  try {
    const ports = await writeProject(options, await createDatabase(server.url));
    await start(['service', 'start', '--port', `${servicePort}`], /Stop with ctrl-c/);
    const pids: (number | undefined)[] = [];
    for (const place of ports.keys()) await startGateway(place, pids);
    const targets = ports.map((one) => `http://127.0.0.1:${one}`);
    const proxy = await startProxy({ port, targets, withinMs: lostAfterMs });
    return {
      /** The process of each gateway; undefined while it is not running. */
      pids,
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

async function createDatabase(url: string): Promise<string> {
  const client = new pg.Client(`${url}/postgres`);
  await client.connect();
  await client.query('CREATE DATABASE dialtill');
  await client.end();
  return `${url}/dialtill`;
}

/** Writes the settings of the one address, and of each gateway. Returns the ports of the gateways. */
async function writeProject(options: SeveralOptions, database: string): Promise<number[]> {
  const { cli, folder, port, servicePort, gateways } = options;
  const [program, ...before] = cli;
  execFileSync(program, [...before, 'init', '--yes'], { cwd: folder, stdio: 'pipe' });
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
