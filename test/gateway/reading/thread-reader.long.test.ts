import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemActor } from '../../../src/gateway/access/permissions.ts';
import { createExportStream, type ExportEnd } from '../../../src/gateway/console/parts/export-stream.ts';
import type { ReadLimits } from '../../../src/gateway/reading/thread-reader.ts';
import { allMerchants } from '../../../src/gateway/support/page.ts';
import { createReads, type GatewayReads } from '../../../src/gateway/wiring/reads.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { callApi, createMerchantKey } from '../../kit/merchant-api.ts';
import { createTill, type Till } from '../../kit/till.ts';
import { broken, createWatchedReader, loading, silent, type WatchedReader } from './thread.ts';

const payers = ['0244123456', '0201234567', '0261234567'];

async function createPayments(): Promise<Till> {
  const till = await createTill();
  for (const payer of payers) await till.pay(payer);
  return till;
}

const fileOf = (till: Till) => till.config.database.file;

/** Lists payments, and returns their number. */
async function count({ reads }: WatchedReader): Promise<number> {
  const page = await reads.list(allMerchants, {}, { limit: 50 });
  return page === 'unknown_cursor' ? Number.NaN : page.data.length;
}

const kindOf = (fault: unknown) => fault instanceof Error && 'kind' in fault && fault.kind;

const key = { kind: 'key', name: 'mk_1', merchantId: 'demo-shop', scopes: ['events:read'] } as const;

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
  const results = async (reads: GatewayReads) => {
    const extent = await reads.measureExport(allMerchants, { filter: {} });
    return {
      list: await reads.list(allMerchants, { status: 'created' }, page),
      search: await reads.search(allMerchants, '20.00', page),
      named: await reads.named({ merchantId: 'demo-shop' }, '0244123456', page),
      payment: await reads.payment(allMerchants, id),
      missing: await reads.payment({ merchantId: 'other-shop' }, id),
      measureExport: extent,
      exportPart: await reads.exportPart(allMerchants, extent, { ...page, numbers: 'masked' }),
      paymentContext: await reads.paymentContext(allMerchants, row, at.now),
      paymentVersion: await reads.paymentVersion(allMerchants, id),
      mentions: await reads.mentions('acc_1', at.now),
      actions: await reads.actions({}, page),
      auditPart: await reads.auditPart({}, page),
      needs: await reads.needs({ name: 'efua', ...at }),
      openProposals: await reads.openProposals({ name: 'efua', ...at }, 2),
      refusals: await reads.refusals({ name: 'efua', ...at }, 2),
      menuCounts: await reads.menuCounts({ name: 'efua', ...at, kinds: ['proposals', 'desk', 'unplaced'] }),
      insights: await reads.insights({ ...at, from: 0, to: 86_400_000, merchantId: null }),
      refusedDiallers: await reads.refusedDiallers({ ...at, since: 0 }),
      dialler: await reads.dialler(id, { ...at, since: 0 }),
      parties: await reads.parties(id),
      blocks: await reads.blocks({ now: at.now, limit: 2 }),
      block: await reads.block(1, at.now),
      days: await reads.days(allMerchants, { ...at, merchantIds: ['demo-shop'] }),
      day: await reads.day(allMerchants, { ...at, merchantIds: ['demo-shop'] }, '2026-03-06', {
        from: 0,
        to: at.now,
      }),
      statement: await reads.statement({ merchantId: 'demo-shop', livemode: 0, date: '2026-03-06' }),
      statementFile: await reads.statementFile({
        day: { merchantId: 'demo-shop', livemode: 0, date: '2026-03-06' },
        content: 'session,amount\npay_1,20.00\n',
        format: till.config.statement,
        ...{ importedBy: 'efua', importedAt: at.now },
      }),
      unclosedDays: await reads.unclosedDays({ ...at, merchantIds: ['demo-shop'] }),
      bookings: await reads.bookings(
        { span: { from: 0, to: at.now }, merchantId: undefined, livemode: 0 },
        page,
      ),
      bookingsPart: await reads.bookingsPart(
        { span: { from: 0, to: at.now }, merchantId: undefined, livemode: 0 },
        { ...page, numbers: 'masked' },
      ),
      resolve: await reads.resolve(allMerchants, { merchantId: 'demo' }, {}),
      caller: await reads.caller(allMerchants, row.payer, { ...at, ...page }),
      callerOf: await reads.callerOf(row.dialogueId),
      lastDialogue: await reads.lastDialogue(allMerchants, row.payer),
      sessions: await reads.sessions({}, page),
      session: await reads.session('dlg_none'),
      unplaced: await reads.unplaced({ livemode: 0, limit: 2, term: '20.00' }),
      deadEvent: await reads.deadEvent({ merchantId: 'demo-shop', eventId: 'evt_none', livemode: 0 }),
      unplacedTaker: await reads.unplacedTaker('unp_1'),
      deliveries: await reads.deliveries(allMerchants, { livemode: 0, limit: 2 }),
      desk: await reads.desk({ kinds: ['overdue', 'unplaced'], ...at, limit: 2 }),
      merchantApi: await reads.merchantApi(
        'listEvents',
        {
          ...{ owner: { merchantId: 'demo-shop', livemode: 0 }, id: '', actor: key, body: undefined },
          ...{ wholePayer: false, seesScreens: true, query: { limit: 2 } },
        },
        { ...at, hasNotifications: true, channelIds: [], settledFact: 1_000 },
      ),
      support: await reads.support(
        'inReview',
        { actor: systemActor('ama'), now: at.now, lastFour: true },
        { limit: 2 },
      ),
    } satisfies Record<keyof GatewayReads | 'missing', unknown>;
  };
  const expected = await results(createReads(store));
  expect(expected.payment?.turns).toHaveLength(4);
  expect(await results(createWatchedReader(fileOf(till)).reads)).toEqual(expected);
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

