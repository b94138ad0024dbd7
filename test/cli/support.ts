import { PassThrough } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { onTestFinished } from 'vitest';
import { registerService } from '../../src/cli/service/register.ts';
import type { Environment } from '../../src/config/secrets.ts';
import { listen } from '../../src/server.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { UserError } from '../../src/shared/errors.ts';
import { adminToken, type BenchOptions, openBench } from '../service/support.ts';

export type Ran = { out: string; err: string; code: number };

/** Runs `dialtill service …` as the program does: a fault that a person can act on exits with 1, wrong usage with 2. */
export async function run(
  args: readonly string[],
  { env = {}, tty = false, ended = new Promise<string>(() => {}), ...at }: RunOptions = {},
): Promise<Ran> {
  const ran: Ran = { out: '', err: '', code: 0 };
  const stdout = Object.assign(new PassThrough(), { isTTY: tty });
  stdout.on('data', (chunk) => {
    ran.out += chunk;
    at.seen?.(ran.out);
  });
  const program = new Command('dialtill').exitOverride((fault) => {
    throw fault;
  });
  program.configureOutput({
    writeErr: (text) => {
      ran.err += text;
    },
    writeOut: (text) => {
      ran.out += text;
    },
  });
  registerService(program, {
    env,
    clock: systemClock(),
    fetch: at.fetch ?? fetch,
    stdout,
    ended: () => ended,
  });
  try {
    await program.parseAsync(['service', ...args], { from: 'user' });
  } catch (fault) {
    if (fault instanceof UserError) {
      ran.err += `${fault.message}\n`;
      ran.code = 1;
    } else if (fault instanceof CommanderError) {
      ran.code = fault.exitCode === 0 ? 0 : 2;
    } else {
      throw fault;
    }
  }
  return ran;
}

type RunOptions = {
  env?: Environment;
  tty?: boolean;
  fetch?: typeof fetch;
  ended?: Promise<string>;
  /** Told all that was printed so far. */
  seen?(out: string): void;
};

/** A service on a port, and commands that talk to it. */
export async function openDesk(options: BenchOptions = {}) {
  const bench = openBench(options);
  const { url, close } = await listen(bench.service.app, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  const env = { DIALTILL_SERVICE_URL: url, DIALTILL_ADMIN_TOKEN: adminToken };
  return {
    bench,
    url,
    env,
    service: (...args: string[]) => run(args, { env }),
    /** The answer that the command prints with `--json`. */
    async json(...args: string[]) {
      const { out, err } = await run([...args, '--json'], { env });
      if (err) throw new Error(err);
      return JSON.parse(out);
    },
  };
}
