import { expect, test } from 'vitest';
import type { AccountRole } from '../../../src/contract/staff/account.ts';
import { createAccount, createConsoleTill, setUp } from '../../kit/console.ts';
import { callWithConfiguration, signInStaff } from '../../kit/staff.ts';
import { paidEvent, payer, type Till } from '../../kit/till.ts';

const dayMs = 24 * 3_600_000;

/** A payment that waits for a decision, on a gateway with two people who decide. */
async function createReview() {
  const till = await createConsoleTill();
  const [first, second] = [
    await createAccount(till, 'ama', 'lead'),
    await createAccount(till, 'kofi', 'finance'),
  ];
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.deliverHandled(paidEvent(row, 'evt_half', { amount_minor: 1_020 }));
  const { id, version } = await till.untilStatus(payer, 'review');
  return { till, first, second, id, version };
}

/** Proposes with one browser, and approves with another one. @returns the answer to the approval. */
async function decide(
  { till, id, version }: { till: Till; id: string; version: number },
  author: Awaited<ReturnType<typeof createAccount>>,
  approver: Awaited<ReturnType<typeof createAccount>>,
) {
  const fields = { outcome: 'accept', evidence: 'statement, line 12', version: String(version) };
  expect((await (await author.signIn()).post(`/payments/${id}/proposals`, fields)).status).toBe(303);
  const [proposal] = (await till.read((store) => store.query('SELECT id FROM proposal', [], 'row'))) as [
    string,
  ];
  return (await approver.signIn()).post(`/proposals/${proposal}/approve`);
}

const add = (till: Till, name: string, role: AccountRole) => createAccount(till, name, role);

test('the first two people of a gateway decide at once', async () => {
  const review = await createReview();
  const { first, second } = review;
  expect((await decide(review, first, second)).status).toBe(303);
});

test('an admin who adds two accounts and reads both codes does not decide, and everybody who decides sees them', async () => {
  const review = await createReview();
  const { till, first } = review;
  const [author, approver] = [await add(till, 'puppet-a', 'lead'), await add(till, 'puppet-b', 'finance')];
  const answer = await decide(review, author, approver);
  expect(answer).toMatchObject({ status: 409, text: expect.stringContaining('your right to decide is new') });
  expect((await till.only(payer)).status).toBe('review');
  const browser = await first.signIn();
  expect((await browser.get('/')).text).toContain('New people who decide');
  const { text } = await browser.get('/deciders');
  for (const name of ['puppet-a', 'puppet-b']) expect(text).toContain(`Accept ${name}`);
  // One of them cannot accept the other, nor itself.
  const puppet = await approver.signIn();
  for (const name of ['puppet-a', 'puppet-b'])
    expect((await puppet.post(`/deciders/${name}/accept`)).status).toBe(409);
});

test('a new person decides after another person has accepted it', async () => {
  const review = await createReview();
  const { till, first } = review;
  const third = await add(till, 'efua', 'lead');
  expect((await (await first.signIn()).post('/deciders/efua/accept')).status).toBe(303);
  expect((await decide(review, first, third)).status).toBe(303);
});

test('a new person decides after a day', async () => {
  const review = await createReview();
  const { till, first } = review;
  const third = await add(till, 'efua', 'lead');
  await till.clock.skip(dayMs);
  expect((await decide(review, first, third)).status).toBe(303);
});

test('a person who was reset waits, and a person with another role before', async () => {
  const review = await createReview();
  const { till, first } = review;
  const reset = await callWithConfiguration(till, '/accounts/kofi/reset', {});
  const kofi = await setUp(till, 'kofi', String(reset.body.code));
  expect((await decide(review, first, kofi)).status).toBe(409);
  const agent = await add(till, 'yaw', 'agent');
  await callWithConfiguration(till, '/accounts/yaw/role', { role: 'lead', merchantId: null });
  const answer = await (await agent.signIn()).get('/deciders');
  expect(answer.text).toContain('yaw');
});

test('people who lost their role are still the first ones', async () => {
  const review = await createReview();
  const { till, first } = review;
  for (const name of ['ama', 'kofi'])
    await callWithConfiguration(till, `/accounts/${name}/role`, { role: 'agent', merchantId: null });
  const puppet = await add(till, 'puppet', 'lead');
  expect((await decide(review, first, puppet)).status).toBe(409);
});

const changeRoleTo = (till: Till, name: string, role: AccountRole) =>
  callWithConfiguration(till, `/accounts/${name}/role`, { role, merchantId: null });
const resetOf = (till: Till, name: string) => callWithConfiguration(till, `/accounts/${name}/reset`, {});
const takeOver = async (till: Till, name: string, reset: { body: Record<string, unknown> }) =>
  setUp(till, name, String(reset.body.code));

test('a reset before the first use begins the wait again, also after another person has accepted the account', async () => {
  const review = await createReview();
  const { till, first } = review;
  const invite = (name: string) =>
    callWithConfiguration(till, '/accounts', { name, role: 'lead', merchantId: null });
  await invite('accepted');
  expect((await (await first.signIn()).post('/deciders/accepted/accept')).status).toBe(303);
  await invite('old');
  await till.clock.skip(dayMs);
  for (const name of ['accepted', 'old']) {
    const puppet = await takeOver(till, name, await resetOf(till, name));
    const { text } = await (await puppet.signIn()).get('/deciders');
    expect(text).toContain('Another person accepts you.');
  }
});

