import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How to run the command line: the program and the arguments before its own. */
export type Cli = readonly [program: string, ...args: string[]];

type Result = { code: number | null; stdout: string; stderr: string };

const startLimitMs = 15_000;
const stopLimitMs = 10_000;

/** Runs one command of the CLI to its end. */
export async function run(cli: Cli, args: readonly string[], folder: string): Promise<Result> {
  const child = launch(cli, args, folder);
  const output = collect(child);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

function launch([program, ...before]: Cli, args: readonly string[], folder: string): ChildProcess {
  const env = { ...process.env, DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0', DIALTILL_DATA: './data' };
  return spawn(program, [...before, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Starts the demo on free ports and waits until it says that it is up. */
async function startDemo(
  cli: Cli,
  folder: string,
): Promise<{ startedMs: number; stop(): Promise<number | null> }> {
  const before = performance.now();
  const child = launch(cli, ['start', '--demo'], folder);
  const output = collect(child);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const up = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the demo did not start in time')), startLimitMs);
    const check = () => {
      if (!output.stdout.includes('demo is up')) return;
      clearTimeout(late);
      resolve();
    };
    child.stdout?.on('data', check);
    void closed.then(([code]) => reject(new Error(`the demo ended with ${code}: ${output.stderr}`)));
  });
  try {
    await up;
  } catch (fault) {
    child.kill('SIGKILL');
    throw fault;
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

/** What the smoke run dials: one line for each channel of the demo. */
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
 * Does what a newcomer does, with the program as it will be run: starts the demo in an empty folder, dials once
 * through each aggregator, approves, and reads the ledger. Says each step through `say`.
 *
 * @throws Error when a command fails.
 */
export async function smoke(cli: Cli, folder: string, say: (text: string) => void): Promise<SmokeReport> {
  const demo = await startDemo(cli, folder);
  say(`the demo in ${join(folder, 'data')} was up after ${Math.round(demo.startedMs)} ms\n`);
  const need = (result: Result, what: string): Result => {
    if (result.code !== 0)
      throw new Error(`${what} exited with ${result.code}:\n${result.stdout}${result.stderr}`);
    return result;
  };
  try {
    const statuses: string[] = [];
    for (const { code, msisdn } of dials) {
      const dial = ['dial', code, '--msisdn', msisdn, '--input', '1,20,1', '--approve'];
      say(need(await run(cli, dial, folder), `dialling ${code}`).stdout);
      statuses.push(await settled(cli, msisdn, folder));
      say(need(await run(cli, ['ledger', 'find', msisdn], folder), 'ledger find').stdout);
    }
    const verify = await run(cli, ['ledger', 'verify'], folder);
    say(verify.stdout);
    const exitCode = await demo.stop();
    return { startedMs: demo.startedMs, statuses, ledgerOk: verify.code === 0, exitCode };
  } catch (fault) {
    await demo.stop();
    throw fault;
  }
}

/** Asks until the collection is closed, at most twenty times. */
async function settled(cli: Cli, msisdn: string, folder: string): Promise<string> {
  let status = 'missing';
  for (let tries = 0; tries < 20; tries++) {
    const { stdout } = await run(cli, ['ledger', 'find', msisdn, '--json'], folder);
    status = (JSON.parse(stdout) as { status: string }[])[0]?.status ?? 'missing';
    if (!['missing', 'accepted', 'created', 'initiating', 'initiated'].includes(status)) break;
  }
  return status;
}
