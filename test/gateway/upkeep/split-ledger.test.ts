import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../../src/gateway/config/schema.ts';
import { type Gateway, openGateway } from '../../../src/gateway/create.ts';
import { openForReading } from '../../../src/gateway/database/database-location.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import type { Readiness } from '../../../src/gateway/metrics/readiness.ts';
import { findCollections } from '../../../src/gateway/support/find-query.ts';
import { ledgerAudits } from '../../../src/gateway/upkeep/ledger-audits.ts';
import { declareCopy, moveLedger } from '../../../src/gateway/upkeep/move-ledger.ts';
import type { GatewayOverrides } from '../../../src/gateway/wiring/context.ts';
import { createReader } from '../../../src/gateway/wiring/reads.ts';
import { fileLedger } from '../../kit/file-ledger.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { createSilentLog } from '../../kit/log.ts';
import { addOtherShop } from '../../kit/payers.ts';
import { addEndpoint, createNotified } from '../../kit/receiver.ts';
import { callStaff } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

type MoveOptions = { to?: string; merchants?: string[] | undefined; onTable?: () => void };

/** Moves merchants of a till, whose gateway does not run, to another file. */
const move = (
  { ledger, clock }: Till,
  { to = join(temporaryFolder(), 'moved.db'), onTable = () => {}, ...options }: MoveOptions = {},
) => {
  const { merchants } = { merchants: ['demo-shop'], ...options };
  return moveLedger({ from: ledger.location, to: { file: to }, merchants, clock, onTable });
};

/** Leaves only the merchants in the configuration of the till that its database serves. */
function serveOnly(config: Config, merchantId: string): Config {
  config.merchants = config.merchants.filter(({ id }) => id === merchantId);
  config.channels = config.channels.filter(({ merchant }) => merchant === merchantId);
  return config;
}

/** Starts a gateway on a file beside the till's, which calls the same service. */
async function startOn(till: Till, config: Config, overrides: Partial<GatewayOverrides> = {}) {
  const gateway = await openGateway(config, {
    ...{ log: createSilentLog(), clock: till.clock, createReader, maxIdleMs: 600_000, ...overrides },
    fetch: async (url, init) => till.service.app.request(url, init),
  });
  onTestFinished(() => gateway.stop());
  await gateway.start();
  return gateway;
}

async function isRecovering({ app }: Gateway): Promise<boolean> {
  return ((await (await app.request('/readyz')).json()) as Readiness).recovering === true;
}

/** Reads a file: its faults, and the status of the collections of a number. */
async function readFile(file: string, number: string) {
  const store = await openForReading({ file });
  try {
    const { faults } = await verifyLedger(ledgerStore(store), ledgerAudits);
    return { faults, rows: await findCollections(store, number) };
  } finally {
    await store.close();
  }
}

/** A till where both merchants have a payment, and its configuration before one of them moves. */
async function createTwoShops() {
  const { till, receiver } = await createNotified();
  await addOtherShop(till);
  await addEndpoint(till, receiver);
  receiver.answer = () => ({ status: 503 });
  await till.pay('0244123456');
  await payOther(till, '0244123455');
  const { merchants, channels } = till.config;
  return { till, receiver, before: { ...till.config, merchants: [...merchants], channels: [...channels] } };
}

const payOther = (till: Till, number: string) => till.pay(number, ['1', '20', '1'], 'other-shop');

test('a merchant that moves is served by the other database alone, and the others by theirs: each payment is prompted, recorded and notified once', async () => {
  const { till, receiver, before } = await createTwoShops();
  await till.untilStatus('0244123456', 'initiated');
  await till.untilStatus('0244123455', 'initiated');
  const { id, version } = await till.only('0244123456');
  const to = join(temporaryFolder(), 'moved.db');
  const event = { id: 'evt_waiting', type: 'payment.session.opened', created_at: '2026-03-06T09:00:00.000Z' };
  await till.deliver({ ...event, data: {} });
  await till.restart(async () => {
    await till.ledger.change(
      "UPDATE inbox SET state = 'waiting', next_at = 0 WHERE event_id = 'evt_waiting'",
    );
    expect(await move(till, { to })).toMatchObject({ needsRecovery: false });
    serveOnly(till.config, 'other-shop');
  });
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 200 });
  const other = await startOn(
    till,
    { ...serveOnly(before, 'demo-shop'), database: { file: to } },
    { notifyFetch: receiver.fetch },
  );
  expect(await isRecovering(other)).toBe(false);
  for (const number of ['0244123456', '0244123455'])
    await till.service.phone.approve((await till.prompt(number)).id, '1234');
  await till.untilStatus('0244123455', 'paid', 10 * 60_000);
  await payOther(till, '0244123457');
  await till.untilStatus('0244123457', 'initiated');
  await till.clock.advance(10 * 60_000);
  // The database that it left has everything of it as it was.
  expect(await till.only('0244123456')).toMatchObject({ id, version, status: 'initiated' });
  const waiting = "SELECT event_id AS id FROM inbox WHERE state = 'waiting'";
  expect(await till.ledger.rows(waiting)).toEqual([{ id: 'evt_waiting' }]);
  expect(await fileLedger(to).rows(waiting)).toEqual([]);
  expect((await till.verify()).faults).toEqual([]);
  await other.stop();
  const { faults, rows } = await readFile(to, '0244123456');
  expect(faults).toEqual([]);
  expect(rows).toMatchObject([{ id, status: 'paid' }]);
  expect(till.calls.filter(({ name }) => name === 'initiate')).toHaveLength(3);
  expect(receiver.types().toSorted()).toEqual(['payment.opened', 'payment.paid']);
});

