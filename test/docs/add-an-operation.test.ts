import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Actor } from '../../src/gateway/access/permissions.ts';
import type { Operation, StaffDeps } from '../../src/gateway/staff/operation.ts';
import { findCollectionRow } from '../../src/gateway/support/collection-query.ts';
import { createConsoleTill } from '../kit/console.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createMerchantKey } from '../kit/merchant-api.ts';

/** Loads the operation that CONTRIBUTING.md shows, as a file of its folder. */
async function loadExample(): Promise<Operation> {
  const section = readFileSync('CONTRIBUTING.md', 'utf8').split('## Add an operation')[1] ?? '';
  const [, block = ''] = /```ts\n([\s\S]+?)```/.exec(section) ?? [];
  const folder = resolve('src/gateway/staff/operations');
  const code = block.replaceAll(/from '(\.[^']+)'/g, (_, path) => `from '${resolve(folder, path)}'`);
  const file = join(temporaryFolder(), 'record-call.ts');
  writeFileSync(file, code.replace("from 'zod'", `from '${resolve('node_modules/zod/index.js')}'`));
  return (await import(file)).recordCall;
}

test('the operation of the guide checks its caller, its input and its subject, and records who acted', async () => {
  const recordCall = await loadExample();
  const till = await createConsoleTill();
  await till.pay('0244123456', ['1', '20', '1'], 'africastalking');
  const { id, merchantId } = await till.untilStatus('0244123456', 'initiated');
  const deps = {
    ...{ clock: till.clock, livemode: 0 },
    collections: {
      find: (id: string) => till.read((store) => findCollectionRow(store, id)),
      apply: (batch: Parameters<typeof till.write>[0]) => till.write(batch),
    },
  } as unknown as StaffDeps;
  const call = (actor: Actor, input: object, subject = id) => recordCall(deps, { actor, id: subject, input });
  const scopes = ['payments:write'] as const;
  const { key } = await createMerchantKey(till, { merchantId, scopes });
  const own: Actor = { kind: 'key', name: key.id, merchantId, scopes };
  expect(await call({ ...own, scopes: ['payments:read'] }, { minutes: 3 })).toMatchObject({
    code: 'forbidden',
  });
  expect(await call(own, { minutes: 0 })).toMatchObject({ code: 'invalid_request' });
  expect(await call(own, { minutes: 3 }, 'col_unknown')).toMatchObject({ code: 'not_found' });
  expect(await call({ ...own, merchantId: 'other-shop' }, { minutes: 3 })).toMatchObject({
    code: 'not_found',
  });
  expect(await call(own, { minutes: 3 })).toMatchObject({ ok: true });
  const { actions } = await till.record(id);
  expect(actions.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
    [key.id, 'call', '{"minutes":3}'],
  ]);
});
