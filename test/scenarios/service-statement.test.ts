import { expect, test } from 'vitest';
import { ReadFault } from '../../src/gateway/reading/reads.ts';
import { maxStatementBytes } from '../../src/gateway/service-statement/read-statement.ts';
import { createReader, type GatewayReader } from '../../src/gateway/wiring/reads.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { payHeld } from '../kit/console.ts';
import { callStaff, type StaffName, staffActions, withStaff } from '../kit/staff.ts';
import { fetchStatement } from '../kit/statement.ts';
import { createTill, type Till } from '../kit/till.ts';
import { decide, deliver, reviewOf, unplacedIn } from '../kit/unplaced.ts';

const date = '2026-03-06';
const dayMs = 86_400_000;
const payers = ['0244123456', '0244123457', '0244123458'];

async function paidDay(): Promise<{ till: Till; csv: string }> {
  const till = await createTill({ configure: withStaff });
  for (const one of payers) await till.paidPayment(one);
  await till.clock.advance(dayMs);
  return { till, csv: await fetchStatement(till, date) };
}

const send = (till: Till, csv: string, name: StaffName = 'kofi', day = date) =>
  callStaff(till, name, `/days/${day}/statement`, { merchantId: 'demo-shop', content: csv });

/** A reader whose thread has no turn for the file of a statement. */
function createCrowdedReader(store: Store): GatewayReader {
  const statementFile = () => Promise.reject(new ReadFault('busy', 'no turn'));
  const reader = createReader(store);
  return { ...reader, by: (owner) => ({ ...reader.by(owner), statementFile }) };
}

const explain = (till: Till, differences: unknown[], text = 'agreed with the service') =>
  callStaff(till, 'kofi', `/days/${date}/differences`, { merchantId: 'demo-shop', differences, text });

const totals = { opened: 3, paid: 3, notPaid: 0, chargedMinor: 6_060, feeMinor: 60, netMinor: 6_000 };
const close = (till: Till, more: object = {}) =>
  callStaff(till, 'kofi', `/days/${date}/close`, { merchantId: 'demo-shop', totals, ...more });

const actionsOf = async (till: Till, action: string) =>
  (await staffActions(till)).filter((one) => one.action === action);

/** The lines of a statement without the first payment, with another amount of the second, and with an unknown one. */
function withFaults(csv: string): string {
  const [head, , second = '', third] = csv.split('\r\n');
  const unknown = third?.replace(/pay_\w+/, 'pay_unknown');
  return [head, second.replace('20.20,', '20.30,'), third, unknown, ''].join('\r\n');
}

const listed = (body: Record<string, unknown>) => body.differences as { id: string; kind: string }[];

test('the statement of the service and the books agree, and the same statement again changes nothing', async () => {
  const { till, csv } = await paidDay();
  const first = await send(till, csv);
  expect(first.body).toMatchObject({
    result: 'imported',
    different: 0,
    sessions: 3,
    booksMinor: 6_060,
    statementMinor: 6_060,
  });
  const again = await send(till, csv.split('\r\n').toSorted().toReversed().filter(Boolean).join('\n'));
  expect(again.body).toMatchObject({ result: 'unchanged', digest: first.body.digest });
  expect(await actionsOf(till, 'import_statement')).toHaveLength(1);
  const closed = await close(till, { digest: first.body.digest });
  expect(closed.body).toMatchObject({
    statement: { digest: first.body.digest, different: 0, differences: [] },
  });
  expect((await till.verify()).ok).toBe(true);
});

test('a day with differences is closed when each one is explained, and the close names them', async () => {
  const { till, csv } = await paidDay();
  const { body } = await send(till, withFaults(csv));
  expect(body).toMatchObject({ different: 3, unexplained: 3, booksMinor: 6_060, statementMinor: 6_070 });
  expect(
    listed(body)
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['amount', 'only_in_books', 'only_in_statement']);
  const [one, ...others] = listed(body).map(({ id }) => id);
  const refused = 'differences from the statement without an explanation: ';
  expect((await close(till)).body).toMatchObject({
    error: { message: `${date} cannot be closed: ${refused}3` },
  });
  expect((await explain(till, [one])).body).toMatchObject({ different: 3, unexplained: 2 });
  expect((await close(till)).body).toMatchObject({
    error: { message: `${date} cannot be closed: ${refused}2` },
  });
  expect((await explain(till, [one, 'dif_00000000000000000000'])).status).toBe(409);
  await explain(till, others, 'the second line is a test of the service');
  expect((await close(till, { digest: null })).body).toMatchObject({
    error: { message: `the statement of ${date} is not the one that you saw: look at the day again` },
  });
  expect((await close(till)).status).toBe(200);
  const [closed] = await actionsOf(till, 'close_day');
  expect(closed?.detail).toMatchObject({
    statement: {
      ...{ digest: body.digest, different: 3 },
      differences: listed(body).map(({ id, kind }) => ({
        ...{ id, kind },
        explanation: id === one ? 'agreed with the service' : 'the second line is a test of the service',
      })),
    },
  });
});