test('one of the first two people decides at once after a reset before the first use, whose code had ended', async () => {
  const till = await createConsoleTill();
  const body = { name: 'ama', role: 'lead', merchantId: null };
  await callWithConfiguration(till, '/accounts', body);
  const { body: reset } = await resetOf(till, 'ama');
  expect(reset.account).toMatchObject({ decidesFrom: null });
});

test('another role in between does not end the wait after a reset', async () => {
  for (const order of ['reset first', 'role first']) {
    const review = await createReview();
    const { till, first } = review;
    if (order === 'role first') await changeRoleTo(till, 'kofi', 'agent');
    const reset = await resetOf(till, 'kofi');
    if (order === 'reset first') await changeRoleTo(till, 'kofi', 'agent');
    await changeRoleTo(till, 'kofi', 'finance');
    const kofi = await takeOver(till, 'kofi', reset);
    expect((await decide(review, first, kofi)).status, order).toBe(409);
  }
});

test.each([
  ['kofi', true],
  ['kofi', false],
  ['yaw', true],
  ['yaw', false],
])(
  'a role of %s that is changed at the moment of a reset does not end its wait',
  async (name, isResetFirst) => {
    const review = await createReview();
    const { till, first } = review;
    await add(till, 'yaw', 'agent');
    const calls = [() => resetOf(till, name), () => changeRoleTo(till, name, 'lead')];
    const answers = await Promise.all((isResetFirst ? calls : calls.reverse()).map((call) => call()));
    const reset = answers[isResetFirst ? 0 : 1];
    for (const { status } of answers) expect([200, 409]).toContain(status);
    // Whoever lost tries again.
    const done = reset?.status === 200 ? reset : await resetOf(till, name);
    await changeRoleTo(till, name, 'finance');
    const puppet = await takeOver(till, name, done);
    expect((await decide(review, first, puppet)).status).toBe(409);
  },
);

test('of accounts that are added or get a role at one moment, only the first two decide at once', async () => {
  const till = await createConsoleTill();
  for (const name of ['b1', 'b2', 'b3'])
    await callWithConfiguration(till, '/accounts', { name, role: 'agent', merchantId: null });
  const body = (name: string) => ({ name, role: 'lead', merchantId: null });
  const answers = await Promise.all([
    ...['a1', 'a2', 'a3'].map((name) => callWithConfiguration(till, '/accounts', body(name))),
    ...['b1', 'b2', 'b3'].map((name) => changeRoleTo(till, name, 'finance')),
  ]);
  for (const { status } of answers) expect([200, 409]).toContain(status);
  const now = till.clock.now();
  const rows = await till.read((store) =>
    store.query('SELECT name FROM account WHERE decides_from <= ?', [now], 'rows'),
  );
  expect(rows).toHaveLength(2);
});

const disable = (till: Till, name: string) => callWithConfiguration(till, `/accounts/${name}/disable`, {});
const enable = (till: Till, name: string) => callWithConfiguration(till, `/accounts/${name}/enable`, {});

test('a disabled person who waits is seen by everybody who decides, and waits again when it is enabled', async () => {
  const review = await createReview();
  const { till, first } = review;
  const mallory = await add(till, 'mallory', 'lead');
  await add(till, 'yaw', 'agent');
  for (const name of ['mallory', 'yaw']) await disable(till, name);
  await changeRoleTo(till, 'yaw', 'lead');
  const browser = await first.signIn();
  expect((await browser.get('/')).text).toContain('New people who decide');
  const { text } = await browser.get('/deciders');
  for (const name of ['mallory', 'yaw']) {
    expect(text).toContain(name);
    expect(text).not.toContain(`Accept ${name}`);
    const refused = await browser.post(`/deciders/${name}/accept`);
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining(`${name} is disabled`) });
  }
  await till.clock.skip(dayMs);
  const now = till.clock.now();
  for (const name of ['mallory', 'yaw'])
    expect((await enable(till, name)).body.decidesFrom).toBe(new Date(now + dayMs).toISOString());
  expect((await (await first.signIn()).get('/deciders')).text).toContain('Accept yaw');
  expect((await decide(review, first, mallory)).status).toBe(409);
});

test('a person who decided before it was disabled waits when it is enabled, until another person accepts it', async () => {
  const review = await createReview();
  const { till, first, second } = review;
  await till.clock.skip(dayMs);
  await disable(till, 'kofi');
  await enable(till, 'kofi');
  expect((await decide(review, first, second)).status).toBe(409);
  expect((await (await first.signIn()).post('/deciders/kofi/accept')).status).toBe(303);
});

test('the second person who decides waits when the gateway is not new any more', async () => {
  const till = await createConsoleTill();
  await createAccount(till, 'ama', 'lead');
  await till.clock.skip(dayMs);
  const { body } = await callWithConfiguration(till, '/accounts', {
    ...{ name: 'mallory', role: 'lead', merchantId: null },
  });
  expect(body.account).toMatchObject({
    decidesFrom: new Date(till.clock.now() + dayMs).toISOString(),
  });
});

test('people who decided before the wait existed are still the first ones without their roles', async () => {
  const till = await createConsoleTill();
  for (const name of ['ama', 'kofi'] as const) {
    await signInStaff(till, name);
    await changeRoleTo(till, name, 'agent');
  }
  const { body } = await callWithConfiguration(till, '/accounts', {
    ...{ name: 'mallory', role: 'lead', merchantId: null },
  });
  expect(body.account).toMatchObject({ decidesFrom: expect.any(String) });
});
