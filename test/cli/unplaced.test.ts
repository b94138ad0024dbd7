import { expect, test } from 'vitest';
import { createBench } from '../gateway/collection/bench.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { callStaff, signInStaff, withStaff } from '../kit/staff.ts';
import { ledger, readUnplaced, runUnplaced } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';
import { onlyUnplaced, paidOf, reviewOf, unplacedIn } from '../kit/unplaced.ts';

const payer = '0244123456';
const minute = 60_000;

/** Runs `dialtill unplaced …` on a file that another store may be writing, and returns the output. */
async function unplaced(file: string, ...args: string[]): Promise<string> {
  const { out, err } = await readUnplaced(file, args);
  if (err) throw new Error(err);
  return out;
}

/** A till with an unpaid collection of GHS 20.20, and an unplaced payment of the same amount. */
async function unplacedTill(): Promise<{ till: Till; collectionId: string; id: string }> {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const { id: collectionId } = await till.prompted(payer);
  await till.declined(payer, 10 * minute);
  await till.deliver(paidOf('pay_elsewhere_1'));
  await till.clock.advance(1_000);
  return { till, collectionId, id: (await onlyUnplaced(till)).id };
}

test('a list of one merchant completes its name, and refuses one that has no payment', async () => {
  const { till, id } = await unplacedTill();
  const { file } = till.config.database;
  expect(await unplaced(file ?? '', 'list', '--merchant', 'demo')).toContain(id);
  const unknown = await readUnplaced(file ?? '', ['list', '--merchant', 'nope']);
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toContain('merchant: expected one of demo-shop, found “nope”');
  const events = await ledger(file ?? '', 'audit', '--merchant', 'nope');
  expect(events).toMatchObject({ code: 1, err: unknown.err });
});

test('list and show name the payment, its amount and the collection that fits; find finds it', async () => {
  const { till, collectionId, id } = await unplacedTill();
  const file = till.config.database.file;
  const listed = await unplaced(file, 'list');
  expect(listed).toMatch(
    new RegExp(`${id} +demo-shop +open +GHS 20.20 +.* INV-7 +fits ${collectionId} .amount`),
  );
  expect(listed).toContain('shown: 1 of 1 unplaced payment, in suspense GHS 20.20\n');
  const shown = await unplaced(file, 'show', id);
  expect(shown).toContain('amount          GHS 20.20, in suspense GHS 20.20\n');
  expect(shown).toContain('payment.session.paid evt_1: GHS 20.20');
  expect(shown).toMatch(new RegExp(`best first\n  ${collectionId}  failed  GHS 20.20  23324\\*{4}456`));
  expect(JSON.parse(await unplaced(file, 'show', 'pay_elsewhere_1', '--json'))).toMatchObject({
    ...{ id, state: 'open', amountMinor: 2_020, suggestions: [{ collectionId, agrees: ['amount'] }] },
  });
  for (const term of ['pay_elsewhere_1', 'INV-7', 'evt_1', id]) {
    const found = await ledger(file, 'find', term);
    expect(found.out).toContain(`${id}  demo-shop`);
    expect(found.out).toContain('shown: 1 of 1 unplaced payment\n');
  }
});

test('a name of several payments lists the id, state and amount of each', async () => {
  const { till } = await unplacedTill();
  await till.deliver(reviewOf('pay_elsewhere_1', 'evt_2', 500, 'second_charge'));
  await till.clock.advance(1_000);
  const ids = (await unplacedIn(till)).map(({ id }) => id);
  const { err } = await readUnplaced(till.config.database.file, ['show', 'pay_elsewhere_1']);
  expect(err).toContain('pay_elsewhere_1 names 2 unplaced payments: use the id of one.');
  expect(err).toContain(`${ids[0]} (open, GHS 20.20)`);
  expect(err).toContain(`${ids[1]} (open, GHS 5.00)`);
});

test('the balances name the unplaced payments of each merchant, their sum and the oldest', async () => {
  const { till } = await unplacedTill();
  await till.clock.advance(minute);
  await till.deliver(paidOf('pay_elsewhere_2', 'evt_2'));
  await till.clock.advance(1_000);
  const balances = (...args: string[]) => ledger(till.config.database.file, 'balances', ...args);
  const oldest = new Date(Number((await unplacedIn(till))[0]?.received_at)).toISOString();
  expect((await balances()).out).toContain(
    `unplaced now (test, demo-shop): GHS 40.40 in 2 payments, oldest of ${oldest.replace('T', ' ').replace('Z', '')}\n`,
  );
  const { unplaced: sums } = JSON.parse((await balances('--json')).out) as { unplaced: object[] };
  expect(sums).toEqual([
    { merchantId: 'demo-shop', livemode: 0, count: 2, suspendedMinor: 4_040, oldestAt: oldest },
  ]);
});

