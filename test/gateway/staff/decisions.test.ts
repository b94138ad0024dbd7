import { expect, test } from 'vitest';
import { watchMs } from '../../../src/gateway/collection/decide/decision.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { heldByService, payHeld } from '../../kit/console.ts';
import { inSuspense } from '../../kit/scenes.ts';
import { callStaff, type StaffName, staffActions, withStaff } from '../../kit/staff.ts';
import { createTill, hour, paidEvent, payer, type Till } from '../../kit/till.ts';
import { deliver, onlyUnplaced, paidOf } from '../../kit/unplaced.ts';
import { withoutTriggers } from '../../kit/with-database.ts';

/** Creates a till with a collection in review: half of the amount arrived. Returns its id and version. */
async function halfPaid(secondPersonAboveMinor = 0) {
  const till = await createTill({
    configure(config) {
      withStaff(config);
      config.decisions = { secondPersonAboveMinor };
    },
  });
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.deliverHandled(paidEvent(row, 'evt_half', { amount_minor: 1_020 }));
  const { id, version } = await till.untilStatus(payer, 'review');
  return { till, id, version };
}

const evidence = 'statement of 6 March, line 12';
const terms = { outcome: 'accept', evidence };

async function proposed(till: Till, id: string, version: number, more: object = {}) {
  const answer = await callStaff(till, 'ama', `/reviews/${id}/proposals`, { ...terms, version, ...more });
  expect(answer).toMatchObject({ status: 200, body: { state: 'open', proposedBy: 'ama' } });
  return String(answer.body.id);
}

const end = (till: Till, name: StaffName, proposal: string, verb: 'approve' | 'withdraw' | 'refuse') =>
  callStaff(till, name, `/proposals/${proposal}/${verb}`, verb === 'refuse' ? { reason: whyNot } : {});
const whyNot = 'the statement has another amount';
const conflict = (message: string) => ({
  status: 409,
  body: { error: { code: 'conflict', message: expect.stringContaining(message) } },
});

