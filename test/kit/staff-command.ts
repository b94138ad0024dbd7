import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { type LedgerDeps, registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { registerStaff } from '../../src/cli/commands/staff/staff.ts';
import { registerUnplaced } from '../../src/cli/commands/unplaced.ts';
import {
  findGateway,
  findGatewayOrKey,
  forgetEnded,
  type StaffAccess,
} from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient, type StaffClient, type StaffFlags } from '../../src/cli/staff/staff-client.ts';
import type { Environment } from '../../src/gateway/config/secrets.ts';
import { type CommandOptions, type CommandResult, runCommand, type Streams } from './command.ts';
import type { TestLedger } from './file-ledger.ts';
import { type StaffName, signInStaff, staffTokens } from './staff.ts';
import type { Till } from './till.ts';

/** The address of the gateway of a till, for commands. */
export const gatewayUrl = 'http://127.0.0.1:8080';

/** Sends the requests of a command to the gateway of a till. */
export function fetchOf(till: Till): typeof fetch {
  return async (input, init) => till.gateway().app.request(String(input).slice(gatewayUrl.length), init);
}

type StaffRun = {
  env?: Environment;
  /** The lines of the input, as without a terminal. */
  input?: readonly string[];
  /** Replaces the person that the command finds. */
  access?: StaffAccess;
};

/** Runs `dialtill staff …` at the gateway of a till. */
export function runStaff(
  till: Till,
  args: readonly string[],
  { env = {}, input = [], access }: StaffRun = {},
): Promise<CommandResult> {
  const stdin = new PassThrough();
  stdin.end(input.map((line) => `${line}\n`).join(''));
  const { clock } = till;
  const http = { fetch: fetchOf(till), clock };
  return runCommand(['staff', ...args], (program, streams) =>
    registerStaff(program, {
      ...streams,
      ...{ stdin, env, ...http },
      staffClient: async (options) => {
        const forget = forgetEnded({ env, stderr: streams.stderr });
        return createStaffClient({ ...http, forget }, access ?? findGatewayOrKey(options, env));
      },
    }),
  );
}

/** Runs `dialtill unplaced …` on a file. Without a till, no gateway runs. */
export function readUnplaced(
  file: string,
  args: readonly string[],
  options?: CommandOptions,
): Promise<CommandResult> {
  return runCommand(
    ['unplaced', ...args],
    (program, { stdout }) =>
      registerUnplaced(program, {
        ...{ stdout },
        now: () => Date.parse('2026-03-06T09:10:00Z'),
        database: () => ({ file: file }),
        staffClient: () => Promise.reject(new Error('no gateway runs')),
      }),
    options,
  );
}

/** What a command of support staff uses at a till. */
type StaffDeps = Streams & {
  now(): number;
  database(): TestLedger['location'];
  staffClient(options: StaffFlags): Promise<StaffClient>;
};

/** Runs a command as a person of support staff, with the gateway of a till. */
export async function runAs(
  till: Till,
  name: StaffName,
  args: readonly string[],
  register: (program: Command, deps: StaffDeps) => void,
  options?: CommandOptions,
): Promise<CommandResult> {
  await signInStaff(till, name);
  const http = { fetch: fetchOf(till), clock: till.clock };
  const env = { DIALTILL_STAFF: `${name}:${staffTokens[name]}` };
  return runCommand(
    args,
    (program, streams) =>
      register(program, {
        ...{ ...streams, now: till.clock.now, database: () => till.ledger.location },
        staffClient: async (flags) =>
          createStaffClient(http, findGateway({ url: gatewayUrl, ...flags }, env)),
      }),
    options,
  );
}

/** Runs `dialtill unplaced …` as a person of support staff, with the gateway of a till. */
export const runUnplaced = (till: Till, name: StaffName, args: readonly string[]) =>
  runAs(till, name, ['unplaced', ...args], registerUnplaced);

/** Runs `dialtill ledger …` on a database file, which another program may be writing. `deps` replaces what it is given. */
export function runLedger(
  file: string,
  args: readonly string[],
  deps: Partial<LedgerDeps> = {},
  options?: CommandOptions,
): Promise<CommandResult> {
  return runCommand(
    ['ledger', ...args],
    (program, { stdout, exit }) =>
      registerLedger(program, { stdout, exit, database: () => ({ file }), ...deps }),
    options,
  );
}

/** Runs `dialtill ledger …` on a database file. */
export const ledger = (file: string, ...args: string[]) => runLedger(file, args);

/** Runs `dialtill ledger …` and returns what it printed. @throws Error when it fails. */
export async function printed(file: string, ...args: string[]): Promise<string> {
  const { out, err, code } = await ledger(file, ...args);
  if (err !== '' || code !== 0) throw new Error(`exit code ${code}: ${err}`);
  return out;
}