test('a match is proposed by one person and approved by another, and the list names what is next', async () => {
  const { till, collectionId, id } = await unplacedTill();
  const file = till.config.database.file;
  const why = ['--evidence', 'SMS of the network'];
  const made = await runUnplaced(till, 'ama', ['match', id, collectionId, ...why]);
  expect(made.out).toMatch(
    new RegExp(`^proposed for ${id} with ${collectionId}: prp_\\w+: match by ama at `),
  );
  const proposal = /prp_\w+/.exec(made.out)?.[0] ?? '';
  expect(made.out).toContain(`Another person approves it: dialtill review approve ${proposal}\n`);
  expect(await unplaced(file, 'list')).toContain(`approve ${proposal} (match by ama)`);
  expect(await callStaff(till, 'kofi', `/proposals/${proposal}/approve`, {})).toMatchObject({ status: 200 });
  expect(await unplaced(file, 'list')).toBe('no open unplaced payments\n');
  expect(await unplaced(file, 'list', '--state', 'placed')).toContain(`placed on ${collectionId}`);
  expect(await unplaced(file, 'show', id)).toContain(
    `matched with ${collectionId} by ama, approved by kofi: SMS of the network`,
  );
});

test('a person takes a payment, hands it over or leaves it, and show names who has it', async () => {
  const { till, id } = await unplacedTill();
  await signInStaff(till, 'kofi');
  const file = till.config.database.file;
  const assignedTo = async () => JSON.parse(await unplaced(file, 'show', id, '--json')).assignedTo;
  expect(await assignedTo()).toBe(null);
  expect(await unplaced(file, 'show', id)).toContain('\nassigned to     -\n');
  expect((await runUnplaced(till, 'ama', ['take', id])).out).toBe(`assigned ${id} to ama by ama\n`);
  expect(await assignedTo()).toBe('ama');
  expect((await runUnplaced(till, 'ama', ['assign', id, 'kofi'])).out).toBe(
    `assigned ${id} to kofi by ama\n`,
  );
  expect(await unplaced(file, 'show', id)).toContain('\nassigned to     kofi\n');
  expect((await runUnplaced(till, 'kofi', ['leave', id])).out).toBe(`unassigned ${id} by kofi\n`);
  expect(await assignedTo()).toBe(null);
  const taken = await runUnplaced(till, 'kofi', ['take', id, '--json']);
  expect(JSON.parse(taken.out)).toMatchObject({ unplacedId: id, actor: 'kofi', to: 'kofi' });
  const unknown = await runUnplaced(till, 'ama', ['take', 'unp_1']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('dialtill unplaced list')]);
  const yaw = await runUnplaced(till, 'ama', ['assign', id, 'yaw']);
  expect([yaw.code, yaw.err]).toEqual([1, expect.stringContaining('no person yaw: choose one of ama, kofi')]);
  expect(await assignedTo()).toBe('kofi');
});

test('return needs the reference of the transfer, and a wrong decision says what to do', async () => {
  const { till, id } = await unplacedTill();
  const why = ['--evidence', 'statement'];
  const noReference = await runUnplaced(till, 'ama', ['return', id, ...why]);
  expect([noReference.code, noReference.err]).toEqual([2, expect.stringContaining('--reference')]);
  const old = await runUnplaced(till, 'ama', ['foreign', id, ...why, '--version', '9']);
  expect([old.code, old.err]).toEqual([1, expect.stringContaining('has version 1 now')]);
  const unknown = await runUnplaced(till, 'ama', ['foreign', 'unp_1', ...why]);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('dialtill unplaced list')]);
  const made = await runUnplaced(till, 'ama', ['return', id, '--reference', 'MTN-77', ...why, '--json']);
  expect(JSON.parse(made.out)).toMatchObject({ outcome: 'return', reference: 'MTN-77', subjectId: id });
});

test('an id that nothing has, and an unknown cursor, are refused with what to do', async () => {
  const { till } = await unplacedTill();
  const { file } = till.config.database;
  const shown = await readUnplaced(file, ['show', 'unp_1']);
  expect([shown.code, shown.err]).toEqual([1, expect.stringContaining('dialtill unplaced list')]);
  const listed = await readUnplaced(file, ['list', '--after', 'unp_1']);
  expect([listed.code, listed.err]).toEqual([
    1,
    expect.stringContaining('--after: the ledger has no unplaced'),
  ]);
  const events = await readUnplaced(file, ['events', '--after', 'demo-shop:evt_unknown']);
  expect([events.code, events.err]).toEqual([
    1,
    expect.stringContaining('has no event demo-shop:evt_unknown'),
  ]);
});

/** An event of a payment session that the gateway did not create. */
const event = (n: number, type: string, data: object) =>
  ({ id: `evt_${n}`, type: `payment.session.${type}`, created_at: '2026-03-06T09:00:00Z', data }) as const;