test('a key reads in the thread, and sees what it wrote before, at once', async () => {
  const till = await createConsoleTill({ overrides: () => ({ createReader: undefined }) });
  await till.pay(payers[0] ?? '');
  const { secret } = await createMerchantKey(till);
  for (let i = 0; i < 5; i += 1) {
    const msisdn = `024400000${i}`;
    const body = { msisdn, role: 'dialler', reason: 'x', until: null };
    expect((await callApi(till, secret, '/blocks', { body })).status).toBe(200);
    expect((await callApi(till, secret, '/blocks')).body.data).toHaveLength(i + 1);
  }
  for (const path of ['/payments?late=true', '/events', '/days/2026-03-06', '/unplaced', '/endpoints'])
    expect([path, (await callApi(till, secret, path)).status]).toEqual([
      path,
      path === '/endpoints' ? 409 : 200,
    ]);
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
  const { reads, threads } = watched;
  const extent = await reads.measureExport(allMerchants, { filter: {} });
  const ends: ExportEnd[] = [];
  const faults: unknown[] = [];
  const stream = createExportStream({
    ...{ head: '', notesOf: () => [], maxRows: 100, partRows: 1, clock: testClock() },
    read: (page) => reads.exportPart(allMerchants, extent, { ...page, numbers: 'masked' }),
    onEnd: async (end) => void ends.push(end),
    onFault: (fault) => void faults.push(fault),
  });
  const parts = stream.getReader();
  expect((await parts.read()).done).toBe(false);
  // The thread reads the next part, and for its owner it ends before the answer.
  threads[0]?.removeAllListeners('message');
  const pulled = parts.read();
  await setImmediate();
  threads[0]?.emit('exit', 1);
  threads[0]?.removeAllListeners();
  await threads[0]?.terminate();
  await expect(pulled).rejects.toThrow('the thread has ended');
  expect(ends).toEqual([{ rows: 1, end: 'failed' }]);
  expect(faults.map(kindOf)).toEqual(['lost']);
  expect(watched.logged()).toContain('the thread that reads has ended');
  expect(await count(watched)).toBe(3);
  expect(threads).toHaveLength(2);
});

