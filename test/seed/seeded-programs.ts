import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerBlock } from '../../src/cli/commands/block.ts';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { registerReview } from '../../src/cli/commands/review.ts';
import { registerSessions } from '../../src/cli/commands/sessions.ts';
import { registerStaff } from '../../src/cli/commands/staff/staff.ts';
import { registerStatement } from '../../src/cli/commands/statement.ts';
import { registerUnplaced } from '../../src/cli/commands/unplaced.ts';
import { registerService } from '../../src/cli/service/register.ts';
import { findGateway, findUrl } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient, type StaffClient } from '../../src/cli/staff/staff-client.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { createGateway } from '../../src/gateway/create.ts';
import type { GatewayOverrides } from '../../src/gateway/wiring/context.ts';
import { createReader } from '../../src/gateway/wiring/reads.ts';
import { createService } from '../../src/service/create.ts';
import type { EpochMs } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { settle, stillClock } from '../../src/testing/clock.ts';
import { type CommandResult, runCommand } from '../kit/command.ts';
import { signInLines } from './code.ts';
import type { SeedFiles } from './files.ts';
import { seededIds } from './ids.ts';
import type { StaffName } from './shops.ts';

export type SeededPrograms = {
  /** Runs `dialtill <args>` on the ledger, as the person who has signed in. */
  run(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Signs a person in on the command line. A code is accepted once: the clock is advanced to the next one. */
  signIn(name: StaffName): Promise<CommandResult>;
  /** Sends a request to the gateway, whatever the host. */
  fetch: typeof fetch;
  /** Answers a request to the gateway. */
  answer(request: Request): Response | Promise<Response>;
  /** Calls the gateway with the key of its configuration. */
  asConfiguration(): StaffClient;
  advance(ms: number): Promise<void>;
  stop(): Promise<void>;
};

/** What a seeded gateway has beside the configuration of its files. */
export type SeededOptions = {
  settings?: Partial<Pick<Config, 'console'>>;
  overrides?: Partial<GatewayOverrides>;
};

/** Starts a gateway and the service on the files of a seeded ledger, in this process and at the end of its week. */
export async function startSeeded(
  files: SeedFiles,
  endsAt: EpochMs,
  { settings, overrides }: SeededOptions = {},
): Promise<SeededPrograms> {
  const clock = stillClock(endsAt);
  const ids = seededIds(clock);
  const log = createLog({ level: 'silent', pretty: false });
  const service = createService(
    { databaseFile: join(files.folder, 'sandbox.db'), adminToken: files.secrets.admin },
    { clock, ids, log },
  );
  const config = { ...loadConfig(files.configFile, {}, aggregators), ...settings };
  const gateway = createGateway(config, {
    ...{ clock, ids, log, createReader, ...overrides },
    fetch: async (url, { signal: _signal, ...init }) => service.app.request(url, init),
  });
  await gateway.start();
  await settle();

  const gatewayFetch: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    return gateway.app.request(pathname + search, init);
  };
  // The home of the user of the machine has the sign-ins.
  const env = {
    ...{ HOME: files.folder, DIALTILL_CONFIG: files.configFile },
    ...{ DIALTILL_SERVICE_URL: config.service.url, DIALTILL_ADMIN_TOKEN: files.secrets.admin },
  };
  const serviceFetch: typeof fetch = async (input, init) => service.app.request(String(input), init);
  const http = { fetch: gatewayFetch, clock };
  const run: SeededPrograms['run'] = (args, input = '') =>
    runCommand(args, (program, streams) => {
      const stdin = new PassThrough();
      stdin.end(input);
      const deps = {
        ...{ ...streams, ...http, stdin, env, now: clock.now },
        ended: () => new Promise<string>(() => {}),
        database: () => ({ file: join(files.folder, 'gateway.db') }),
        staffClient: async () => createStaffClient(http, findGateway({}, env)),
        signedIn: async () => createStaffClient(http, findGateway({}, env)),
      };
      registerLedger(program, deps);
      registerReview(program, deps);
      registerSessions(program, deps);
      registerBlock(program, deps);
      registerUnplaced(program, deps);
      registerStaff(program, deps);
      registerStatement(program, deps);
      registerService(program, { ...deps, fetch: serviceFetch });
    });
  const usedCodes = new Set<string>();
  return {
    ...{ fetch: gatewayFetch, run },
    answer: (request) => gateway.app.fetch(request),
    asConfiguration: () =>
      createStaffClient(http, {
        ...findUrl({}, env),
        ...{ configurationKey: files.secrets.console, configFile: files.configFile },
      }),
    async signIn(name) {
      const linesNow = () => signInLines(files.secrets.staff[name], clock.now());
      while (usedCodes.has(linesNow())) await clock.advance(30_000);
      usedCodes.add(linesNow());
      return run(['staff', 'sign-in', name], linesNow());
    },
    advance: clock.advance,
    async stop() {
      await Promise.all([gateway.stop(), clock.advance(60_000)]);
      await service.stop();
    },
  };
}
