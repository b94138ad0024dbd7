import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How to run the command line: the program, and the arguments before those of dialtill. */
export type Cli = readonly [program: string, ...args: string[]];

type Result = { code: number | null; stdout: string; stderr: string };

const startLimitMs = 15_000;
const stopLimitMs = 10_000;

/** Runs one command of the CLI until it exits. */
export async function run(cli: Cli, args: readonly string[], folder: string): Promise<Result> {
  const child = launch(cli, args, { folder });
  const output = collect(child);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

function launch(
  [program, ...before]: Cli,
  args: readonly string[],
  { folder, env }: { folder: string; env?: Record<string, string> },
): ChildProcess {
  return spawn(program, [...before, ...args], {
    cwd: folder,
    env: { ...process.env, DIALTILL_DATA: './data', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  return output;
}

/** Starts the demo on free ports and waits until it reports that it is up. */
async function startDemo(
  cli: Cli,
  folder: string,
): Promise<{ startedMs: number; stop(): Promise<number | null> }> {
  const before = performance.now();
  const ports = { DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0' };
  const child = launch(cli, ['start', '--demo'], { folder, env: ports });
  const output = collect(child);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const up = new Promise<void>((resolve, reject) => {
    const timeout = setTimeout(
      () => reject(new Error(`the demo did not start within ${startLimitMs} ms`)),
      startLimitMs,
    );
    const check = () => {
      if (!output.stdout.includes('demo is up')) return;
      clearTimeout(timeout);
      resolve();
    };
    child.stdout?.on('data', check);
    void closed.then(([code]) => reject(new Error(`the demo ended with ${code}: ${output.stderr}`)));
  });
  try {
    await up;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    startedMs: performance.now() - before,
    async stop() {
      const kill = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
      child.kill('SIGTERM');
      const [code] = await closed;
      clearTimeout(kill);
      return code;
    },
  };
}

/** The dials of the smoke run, one for each channel of the demo. */
const dials = [
  { channel: 'africastalking', code: '*713*5#', msisdn: '0244123456' },
  { channel: 'nalo', code: '*920*5#', msisdn: '0201234567' },
] as const;

export type SmokeReport = {
  startedMs: number;
  statuses: string[];
  ledgerOk: boolean;
  exitCode: number | null;
};

/**
 * Runs the first steps of a new user with the program as it ships: starts the demo in an empty folder, dials once through
 * each aggregator, approves, and reads the ledger. Reports each step through `report`.
 *
 * @throws Error when a command fails.
 */
export async function smoke(cli: Cli, folder: string, report: (text: string) => void): Promise<SmokeReport> {
  const demo = await startDemo(cli, folder);
  report(`the demo in ${join(folder, 'data')} was up after ${Math.round(demo.startedMs)} ms\n`);
  const expectSuccess = (result: Result, name: string): Result => {
    if (result.code !== 0)
      throw new Error(`${name} exited with ${result.code}:\n${result.stdout}${result.stderr}`);
    return result;
  };
  try {
    const statuses: string[] = [];
    for (const { code, msisdn } of dials) {
      const dial = ['dial', code, '--msisdn', msisdn, '--input', '1,20,1', '--approve'];
      report(expectSuccess(await run(cli, dial, folder), `dial ${code}`).stdout);
      statuses.push(await finalStatus(cli, msisdn, folder));
      report(expectSuccess(await run(cli, ['ledger', 'find', msisdn], folder), 'ledger find').stdout);
    }
    const verify = await run(cli, ['ledger', 'verify'], folder);
    report(verify.stdout);
    const exitCode = await demo.stop();
    return { startedMs: demo.startedMs, statuses, ledgerOk: verify.code === 0, exitCode };
  } catch (error) {
    await demo.stop();
    throw error;
  }
}

/** Polls until the collection is final, at most twenty times, and returns its last status. */
async function finalStatus(cli: Cli, msisdn: string, folder: string): Promise<string> {
  let status = 'missing';
  for (let tries = 0; tries < 20; tries++) {
    const { stdout } = await run(cli, ['ledger', 'find', msisdn, '--json'], folder);
    status = (JSON.parse(stdout) as { data: { status: string }[] }).data[0]?.status ?? 'missing';
    if (!['missing', 'accepted', 'created', 'initiating', 'initiated'].includes(status)) break;
  }
  return status;
}
