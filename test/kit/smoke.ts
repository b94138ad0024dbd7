import { join } from 'node:path';
import { type Cli, launch, run } from './launch.ts';

type Result = Awaited<ReturnType<typeof run>>;

const startLimitMs = 15_000;
const stopLimitMs = 10_000;

/** Starts the demo on free ports and waits until it reports that it is up. */
async function startDemo(
  cli: Cli,
  folder: string,
): Promise<{ startedMs: number; stop(): Promise<number | null> }> {
  const before = performance.now();
  const env = { DIALTILL_DATA: './data', DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0' };
  const demo = launch([...cli, 'start', '--demo'], { cwd: folder, env });
  const late = setTimeout(() => demo.signal('SIGKILL'), startLimitMs);
  await demo.waitForOutput(/demo is up/).finally(() => clearTimeout(late));
  return {
    startedMs: performance.now() - before,
    async stop() {
      const kill = setTimeout(() => demo.signal('SIGKILL'), stopLimitMs);
      const { code } = await demo.end('SIGTERM');
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