test('a difference names the review of its payment, and says whether the service decides it', async () => {
  const till = await createTill({ configure: withStaff });
  const [paid = ''] = payers;
  await till.paidPayment(paid);
  const held = await payHeld(till);
  await till.clock.advance(dayMs);
  const { sessionId } = await till.only(paid);
  const csv = await fetchStatement(till, date);
  const line = csv.split('\r\n').find((one) => one.includes(sessionId ?? '-')) ?? '';
  const [head] = csv.split('\r\n');
  const view = async () =>
    (await send(till, [head, line.replace(sessionId ?? '-', held.sessionId ?? '-'), ''].join('\r\n'))).body;
  const without = listed(await view()).find(({ kind }) => kind === 'only_in_books');
  expect(without).toMatchObject({ review: null, why: expect.stringContaining('Ask the service') });
  const sql = "UPDATE collection SET review = 'second_charge' WHERE payer = '233244123456'";
  expect(await till.write([{ sql, args: [], rows: 1 }])).toBe(true);
  expect(listed(await view()).toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toMatchObject([
    {
      kind: 'only_in_books',
      review: { reason: 'second_charge', decidedBy: 'people' },
      why: expect.stringContaining('People here decide the review second_charge.'),
    },
    {
      kind: 'only_in_statement',
      review: { reason: 'amount_mismatch', decidedBy: 'service' },
      why: expect.stringContaining('The service decides the review amount_mismatch: wait for it.'),
    },
  ]);
});

test('a later import replaces the comparison, the audit keeps the earlier one, and the day can be closed again', async () => {
  const { till, csv } = await paidDay();
  const { body } = await send(till, withFaults(csv));
  await explain(
    till,
    listed(body).map(({ id }) => id),
  );
  expect((await close(till)).status).toBe(200);
  expect((await close(till)).status).toBe(409);
  expect((await send(till, csv)).body).toMatchObject({ result: 'replaced', different: 0 });
  expect((await close(till)).body).toMatchObject({ statement: { different: 0 } });
  const [earlier, later] = await actionsOf(till, 'import_statement');
  const kept = { digest: body.digest, different: 3, replaces: null };
  expect(earlier?.detail).toMatchObject({ ...kept, differences: Array.from({ length: 3 }, () => ({})) });
  expect(later?.detail).toMatchObject({ different: 0, replaces: body.digest });
  // The first file again: its explanations still hold, because its differences are the same.
  expect((await send(till, withFaults(csv))).body).toMatchObject({
    result: 'replaced',
    different: 3,
    unexplained: 0,
  });
});

test('a payment that was opened before midnight and paid after it is a difference of both days', async () => {
  const till = await createTill({ configure: withStaff });
  await till.clock.advance(Date.parse('2026-03-07T00:00:00Z') - 20_000 - till.clock.now());
  await till.prompted(payers[0]);
  await till.clock.advance(Math.max(0, Date.parse('2026-03-07T00:00:00Z') - till.clock.now()));
  await till.approved(payers[0]);
  await till.clock.advance(dayMs);
  for (const [day, booksMinor, statementMinor] of [
    [date, 2_020, 0],
    ['2026-03-07', 0, 2_020],
  ] as const) {
    const { body } = await send(till, await fetchStatement(till, day), 'kofi', day);
    expect(body).toMatchObject({ booksMinor, statementMinor, differences: [{ kind: 'later_day' }] });
  }
});

test('a second charge of a session that another payment has counts in the books beside the first', async () => {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const { sessionId } = await till.paidPayment();
  const event = reviewOf(sessionId ?? '', 'evt_1', 2_020, 'second_charge');
  await deliver(till, {
    ...event,
    data: { ...event.data, status: 'paid', paid_at: `${date}T09:05:00.000Z` },
  });
  const [second] = await unplacedIn(till);
  await till.prompted('0244123499');
  await till.clock.advance(3 * 3_600_000);
  const { id: collectionId } = await till.only('0244123499');
  const match = { outcome: 'match', collectionId, version: second?.version };
  expect((await decide(till, `/unplaced/${second?.id}`, match)).status).toBe(200);
  await till.clock.advance(dayMs);
  const line = `${sessionId},${date}T09:00:40Z,paid,20.00,0.20,20.20\n`;
  const head = 'session_id,paid_at,status,price,fee,total\n';
  expect((await send(till, head + line)).body).toMatchObject({
    ...{ booksMinor: 4_040, statementMinor: 2_020 },
    differences: [{ kind: 'amount', books: { totalMinor: 4_040 }, statement: { totalMinor: 2_020 } }],
  });
  expect((await send(till, head + line + line)).body).toMatchObject({ statementMinor: 4_040, different: 0 });
});

test('a phone number in an explanation or a session is masked where it is stored and read', async () => {
  const { till, csv } = await paidDay();
  const { body } = await send(till, withFaults(csv).replace('pay_unknown', 'call-0244123456'));
  const ids = listed(body).map(({ id }) => id);
  const { body: explained } = await explain(till, ids, 'payer 0244123456 called, also +233 24 412 3456');
  expect(explained).toMatchObject({ unexplained: 0 });
  expect((await close(till)).status).toBe(200);
  const read = await callStaff(till, 'efua', `/days/${date}/statement?merchantId=demo-shop`);
  const all = JSON.stringify([body, explained, read.body, await staffActions(till)]);
  expect(all).toContain('payer 23324****456 called, also 23324****456');
  expect(all).not.toMatch(/4123456|412 3456/);
});

test('of several closes at once one is recorded, and each has the statement of the import before it', async () => {
  const { till, csv } = await paidDay();
  const closes = await Promise.all([close(till), close(till), close(till)]);
  expect(closes.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(await actionsOf(till, 'close_day')).toHaveLength(1);
  await Promise.all([send(till, csv), ...Array.from({ length: 6 }, () => close(till))]);
  await Promise.all([send(till, withFaults(csv)), ...Array.from({ length: 6 }, () => close(till))]);
  let digest: unknown;
  for (const one of await staffActions(till)) {
    const detail = one.detail as { digest?: string; statement?: { digest: string } | null };
    if (one.action === 'import_statement') digest = detail.digest;
    else expect(detail.statement?.digest).toBe(digest);
  }
  expect((await till.verify()).ok).toBe(true);
});

test('a day without a statement is closed, and the close says so', async () => {
  const { till } = await paidDay();
  expect((await callStaff(till, 'ama', `/days/${date}/statement?merchantId=demo-shop`)).status).toBe(404);
  expect((await close(till, { digest: null })).body).toMatchObject({ statement: null });
});

test('a refused file stores nothing, and only people who close days import and explain', async () => {
  const { till, csv } = await paidDay();
  const bad = await send(till, csv.replace('20.20', '20;20'));
  expect([bad.status, bad.body]).toMatchObject([
    400,
    { error: { message: expect.stringMatching(/^line 2, column total: expected/) } },
  ]);
  expect((await send(till, csv, 'kofi', '2026-03-05')).status).toBe(400);
  expect((await send(till, csv, 'kofi', '2026-03-09')).status).toBe(409);
  expect((await send(till, csv, 'ama')).status).toBe(403);
  expect((await send(till, csv, 'efua')).status).toBe(403);
  expect((await callStaff(till, 'kofi', `/days/${date}/statement?merchantId=demo-shop`)).status).toBe(404);
  expect(await actionsOf(till, 'import_statement')).toEqual([]);
  await send(till, csv);
  expect((await callStaff(till, 'efua', `/days/${date}/statement?merchantId=demo-shop`)).body).toMatchObject({
    different: 0,
  });
});

test('a file of one mebibyte arrives, and a larger body is refused', async () => {
  const { till, csv } = await paidDay();
  const padding = (bytes: number) => `${csv}${'\r\n'.repeat((bytes - csv.length) / 2)}`;
  expect((await send(till, padding(maxStatementBytes / 2))).status).toBe(200);
  expect((await send(till, padding(maxStatementBytes))).status).toBe(413);
  expect((await callStaff(till, 'kofi', `/days/${date}/close`, { x: 'x'.repeat(20_000) })).status).toBe(413);
});

test('the thread of reads parses a file: without a turn there, the main thread sees no line of it, and nothing is stored', async () => {
  const till = await createTill({
    configure: withStaff,
    overrides: () => ({ createReader: createCrowdedReader }),
  });
  await till.clock.advance(dayMs);
  // Whoever parsed this file would name its first line.
  const refused = await send(till, 'no statement');
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'busy' } } });
  expect(await actionsOf(till, 'import_statement')).toEqual([]);
});
