import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createExportStream, type ExportEnd } from '../../../../src/gateway/console/list/export-stream.ts';
import { type ConsoleReader, createReader } from '../../../../src/gateway/console/reader.ts';
import { allMerchants } from '../../../../src/gateway/support/scope.ts';
import { Database } from '../../../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../../../src/sqlite/sqlite.ts';
import { testClock } from '../../../kit/clock.ts';
import { createAccount, createConsoleTill } from '../../../kit/console.ts';
import { createTill, type Till } from '../../../kit/till.ts';
import { broken, createWatchedReader, silent, type WatchedReader } from './thread.ts';

const payers = ['0244123456', '0201234567', '0261234567'];

async function createPayments(): Promise<Till> {
  const till = await createTill();
  for (const payer of payers) await till.pay(payer);
  return till;
}

const fileOf = (till: Till) => till.config.database.file;

/** Lists payments, and returns their number. */
async function count({ reader }: WatchedReader): Promise<number> {
  const page = await reader.list(allMerchants, {}, { limit: 50 });
  return page === 'unknown_cursor' ? Number.NaN : page.data.length;
}

const kindOf = (fault: unknown) => fault instanceof Error && 'kind' in fault && fault.kind;

test('every read of the console has the same result in a thread as in this process', async () => {
  const till = await createConsoleTill();
  for (const payer of payers) await till.pay(payer);
  await createAccount(till, 'efua', 'lead');
  const store = createSqliteReader(fileOf(till), { live: true });
  onTestFinished(() => store.close());
  const row = await till.only('0244123456');
  const { id } = row;
  const page = { limit: 2 };
  const at = { livemode: 0, now: till.clock.now() } as const;
  const results = async (reader: ConsoleReader) => {
    const extent = await reader.measureExport(allMerchants, { filter: {} });
    return {
      list: await reader.list(allMerchants, { status: 'created' }, page),
      search: await reader.search(allMerchants, '20.00', page),
      named: await reader.named({ merchantId: 'demo-shop' }, '0244123456', page),
      payment: await reader.payment(allMerchants, id),
      missing: await reader.payment({ merchantId: 'other-shop' }, id),
      measureExport: extent,
      exportPart: await reader.exportPart(allMerchants, extent, { ...page, numbers: 'masked' }),
      paymentContext: await reader.paymentContext(allMerchants, row, at.now),
      paymentVersion: await reader.paymentVersion(allMerchants, id),
      mentions: await reader.mentions('acc_1', at.now),
      actions: await reader.actions({}, page),
      auditPart: await reader.auditPart({}, page),
      needs: await reader.needs({ name: 'efua', ...at }),
      refusedDiallers: await reader.refusedDiallers({ ...at, since: 0 }),
      dialler: await reader.dialler(id, { ...at, since: 0 }),
      parties: await reader.parties(id),
      blocks: await reader.blocks({ now: at.now, limit: 2 }),
      block: await reader.block(1, at.now),
      days: await reader.days(allMerchants, { ...at, merchantIds: ['demo-shop'] }),
      day: await reader.day(allMerchants, 0, '2026-03-06', { from: 0, to: at.now }),
      unclosedDays: await reader.unclosedDays({ ...at, merchantIds: ['demo-shop'] }),
      bookings: await reader.bookings(
        { span: { from: 0, to: at.now }, merchantId: undefined, livemode: 0 },
        page,
      ),
      bookingsPart: await reader.bookingsPart(
        { span: { from: 0, to: at.now }, merchantId: undefined, livemode: 0 },
        { ...page, numbers: 'masked' },
      ),
      sessions: await reader.sessions({}, page),
      session: await reader.session('dlg_none'),
      unplaced: await reader.unplaced({ livemode: 0, limit: 2, term: '20.00' }),
      deadEvent: await reader.deadEvent({ merchantId: 'demo-shop', eventId: 'evt_none', livemode: 0 }),
      unplacedTaker: await reader.unplacedTaker('unp_1'),
      deliveries: await reader.deliveries(allMerchants, { livemode: 0, limit: 2 }),
      desk: await reader.desk({ kinds: ['overdue', 'unplaced'], ...at, limit: 2 }),
    } satisfies Record<keyof ConsoleReader | 'missing', unknown>;
  };
  const expected = await results(createReader(store));
  expect(expected.payment?.turns).toHaveLength(4);
  expect(await results(createWatchedReader(fileOf(till)).reader)).toEqual(expected);
});

test('a gateway reads for its console in a thread, which ends with it', async () => {
  const till = await createConsoleTill({ overrides: () => ({ createReader: undefined }) });
  for (const payer of payers) await till.pay(payer);
  const browser = await (await createAccount(till, 'efua', 'lead')).signIn();
  expect((await browser.get('/payments')).text).toContain('3 of 3');
  expect((await browser.get('/export.csv')).text.trim().split('\r\n')).toHaveLength(4);
  await till.restart();
  expect((await browser.get('/payments?status=paid')).status).toBe(200);
});

test('each read sees the ledger as it is at that time, and between reads the write-ahead log can be emptied', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till));
  expect(await count(watched)).toBe(3);
  await till.pay('0244120001');
  expect(await count(watched)).toBe(4);
  const file = new Database(fileOf(till));
  onTestFinished(() => void file.close());
  expect(file.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
});

