import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGateway } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import type { Environment } from '../../src/gateway/config/secrets.ts';
import { testClock } from '../kit/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { signInStaff, staffActions, staffTokens, withStaff } from '../kit/staff.ts';
import { runLedger } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';

const ama = { DIALTILL_STAFF: `ama:${staffTokens.ama}` };
const url = 'http://127.0.0.1:8080';

/** Runs `dialtill ledger …` against the gateway of a till; without one, the connection is refused. */
function ledger(till: Till | undefined, env: Environment, ...args: string[]) {
  const gatewayFetch: typeof fetch = async (input, init) => {
    if (!till) throw new Error('connect ECONNREFUSED 127.0.0.1:8080');
    return till.gateway().app.request(String(input).slice(url.length), init);
  };
  return runLedger(till?.config.database.file ?? '', [...args, '--url', url], {
    staffClient: async (options) => {
      const clock = till?.clock ?? testClock();
      return createStaffClient({ fetch: gatewayFetch, clock }, findGateway(options, env));
    },
  });
}

test('note and check-now act as the person of DIALTILL_STAFF', async () => {
  const till = await createTill({ configure: withStaff });
  await signInStaff(till, 'ama');
  const { id } = await till.prompted();
  await till.clock.advance(100_000);
  const note = await ledger(till, ama, 'note', id, 'the payer called');
  expect(note).toMatchObject({ code: 0, out: `noted on ${id} by ama\n` });
  const checked = await ledger(till, ama, 'check-now', id, '--json');
  expect(JSON.parse(checked.out)).toMatchObject({ collectionId: id, status: 'initiated' });
  expect((await staffActions(till)).map(({ actor, action }) => `${actor} ${action}`)).toEqual([
    'ama note',
    'ama check',
  ]);
});

test.each([
  ['without a person', {}, 'needs to know who you are. Sign in with "dialtill staff sign-in"'],
  ['with a malformed person', { DIALTILL_STAFF: 'ama' }, 'DIALTILL_STAFF: expected name:token'],
  [
    'with a wrong secret',
    { DIALTILL_STAFF: 'ama:wrong' },
    'rejects the name "ama" with the token of DIALTILL_STAFF',
  ],
  ['with an unknown id', ama, 'no collection col_1: find its id with "dialtill ledger find"'],
])('a command %s fails, and says what to do', async (_, env, message) => {
  const till = await createTill({ configure: withStaff });
  await signInStaff(till, 'ama');
  const ran = await ledger(till, env, 'note', 'col_1', 'hello');
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining(message)]);
});

test('a command fails without a gateway, and at a gateway without accounts, and says what to do', async () => {
  const stopped = await ledger(undefined, ama, 'check-now', 'col_1');
  expect([stopped.code, stopped.err]).toEqual([
    1,
    expect.stringContaining(`no gateway at ${url} (from --url)`),
  ]);
  const till = await createTill();
  const unstaffed = await ledger(till, ama, 'check-now', 'col_1');
  expect([unstaffed.code, unstaffed.err]).toEqual([
    1,
    expect.stringContaining('has no accounts: add the console'),
  ]);
});

test('the person can be in a file, and the gateway is the one of the configuration', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'staff'), `ama:${staffTokens.ama}\n`);
  writeFileSync(join(folder, 'dialtill.yaml'), 'listen: { host: 0.0.0.0, port: 9000 }\n');
  const config = join(folder, 'dialtill.yaml');
  expect(findGateway({ config }, { DIALTILL_STAFF_FILE: join(folder, 'staff') })).toEqual({
    ...{ url: 'http://127.0.0.1:9000', urlFrom: config },
    ...{ name: 'ama', secret: staffTokens.ama },
  });
});