test('where a merchant has left, no gateway starts with it or is reloaded with it, and no action on its payments is accepted', async () => {
  const { till, before } = await createTwoShops();
  const { id } = await till.only('0244123456');
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    await move(till, { to });
    serveOnly(till.config, 'other-shop');
  });
  expect(() => till.gateway().reload(before)).toThrow(
    `the merchant demo-shop has moved to the database ${to}`,
  );
  const note = await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'who acts here?' });
  expect(note.status).toBe(409);
  expect(JSON.stringify(note.body)).toContain(`demo-shop has moved to the database ${to}`);
  // Before it listens, and before a command of staff can use it without a start.
  await expect(
    openGateway({ ...before, database: { file: to } }, { log: createSilentLog() }),
  ).rejects.toThrow('the merchant other-shop has moved to the database');
});

test('a move into a folder that does not exist says so', async () => {
  const { till } = await createTwoShops();
  const to = join(temporaryFolder(), 'none', 'moved.db');
  await till.restart(async () => {
    await expect(move(till, { to })).rejects.toThrow(`there is no folder ${dirname(to)}. Create it`);
  });
});

test('a move that fails at its end leaves both merchants where they were', async () => {
  const { till } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    // The copy cannot get its name.
    const onTable = () => mkdirSync(to, { recursive: true });
    await expect(move(till, { to, onTable })).rejects.toThrow('EISDIR');
  });
  expect(await till.pay('0244123458')).toContain('Approve');
  expect(await payOther(till, '0244123459')).toContain('Approve');
});

test('a move that is repeated and fails does not take the merchants back, because the copy of the first one may exist', async () => {
  const { till, before } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    await move(till, { to });
    renameSync(to, `${to}.first`);
    const onTable = () => mkdirSync(to, { recursive: true });
    await expect(move(till, { to, onTable })).rejects.toThrow('EISDIR');
    serveOnly(till.config, 'other-shop');
  });
  expect(() => till.gateway().reload(before)).toThrow('the merchant demo-shop has moved');
});

test('other merchants move to a database only once the earlier move to it has ended', async () => {
  const { till } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    await move(till, { to });
    renameSync(to, `${to}.first`);
    await expect(move(till, { to, merchants: ['other-shop'] })).rejects.toThrow(
      'an earlier move of demo-shop to this database has not ended',
    );
    serveOnly(till.config, 'other-shop');
  });
});

test('a copy of the file from before the move, put back by hand, is recognized', async () => {
  const { till } = await createTwoShops();
  const { file } = till.config.database;
  await till.restart(async () => {
    copyFileSync(file, `${file}.before`);
    await move(till);
    renameSync(`${file}.before`, file);
    serveOnly(till.config, 'other-shop');
  });
  expect(await isRecovering(till.gateway())).toBe(true);
});

test('a move that is repeated ends in a copy that recovers, because the copy of the first one may exist', async () => {
  const { till, before } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    expect(await move(till, { to })).toMatchObject({ needsRecovery: false });
    renameSync(to, `${to}.first`);
    await expect(move(till)).rejects.toThrow(
      `the merchant demo-shop is served from ${to}, not from this database`,
    );
    expect(await move(till, { to })).toMatchObject({ needsRecovery: true });
    serveOnly(till.config, 'other-shop');
  });
  const again = await startOn(till, { ...serveOnly(before, 'demo-shop'), database: { file: to } });
  expect(await isRecovering(again)).toBe(true);
});

test('a whole ledger that moves again beside the watermark of a move that was killed begins with a recovery', async () => {
  const { till, before } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    expect(await move(till, { to, merchants: undefined })).toMatchObject({ needsRecovery: false });
    renameSync(to, `${to}.first`);
    expect(await move(till, { to, merchants: undefined })).toMatchObject({ needsRecovery: true });
  });
  expect(await isRecovering(await startOn(till, { ...before, database: { file: to } }))).toBe(true);
});

test('the merchants of a copy move as a copy: both databases begin with a recovery, which ends', async () => {
  const { till, before } = await createTwoShops();
  const to = join(temporaryFolder(), 'moved.db');
  await till.restart(async () => {
    await declareCopy(till.ledger.location);
    expect(await move(till, { to })).toMatchObject({ needsRecovery: true });
    serveOnly(till.config, 'other-shop');
  });
  const other = await startOn(till, { ...serveOnly(before, 'demo-shop'), database: { file: to } });
  const recovering = async () => [await isRecovering(till.gateway()), await isRecovering(other)];
  expect(await recovering()).toEqual([true, true]);
  // Each knows nothing of the other's payments, whose results it does not wait for.
  await till.clock.advance(2 * 3_600_000);
  expect(await recovering()).toEqual([false, false]);
});

test.each([
  [['demo-shop', 'third-shop'], 'the ledger has no merchant third-shop. It has: demo-shop, other-shop'],
  [['demo-shop', 'other-shop'], 'no other merchant would stay: leave out --merchant'],
])('%j do not move', async (merchants, message) => {
  const { till } = await createTwoShops();
  await till.restart(async () => {
    await expect(move(till, { merchants })).rejects.toThrow(message);
  });
  expect(await till.pay('0244123458')).toContain('Approve');
});