test('a thread that is killed in the middle of an export ends the file as failed, and the next read has a new thread', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till));
  const { reader, threads } = watched;
  const extent = await reader.measureExport(allMerchants, { filter: {} });
  const ends: ExportEnd[] = [];
  const faults: unknown[] = [];
  const stream = createExportStream({
    ...{ head: '', notesOf: () => [], maxRows: 100, partRows: 1, clock: testClock() },
    read: (page) => reader.exportPart(allMerchants, extent, { ...page, numbers: 'masked' }),
    onEnd: async (end) => void ends.push(end),
    onFault: (fault) => void faults.push(fault),
  });
  const parts = stream.getReader();
  expect((await parts.read()).done).toBe(false);
  const pulled = parts.read();
  // The part is read now: the thread ends before its answer.
  await threads[0]?.terminate();
  await expect(pulled).rejects.toThrow('the thread has ended');
  expect(ends).toEqual([{ rows: 1, end: 'failed' }]);
  expect(faults.map(kindOf)).toEqual(['lost']);
  expect(watched.logged()).toContain('the thread of the console has ended');
  expect(await count(watched)).toBe(3);
  expect(threads).toHaveLength(2);
});

test('an export reads no further than the browser, and stops when the browser leaves', async () => {
  const till = await createPayments();
  const { reader } = createWatchedReader(fileOf(till));
  const extent = await reader.measureExport(allMerchants, { filter: {} });
  const ends: ExportEnd[] = [];
  let reads = 0;
  const stream = createExportStream({
    ...{ head: '', notesOf: () => [], maxRows: 100, partRows: 1, clock: testClock() },
    read(page) {
      reads += 1;
      return reader.exportPart(allMerchants, extent, { ...page, numbers: 'masked' });
    },
    onEnd: async (end) => void ends.push(end),
    onFault() {},
  });
  const parts = stream.getReader();
  await parts.read();
  expect(await reader.list(allMerchants, {}, { limit: 1 })).toMatchObject({ total: 3 });
  expect(reads).toBe(1);
  await parts.cancel();
  expect(ends).toEqual([{ rows: 1, end: 'stopped' }]);
  expect(reads).toBe(1);
});

test('a read that takes too long is given up, its thread ends, and the next read has a new one', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [silent] });
  const { threads, clock } = watched;
  const slow = count(watched).catch(kindOf);
  await clock.advance(10_000);
  expect(await slow).toBe('slow');
  const [first] = threads;
  if (first && first.threadId !== -1) await once(first, 'exit');
  expect(await count(watched)).toBe(3);
  expect(threads).toHaveLength(2);
});

test('reads beyond the bound are refused at once, and one that waits too long is given up', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [silent], limits: { maxWaiting: 2 } });
  const { clock } = watched;
  const running = count(watched).catch(kindOf);
  const waiting = [count(watched).catch(kindOf), count(watched).catch(kindOf)];
  expect(await count(watched).catch(kindOf)).toBe('busy');
  await clock.advance(5_000);
  expect(await Promise.all(waiting)).toEqual(['busy', 'busy']);
  await clock.advance(5_000);
  expect(await running).toBe('slow');
});

test('a thread that cannot start fails the read that started it and no other, and is not started without a read', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [broken, broken] });
  expect(await count(watched).catch(kindOf)).toBe('lost');
  expect(await count(watched).catch(kindOf)).toBe('lost');
  expect(watched.threads).toHaveLength(2);
  expect(watched.logged()).toContain('cannot open the database');
  expect(await count(watched)).toBe(3);
});

test('a read that fails leaves its thread and the reads after it alone', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till));
  const wrong = watched.reader.payment(allMerchants, {} as string);
  await expect(wrong).rejects.toThrow('payment: ');
  expect(await count(watched)).toBe(3);
  await expect(watched.reader.payment(allMerchants, (() => {}) as never)).rejects.toThrow(
    'could not be cloned',
  );
  expect(await count(watched)).toBe(3);
  expect(watched.threads).toHaveLength(1);
});

test('closing gives up every read and ends the thread', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [silent] });
  const open = [count(watched).catch(kindOf), count(watched).catch(kindOf)];
  await watched.reader.close();
  expect(await Promise.all(open)).toEqual(['closed', 'closed']);
  expect(watched.threads[0]?.threadId).toBe(-1);
  expect(await count(watched).catch(kindOf)).toBe('closed');
  expect(watched.threads).toHaveLength(1);
});

test.each([
  ['takes too long', 10_000],
  ['Many people are searching', 5_000],
])('a page whose read is given up is a page that says so: %s', async (text, ms) => {
  const { till: started, watched } = await createTillWithSilentThread();
  const efua = await createAccount(started, 'efua', 'agent');
  const browser = await efua.signIn();
  const pages = [browser.get('/'), browser.get('/')];
  await watched.clock.advance(ms);
  const shown = await Promise.race(pages);
  expect(shown.status).toBe(503);
  expect(shown.text).toContain(text);
  expect(shown.headers.get('retry-after')).toBe('5');
  await watched.reader.close();
  await Promise.all(pages);
});

/** A gateway whose console reads in a thread that does not answer. */
async function createTillWithSilentThread() {
  const made: { watched?: WatchedReader } = {};
  const till = await createConsoleTill({
    overrides: () => ({
      createReader() {
        made.watched ??= createWatchedReader('none.db', { starts: [silent] });
        return made.watched.reader;
      },
    }),
  });
  if (!made.watched) throw new Error('the console has no reader');
  return { till, watched: made.watched };
}