test('an export reads no further than the browser, and stops when the browser leaves', async () => {
  const till = await createPayments();
  const { reads } = createWatchedReader(fileOf(till));
  const extent = await reads.measureExport(allMerchants, { filter: {} });
  const ends: ExportEnd[] = [];
  let parts = 0;
  const stream = createExportStream({
    ...{ head: '', notesOf: () => [], maxRows: 100, partRows: 1, clock: testClock() },
    read(page) {
      parts += 1;
      return reads.exportPart(allMerchants, extent, { ...page, numbers: 'masked' });
    },
    onEnd: async (end) => void ends.push(end),
    onFault() {},
  });
  const pulled = stream.getReader();
  await pulled.read();
  expect(await reads.list(allMerchants, {}, { limit: 1 })).toMatchObject({ total: 3 });
  expect(parts).toBe(1);
  await pulled.cancel();
  expect(ends).toEqual([{ rows: 1, end: 'stopped' }]);
  expect(parts).toBe(1);
});

test('a read that takes too long is given up, its thread ends, and the next read has a new one', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [silent] });
  const { threads, clock } = watched;
  const slow = count(watched).catch(kindOf);
  await watched.ready;
  await clock.advance(5_000);
  expect(await slow).toBe('slow');
  const [first] = threads;
  if (first && first.threadId !== -1) await once(first, 'exit');
  expect(await count(watched)).toBe(3);
  expect(threads).toHaveLength(2);
});

test('reads beyond the bound are refused at once, and one that waits too long is given up', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), {
    starts: [silent],
    limits: { waiting: { perPerson: 2, perMerchant: 2, total: 64 }, maxWaitMs: 2_000 },
  });
  const { clock } = watched;
  const running = count(watched).catch(kindOf);
  await watched.ready;
  const waiting = [count(watched).catch(kindOf), count(watched).catch(kindOf)];
  expect(await count(watched).catch(kindOf)).toBe('crowded');
  await clock.advance(2_000);
  expect(await Promise.all(waiting)).toEqual(['busy', 'busy']);
  await clock.advance(3_000);
  expect(await running).toBe('slow');
});

test('a read that takes too long costs no other read its turn', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [silent] });
  const slow = count(watched).catch(kindOf);
  const next = count(watched);
  await watched.ready;
  await watched.clock.advance(5_000);
  expect(await slow).toBe('slow');
  expect(await next).toBe(3);
});

test('a thread that loads for a long time costs no read its time, and is replaced after a minute', async () => {
  const till = await createPayments();
  const watched = createWatchedReader(fileOf(till), { starts: [loading] });
  const first = count(watched).catch(kindOf);
  const next = count(watched);
  await watched.clock.advance(59_999);
  expect(watched.logged()).toBe('');
  await watched.clock.advance(1);
  expect(await first).toBe('lost');
  expect(await next).toBe(3);
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
  const wrong = watched.reads.payment(allMerchants, {} as string);
  await expect(wrong).rejects.toThrow('payment: ');
  expect(await count(watched)).toBe(3);
  await expect(watched.reads.payment(allMerchants, (() => {}) as never)).rejects.toThrow(
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
  ['takes too long', 5_000, {}],
  ['Many people are searching', 2_000, { maxWaitMs: 2_000 }],
])('a page whose read is given up is a page that says so: %s', async (text, ms, limits) => {
  const { till: started, watched } = await createTillWithSilentThread(limits);
  const efua = await createAccount(started, 'efua', 'agent');
  const browser = await efua.signIn();
  const first = browser.get('/');
  await watched.ready;
  const pages = [first, browser.get('/')];
  await watched.clock.advance(ms);
  const shown = await Promise.race(pages);
  expect(shown.status).toBe(503);
  expect(shown.text).toContain(text);
  expect(shown.headers.get('retry-after')).toBe('5');
  await watched.reader.close();
  await Promise.all(pages);
});

/** A gateway whose console reads in a thread that does not answer. */
async function createTillWithSilentThread(limits: Partial<ReadLimits>) {
  const made: { watched?: WatchedReader } = {};
  const till = await createConsoleTill({
    overrides: () => ({
      createReader() {
        made.watched ??= createWatchedReader('none.db', { starts: [silent], limits });
        return made.watched.reader;
      },
    }),
  });
  if (!made.watched) throw new Error('the console has no reader');
  return { till, watched: made.watched };
}
