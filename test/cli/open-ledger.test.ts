import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerInit } from '../../src/cli/commands/init/init.ts';
import { findGatewayOrKey } from '../../src/cli/staff/find-gateway.ts';
import { askLedger } from '../../src/cli/staff/open-ledger.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { accountList, accountWithCode } from '../../src/contract/staff/account.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { createGateway } from '../../src/gateway/create.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';

const clock = systemClock();

/** Creates a project as `dialtill init` does, and the client of its accounts without a running gateway. */
async function createProject() {
  const folder = temporaryFolder();
  await runCommand(['init', folder, '--yes'], (program, streams) =>
    registerInit(program, {
      ...streams,
      stdin: new PassThrough(),
      clock,
      ids: systemIds(clock),
      freePort: async (first) => first,
    }),
  );
  const config = join(folder, 'dialtill.yaml');
  const env = { ...parseEnv(readFileSync(join(folder, '.env'), 'utf8')), HOME: folder };
  const fetch: typeof globalThis.fetch = (input, init = {}) =>
    askLedger(config, env, { path: new URL(String(input)).pathname, init });
  return { config, env, client: createStaffClient({ fetch, clock }, findGatewayOrKey({ config }, env)) };
}

test('the first account of a new project is added before its gateway has ever run', async () => {
  const { client } = await createProject();
  const added = await client.post('/accounts', accountWithCode, { name: 'ama', role: 'lead' });
  expect(added.account).toMatchObject({ name: 'ama', role: 'lead', state: 'invited' });
  expect((await client.get('/accounts', accountList)).data).toHaveLength(1);
});

test('a ledger that a gateway uses is not opened a second time', async () => {
  const { client, config, env } = await createProject();
  const log = createLog({ level: 'silent', pretty: false });
  const gateway = createGateway(loadConfig(config, env, aggregators), { log });
  try {
    const add = client.post('/accounts', accountWithCode, { name: 'ama', role: 'lead' });
    await expect(add).rejects.toThrow('no gateway at');
  } finally {
    await gateway.stop();
  }
});