test('accept, approved by a second person, releases what arrived in one batch with its action', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const preview = await callStaff(till, 'kofi', `/proposals/${proposal}`);
  expect(preview.body).toMatchObject({ obstacle: null });
  expect(await end(till, 'kofi', proposal, 'approve')).toMatchObject({
    status: 200,
    body: { state: 'approved' },
  });
  const released = [
    ['release', 'suspense', -1_020],
    ['release', 'merchant:demo-shop', 1_000],
    ['release', 'service_fees', 20],
  ];
  expect(await till.booked(id)).toEqual([...inSuspense(1_020), ...released]);
  expect(preview.body.postings).toEqual(
    released.map(([booking, account, amountMinor]) => ({ booking, account, amountMinor })),
  );
  expect(await till.only(payer)).toMatchObject({ status: 'paid', review: null, booked: 'released' });
  expect(
    (await staffActions(till)).map(({ actor, action, result }) => `${actor} ${action} ${result}`),
  ).toEqual(['ama propose done', 'kofi approve done']);
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('returned needs the reference of the transfer, and returns what arrived', async () => {
  const { till, id, version } = await halfPaid();
  const path = `/reviews/${id}/proposals`;
  const without = await callStaff(till, 'ama', path, { ...terms, outcome: 'returned', version });
  expect(without).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  const proposal = await proposed(till, id, version, { outcome: 'returned', reference: 'MP2603.1' });
  await end(till, 'kofi', proposal, 'approve');
  expect(await till.only(payer)).toMatchObject({ status: 'failed', booked: 'returned' });
  const { facts } = await till.record(id);
  expect(JSON.parse(facts.at(-1)?.data ?? '')).toMatchObject({
    ...{ outcome: 'returned', by: 'ama', approvedBy: 'kofi', reference: 'MP2603.1', versionSeen: version },
  });
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('paid is refused while money is recorded, and books the quote when none is', async () => {
  const { till, id, version } = await halfPaid();
  const path = `/reviews/${id}/proposals`;
  const answer = await callStaff(till, 'ama', path, { ...terms, outcome: 'paid', version });
  expect(answer).toMatchObject(conflict('Propose accept or returned'));
  expect(await staffActions(till)).toEqual([]);
});

test('the author cannot approve the own proposal, and the attempt is recorded', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  expect(await end(till, 'ama', proposal, 'approve')).toMatchObject(conflict('another person must approve'));
  expect(await till.booked(id)).toEqual(inSuspense(1_020));
  expect((await staffActions(till)).at(-1)).toMatchObject({
    actor: 'ama',
    action: 'approve',
    result: 'refused',
  });
  expect(await till.verify()).toMatchObject({ ok: true });
});

test.each([
  [2_000, 200],
  [1_999, 409],
  [1_020, 409],
])(
  'with a second person above %i pesewas, the author alone gets %i for 1,020 of a price of 2,000',
  async (above, status) => {
    const { till, id, version } = await halfPaid(above);
    const proposal = await proposed(till, id, version);
    expect((await end(till, 'ama', proposal, 'approve')).status).toBe(status);
  },
);

test('a decision on facts that its author has not seen is refused, and names what arrived', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const row = await till.only(payer);
  await till.deliverHandled(paidEvent(row, 'evt_other', { amount_minor: 2_020 }));
  const answer = await end(till, 'kofi', proposal, 'approve');
  expect(answer).toMatchObject(conflict(`facts arrived since version ${version} (event`));
  expect(await till.only(payer)).toMatchObject({ status: 'review', booked: 'suspense' });
  expect((await staffActions(till)).at(-1)).toMatchObject({ action: 'approve', result: 'refused' });
  const late = await callStaff(till, 'ama', `/reviews/${id}/proposals`, { ...terms, version });
  expect(late).toMatchObject(conflict('facts arrived since'));
  // The outdated proposal gives way to one on the current facts.
  const again = await proposed(till, id, (await till.only(payer)).version);
  expect(await end(till, 'kofi', again, 'approve')).toMatchObject({ status: 200 });
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('an event that races with an approval is never decided over', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const row = await till.only(payer);
  const [answer] = await Promise.all([
    end(till, 'kofi', proposal, 'approve'),
    till.deliverHandled(paidEvent(row, 'evt_race', { amount_minor: 2_020 })),
  ]);
  const { facts } = await till.record(id);
  const decided = facts.find(({ kind }) => kind === 'decided');
  expect(decided?.version).toBe(answer.status === 200 ? version + 1 : undefined);
});

test('a proposal is approved once, also by two people at the same time', async () => {
  const { till, id, version } = await halfPaid(10_000);
  const proposal = await proposed(till, id, version);
  const answers = await Promise.all([
    end(till, 'kofi', proposal, 'approve'),
    end(till, 'ama', proposal, 'approve'),
    end(till, 'ama', proposal, 'withdraw'),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  answers.push(await end(till, 'kofi', proposal, 'approve'));
  expect(answers.at(-1)?.status).toBe(409);
  expect(await till.verify()).toMatchObject({ ok: true });
});

test.each([
  ['withdraw', 'approve'],
  ['approve', 'withdraw'],
] as const)('of %s and %s at the same time, one is done', async (...verbs) => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const people = { withdraw: 'ama', approve: 'kofi' } as const;
  const answers = await Promise.all(verbs.map((verb) => end(till, people[verb], proposal, verb)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const isApproved = answers[verbs.indexOf('approve')]?.status === 200;
  expect(await till.only(payer)).toMatchObject({ booked: isApproved ? 'released' : 'suspense' });
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('one proposal per collection is open; its author withdraws it, and others refuse it', async () => {
  const { till, id, version } = await halfPaid();
  const first = await proposed(till, id, version);
  const second = await callStaff(till, 'kofi', `/reviews/${id}/proposals`, { ...terms, version });
  expect(second).toMatchObject(conflict(`${first} by ama is open`));
  expect(await end(till, 'kofi', first, 'withdraw')).toMatchObject(conflict('refuse it instead'));
  expect(await end(till, 'ama', first, 'refuse')).toMatchObject(conflict('withdraw it instead'));
  expect(await end(till, 'kofi', first, 'refuse')).toMatchObject({ body: { state: 'refused' } });
  expect(await end(till, 'kofi', first, 'approve')).toMatchObject(conflict('is refused by kofi'));
  const again = await proposed(till, id, version);
  expect(await end(till, 'ama', again, 'withdraw')).toMatchObject({ body: { state: 'withdrawn' } });
  expect((await till.only(payer)).version).toBe(version);
});

test('a proposal ends after 24 hours', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  await till.clock.skip(24 * hour);
  expect(await end(till, 'kofi', proposal, 'approve')).toMatchObject(conflict('is expired'));
  expect(await till.booked(id)).toEqual(inSuspense(1_020));
  await proposed(till, id, version);
});

test('a collection that is polled or not in review cannot be decided', async () => {
  const till = await createTill({ configure: withStaff });
  const { id, version } = await till.prompted(payer);
  const answer = await callStaff(till, 'ama', `/reviews/${id}/proposals`, { ...terms, version });
  expect(answer).toMatchObject(conflict('still polls it'));
});

test('the list and the view of a review name its version, its proposal and what each decision would write', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const list = await callStaff(till, 'kofi', '/reviews');
  expect(list.body).toMatchObject({
    data: [{ collectionId: id, version, amountMinor: 1_020, proposal: { id: proposal } }],
    total: 1,
    next: null,
  });
  const view = await callStaff(till, 'kofi', `/reviews/${id}`);
  const decisions = view.body.decisions as { outcome: string }[];
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['accept', 'returned', 'not_paid']);
});

/** Changes the file as an attacker could, and returns the faults that the audit finds. */
async function faultsAfter(till: Till, sql: string): Promise<string[]> {
  const file = new Database(till.config.database.file);
  withoutTriggers(file, () => file.exec(sql));
  file.close();
  return (await till.verify()).faults.map(({ row, fault }) => `${row}: ${fault}`);
}

test('the audit reports a decision without an approval, and a proposal that differs from its action', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  expect(await faultsAfter(till, `UPDATE proposal SET outcome = 'not_paid'`)).toEqual([
    `proposal ${proposal}: differs from the recorded actions of its people`,
  ]);
  await faultsAfter(till, `UPDATE proposal SET outcome = 'accept'`);
  await end(till, 'kofi', proposal, 'approve');
  const faults = await faultsAfter(till, `UPDATE staff_action SET actor = 'ama' WHERE action = 'approve'`);
  // The audit checks proposals and collections in an order of its own.
  expect(faults.sort()).toEqual([
    `collection ${id}: has a decision that no recorded approval of a person explains`,
    `proposal ${proposal}: differs from the recorded actions of its people`,
  ]);
});

/** Proposes a decision about a review or about unplaced money, as ama. Returns the till and the id of the proposal. */
async function proposedAbout(kind: 'review' | 'unplaced') {
  if (kind === 'review') {
    const { till, id, version } = await halfPaid();
    return { till, proposal: await proposed(till, id, version) };
  }
  const till = await createTill({ configure: withStaff });
  await deliver(till, paidOf('pay_elsewhere_1'));
  const path = `/unplaced/${(await onlyUnplaced(till)).id}/proposals`;
  const outcome = { outcome: 'return', reference: 'MTN-77', evidence, version: 1 };
  const { body } = await callStaff(till, 'ama', path, outcome);
  return { till, proposal: String(body.id) };
}

test.each(['review', 'unplaced'] as const)(
  'a proposal about %s shows its author the postings, and that another person must approve it',
  async (kind) => {
    const { till, proposal } = await proposedAbout(kind);
    const own = await callStaff(till, 'ama', `/proposals/${proposal}`);
    const other = await callStaff(till, 'kofi', `/proposals/${proposal}`);
    expect(own.body.obstacle).toContain('another person must approve');
    expect(other.body.obstacle).toBeNull();
    expect(own.body.postings).toEqual(other.body.postings);
    expect(own.body.postings).not.toEqual([]);
  },
);

test('a refusal needs a reason, which the author gets as a mention and the audit keeps with masked numbers', async () => {
  const { till, id, version } = await halfPaid();
  const proposal = await proposed(till, id, version);
  const path = `/proposals/${proposal}/refuse`;
  expect(await callStaff(till, 'kofi', path, {})).toMatchObject({ status: 400 });
  const reason = 'ask 0244123456 again';
  expect(await callStaff(till, 'kofi', path, { reason })).toMatchObject({ body: { state: 'refused' } });
  const actions = await staffActions(till);
  expect(actions.slice(-2).map(({ action, subject }) => [action, subject])).toEqual([
    ['refuse', id],
    ['mention', 'acc_of_ama'],
  ]);
  const masked = expect.objectContaining({
    proposal,
    reason: expect.stringMatching(/^ask 23324\*{4}456 again$/),
  });
  expect(actions.slice(-2).map(({ detail }) => detail)).toEqual([masked, masked]);
  const { body } = await callStaff(till, 'ama', `/proposals/${proposal}`);
  expect(body.refusal).toMatch(/^ask 23324\*{4}456 again$/);
  const ended = await callStaff(till, 'ama', '/proposals?state=ended');
  expect(ended.body.data).toEqual([expect.objectContaining({ refusal: body.refusal })]);
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('the list has what an approval does, the same postings for each reader, and says which one is stale', async () => {
  const { till, id, version } = await halfPaid();
  await proposed(till, id, version);
  const read = async (name: StaffName) => {
    const { body } = await callStaff(till, name, '/proposals');
    return (body.data as Record<string, unknown>[])[0];
  };
  const [own, other] = [await read('ama'), await read('kofi')];
  expect(own?.postings).toEqual(other?.postings);
  expect(own).toMatchObject({ postings: { length: 3 }, stale: null, amountMinor: 2_000 });
  expect([own?.obstacle, other?.obstacle]).toEqual([expect.stringContaining('another person'), null]);
  expect(other?.sentence).toMatch(
    /^Give GHS 10\.20 from suspense to demo-shop for the payment \d{4} \d{4}( \(.*\))?\.$/,
  );
  const row = await till.only(payer);
  await till.deliverHandled(paidEvent(row, 'evt_other', { amount_minor: 1_030 }));
  const stale = await read('kofi');
  expect(stale?.stale).toContain(`facts arrived since version ${version}`);
  expect(stale?.postings).not.toEqual([]);
  expect(stale?.subjectVersion).toBe((await till.only(payer)).version);
  expect((await read('ama'))?.postings).toEqual(stale?.postings);
});

test('while the service decides, nothing can be proposed; after its time, people here decide', async () => {
  const till = await createTill({ configure: withStaff });
  const { id, version } = await payHeld(till);
  const early = await callStaff(till, 'ama', `/reviews/${id}/proposals`, { ...terms, version });
  expect(early).toMatchObject(conflict('there is nothing to propose before 2026-03-13T'));
  expect((await callStaff(till, 'ama', `/reviews/${id}`)).body).toMatchObject({
    ...{ awaitsService: true, decisions: [] },
  });
  await till.clock.skip(watchMs + 12 * hour);
  await till.clock.advance(hour);
  await proposed(till, id, (await till.only(heldByService)).version);
});
