import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveGateway } from '../../src/gateway/serve.ts';
import { backupSource } from '../../src/gateway/upkeep/backup-source.ts';
import { createBackup } from '../../src/gateway/upkeep/create-backup.ts';
import { restoreCopy } from '../../src/gateway/upkeep/restore-copy.ts';
import { verifyCopy } from '../../src/gateway/upkeep/verify-copy.ts';
import { createLog } from '../../src/shared/log.ts';
import { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import { backUpTill, untilRecovered } from '../kit/backup-till.ts';
import { testClock } from '../kit/clock.ts';
import { corruptTable } from '../kit/corrupt-table.ts';
import { allNeedFile } from '../kit/engine.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createTill } from '../kit/till.ts';
import { withoutTriggers } from '../kit/without-triggers.ts';

allNeedFile('restore copies of a file; test/postgres/{backup,failover} restore a server');

const payer = '0244123456';

test('S29: a damaged page: no payer is charged, the reason is reported, no copy of it verifies, and a good copy is restored', async () => {
  const till = await createTill();
  await till.prompted(payer);
  const { file: copy } = await backUpTill(till);
  const { file } = till.config.database;
  await till.restart(async () => {
    corruptTable(file, 'collection');
    const log = createLog({ level: 'silent', pretty: false });
    const config = { ...till.config, listen: { ...till.config.listen, port: 0 } };
    const starting = serveGateway(config, { log, clock: till.clock, onBroken: () => {} });
    await expect(starting).rejects.toThrow(
      /cannot be used: SQLITE_CORRUPT.*No payer is charged.*docs\/operations\/damaged-file.md/,
    );

    const now = till.clock.now();
    const to = join(till.folder, 'of-damaged');
    await expect(
      createBackup({ source: backupSource({ file }, till.clock), to: `${to}/`, now }),
    ).rejects.toThrow(/malformed/);
    await expect(restoreCopy(file, join(till.folder, 'other.db'), now)).rejects.toThrow(
      /failed its verification/,
    );
    expect(await verifyCopy(file)).toMatchObject({ ok: false });
    await restoreCopy(copy, file, now);
  });
  await till.approved();
  await untilRecovered(till);
  expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
});

test('S29: damage that a read detects ends the gateway: it is not ready, and logs the reason', async () => {
  const till = await createTill();
  await till.restart(async () =>
    corruptTable(till.config.database.file, 'sqlite_autoindex_dialler_setting_1'),
  );
  const phone = till.phone(payer);
  expect(await phone.dial()).toContain('went wrong');
  expect(phone.kind()).toBe('end');
  const { status } = await till.gateway().app.request('http://gateway.test/readyz');
  expect(status).toBe(503);
  expect(till.logged()).toMatch(
    /"fault":"SQLITE_CORRUPT[^"]*","see":"docs\/operations\/damaged-file.md","msg":"the database has failed/,
  );
});

test('S29: the audit detects a flipped bit in a sum that no page check detects', async () => {
  const till = await createTill();
  await till.paidPayment();
  await till.restart(async () => {
    const { file } = till.config.database;
    const database = new Database(file);
    withoutTriggers(database, () =>
      database.exec(`UPDATE posting SET amount_minor = amount_minor + 1 WHERE account = 'service_fees'`),
    );
    database.close();
    const source = backupSource({ file }, till.clock);
    const request = { source, to: join(till.folder, 'copy.db'), now: till.clock.now() };
    await expect(createBackup(request)).rejects.toThrow(
      /failed its verification and was not kept: .*hash does not match/,
    );
    await expect(verifyCopy(request.to)).rejects.toThrow('there is no database');
  });
});

test('S29: a SQLite version that can corrupt the file is rejected before any read', () => {
  const old = (file: string) => {
    const connection = new Database(file);
    connection.function('sqlite_version', () => '3.51.2');
    return connection;
  };
  const file = join(temporaryFolder(), 'ledger.db');
  expect(() => createSqliteStore({ file, schema: 'gateway', clock: testClock(), connect: old })).toThrow(
    /SQLite 3\.51\.2 can corrupt a WAL database; dialtill needs 3\.51\.3 or newer/,
  );
});
