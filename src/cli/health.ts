import type { Command } from 'commander';
import { messageOf } from '../shared/errors.ts';
import type { Output } from './terminal.ts';

export type HealthDeps = {
  fetch: typeof fetch;
  stdout: Output;
  stderr: Output;
  gatewayUrl(config?: string): string;
  exit(code: number): void;
};

const longestWaitMs = 3_000;

/** `dialtill health`: for container health checks and scripts. Exits with 0 when the gateway is ready. */
export function registerHealth(program: Command, deps: HealthDeps): void {
  program
    .command('health')
    .description('ask a running gateway whether it is ready; exits with 1 when it is not')
    .option('--config <file>', "the gateway's configuration file")
    .option('--url <url>', 'where the gateway listens (default: from the configuration)')
    .action(async (options: { config?: string; url?: string }) => {
      const url = options.url ?? deps.gatewayUrl(options.config);
      try {
        const answer = await deps.fetch(`${url}/readyz`, { signal: AbortSignal.timeout(longestWaitMs) });
        deps.stdout.write(`${await answer.text()}\n`);
        if (!answer.ok) deps.exit(1);
      } catch (fault) {
        deps.stderr.write(`no gateway at ${url}: ${messageOf(fault)}\n`);
        deps.exit(1);
      }
    });
}