test('events prints the amount, the time and the type of each event, newest first', async () => {
  const till = await createTill();
  const file = till.config.database.file;
  expect(await unplaced(file, 'events')).toBe('no events without a collection\n');
  const quote = { status: 'paid', goods_minor: 2_000, amount_minor: 2_020 };
  const events = [
    event(1, 'paid', { id: 'pay_1', ...quote, paid_at: '2026-03-06T08:59:58Z' }),
    event(2, 'review_amount_mismatch', { id: 'pay_2', ...quote, paid_minor: 1_000 }),
    event(3, 'failed', { id: 'pay_3', ...quote }),
    event(4, 'paid', { ...quote, amount_minor: '2020' }),
  ];
  for (const one of events) {
    expect((await till.deliver(one)).status).toBe(200);
    await till.clock.advance(1_000);
  }
  const lines = (await unplaced(file, 'events')).split('\n').map((line) => line.split(/ {2,}/));
  expect(lines).toEqual([
    ['event', 'type', 'amount', 'payment session', 'merchant', 'state', 'received (UTC)'],
    ['evt_4', 'payment.session.paid', '-', '-', 'demo-shop', 'dead', '2026-03-06 09:00:03.000'],
    ['evt_3', 'payment.session.failed', '-', 'pay_3', 'demo-shop', 'parked', '2026-03-06 09:00:02.000'],
    [
      ...['evt_2', 'payment.session.review_amount_mismatch', 'GHS 10.00', 'pay_2'],
      ...['demo-shop', 'parked', '2026-03-06 09:00:01.000'],
    ],
    ['evt_1', 'payment.session.paid', 'GHS 20.20', 'pay_1', 'demo-shop', 'parked', '2026-03-06 09:00:00.000'],
    ['shown: 4 of 4 events'],
    [''],
  ]);
  const { data: listed, total } = JSON.parse(await unplaced(file, 'events', '--json'));
  expect(total).toBe(4);
  expect(listed).toMatchObject([
    { eventId: 'evt_4', amountMinor: null, paidAt: null },
    { eventId: 'evt_3', amountMinor: null },
    { eventId: 'evt_2', amountMinor: 1_000, paidAt: null },
    { eventId: 'evt_1', amountMinor: 2_020, paidAt: '2026-03-06T08:59:58Z' },
  ]);
});

test('events reads only events without a collection, in the order of an index', async () => {
  const { file } = createBench();
  const plans = await queryPlansOf(file, () => unplaced(file, 'events'));
  const steps = (part: string) =>
    plans.find(({ sql }) => sql.includes('"inbox"') && sql.includes(part))?.steps;
  expect(steps('order by')).toEqual([
    'SCAN inbox USING INDEX inbox_unplaced',
    // Only events of the same millisecond are sorted.
    'USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY',
  ]);
  expect(steps('count(*)')).toEqual(['SCAN inbox USING COVERING INDEX inbox_unplaced']);
});

test('bodies of events are printed only with --full', async () => {
  const { till } = await unplacedTill();
  const { file } = till.config.database;
  expect(await unplaced(file, 'events', '--json')).not.toContain('"body"');
  expect(await unplaced(file, 'events', '--json', '--full')).toContain('"body"');
});

test('list and show scan no table', async () => {
  const { till, id } = await unplacedTill();
  const { file } = till.config.database;
  for (const args of [['list'], ['list', '--state', 'all'], ['show', id], ['show', 'pay_elsewhere_1']]) {
    const plans = await queryPlansOf(file, () => unplaced(file, ...args));
    const scans = plans.flatMap(({ steps }) => steps.filter((step) => step.startsWith('SCAN')));
    const bounded = /USING (COVERING )?INDEX unplaced_payment_(open|received)|near|sqlite_schema|migrations/;
    expect(scans.filter((step) => !bounded.test(step))).toEqual([]);
  }
});

test('list and events show 100 of 129, newest first, and the next page continues without a gap', async () => {
  const till = await createTill();
  const file = till.config.database.file;
  for (let n = 1; n <= 129; n++) {
    const data = { id: `pay_${n}`, status: 'paid', amount_minor: 2_020 };
    await till.deliver({
      id: `evt_${n}`,
      type: 'payment.session.paid',
      created_at: '2026-03-06T09:00:00Z',
      data,
    });
    if (n % 2 === 0) await till.clock.advance(1_000);
  }
  await till.clock.advance(1_000);
  const events = async (...args: string[]) => {
    const { data, ...page } = JSON.parse(await unplaced(file, 'events', ...args, '--json'));
    return { ...page, ids: data.map(({ eventId }: { eventId: string }) => eventId) };
  };
  const first = await events();
  expect(first.total).toBe(129);
  expect(first.ids).toHaveLength(100);
  expect(first.ids[0]).toBe('evt_129');
  expect(await unplaced(file, 'events')).toContain(
    `shown: 100 of 129 events\nnext page: --after ${first.next}\n`,
  );
  const rest = await events('--after', first.next);
  expect(rest).toMatchObject({ total: 129, next: null });
  expect(new Set([...first.ids, ...rest.ids]).size).toBe(129);
  expect(rest.ids.at(-1)).toMatch(/^evt_[12]$/);
});
