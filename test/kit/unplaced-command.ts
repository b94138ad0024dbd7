import { registerUnplaced } from '../../src/cli/commands/unplaced/unplaced.ts';
import { findGateway } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { type CommandOptions, type CommandResult, runCommand } from './command.ts';
import { type StaffName, signInStaff, staffTokens } from './staff.ts';
import type { Till } from './till.ts';

const url = 'http://127.0.0.1:8080';

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
        ...{ stdout, noColor: options?.tty !== true },
        now: () => Date.parse('2026-03-06T09:10:00Z'),
        database: () => ({ file: file }),
        staffClient: () => Promise.reject(new Error('no gateway runs')),
      }),
    options,
  );
}

/** Runs `dialtill unplaced …` as a person of support staff, with the gateway of a till. */
export async function runUnplaced(
  till: Till,
  name: StaffName,
  args: readonly string[],
): Promise<CommandResult> {
  await signInStaff(till, name);
  const gatewayFetch: typeof fetch = async (input, init) =>
    till.gateway().app.request(String(input).slice(url.length), init);
  const env = { DIALTILL_STAFF: `${name}:${staffTokens[name]}` };
  return runCommand(['unplaced', ...args], (program, { stdout }) =>
    registerUnplaced(program, {
      ...{ stdout, noColor: true, now: till.clock.now },
      database: () => till.ledger.location,
      staffClient: async (options) =>
        createStaffClient({ fetch: gatewayFetch, clock: till.clock }, findGateway({ url, ...options }, env)),
    }),
  );
}
