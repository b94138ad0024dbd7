import { PassThrough } from 'node:stream';
import { registerStaff } from '../../src/cli/commands/staff/staff.ts';
import { findGatewayOrKey, type StaffAccess } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import type { Environment } from '../../src/gateway/config/secrets.ts';
import { type CommandResult, runCommand } from './command.ts';
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
      ...{ stdin, env, noColor: true, ...http },
      staffClient: async (options) => createStaffClient(http, access ?? findGatewayOrKey(options, env)),
    }),
  );
}
