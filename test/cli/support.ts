import { PassThrough } from 'node:stream';
import type { ProgramContext } from '../../src/cli/context.ts';
import { registerService } from '../../src/cli/service/register.ts';
import { protectOutput } from '../../src/cli/terminal/output.ts';
import type { Environment } from '../../src/gateway/config/secrets.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { type CommandResult, runCommand } from '../kit/command.ts';
import { serve } from '../kit/local-server.ts';
import { adminToken, type BenchOptions, openBench } from '../service/support.ts';

/** Runs `dialtill service …` as the program does. */
export function run(
  args: readonly string[],
  { env = {}, tty = false, ended = new Promise<string>(() => {}), ...at }: RunOptions = {},
): Promise<CommandResult> {
  return runCommand(
    ['service', ...args],
    (program, { stdout }) =>
      registerService(program, {
        env,
        clock: systemClock(),
        fetch: at.fetch ?? fetch,
        stdout,
        ended: () => ended,
        // The folders of tests may be in memory.
        fileSystemType: () => 0xef53,
      }),
    { tty, noColor: Boolean(env.NO_COLOR), onOutput: at.onOutput },
  );
}

type RunOptions = {
  env?: Environment;
  tty?: boolean;
  fetch?: typeof fetch;
  ended?: Promise<string>;
  /** Called with the whole output so far. */
  onOutput?(out: string): void;
};

/** Creates a service on a port, and commands that call it. */
export async function createTestProgram(options: BenchOptions = {}) {
  const bench = openBench(options);
  const { url } = await serve(bench.service.served);
  const env = { DIALTILL_SERVICE_URL: url, DIALTILL_ADMIN_TOKEN: adminToken };
  return {
    bench,
    url,
    env,
    service: (...args: string[]) => run(args, { env }),
    /** Runs a command with `--json` and returns the parsed output. */
    async json(...args: string[]) {
      const { out, err } = await run([...args, '--json'], { env });
      if (err) throw new Error(err);
      return JSON.parse(out);
    },
  };
}

/** What a command may use that only registers itself, or reads a file. */
export const programContext: ProgramContext = {
  env: {},
  readEnv: () => ({}),
  hiddenVariables: () => new Map(),
  stdin: new PassThrough(),
  stdout: protectOutput(new PassThrough()),
  stderr: protectOutput(new PassThrough()),
  ended: () => new Promise(() => {}),
  onHangup: () => {},
  exit: () => {},
};
