import { expect, test } from 'vitest';
import { createAccount, createBrowser, createConsoleTill, password } from '../../kit/console.ts';
import { staffActions } from '../../kit/staff.ts';

const minute = 60_000;

test('a note that is sent after the sign-in has ended comes back after the next one, and nothing was written before', async () => {
  const till = await createConsoleTill();
  const { id } = await till.prompted('0244123456');
  const efua = await createAccount(till, 'efua', 'agent');
  const browser = await efua.signIn();
  await till.clock.advance(31 * minute);
  const link = await browser.get(`/payments/${id}`);
  expect(link.location).toBe(`/console/sign-in?page=payments%2F${id}&ended=1`);
  const ended = await browser.get(`/sign-in?page=payments%2F${id}&ended=1`);
  expect(ended.text).toContain('Your sign-in has ended.');

  const typed = 'the caller has the SMS, and "<b>asks</b>" again';
  const refused = await browser.post(`/payments/${id}/notes`, { text: typed });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('What you typed comes back');
  expect((await staffActions(till)).filter(({ action }) => action === 'note')).toEqual([]);
  const [, kept = ''] = /name="kept" value="([\w-]+)"/.exec(refused.text) ?? [];
  const answer = await browser.post('/sign-in', {
    ...{ name: 'efua', password: password, code: await efua.code(), kept },
  });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain(`action="/console/payments/${id}/notes"`);
  expect(answer.text).toContain(
    'the caller has the SMS, and &quot;&lt;b&gt;asks&lt;/b&gt;&quot; again</textarea>',
  );
  expect((await browser.post(`/payments/${id}/notes`, { text: typed })).status).toBe(303);
  expect((await staffActions(till)).filter(({ action }) => action === 'note')).toHaveLength(1);
});

test('the kept form of one person is not sent by another, and no approval, close or password is kept', async () => {
  const till = await createConsoleTill();
  const { id } = await till.prompted('0244123456');
  const [efua, kofi] = [
    await createAccount(till, 'efua', 'agent'),
    await createAccount(till, 'kofi', 'lead'),
  ];
  const browser = await efua.signIn();
  await till.clock.advance(31 * minute);
  const note = await browser.post(`/payments/${id}/notes`, { text: 'a note of efua' });
  const [, kept = ''] = /name="kept" value="([\w-]+)"/.exec(note.text) ?? [];
  expect(kept).not.toBe('');
  expect(note.text).not.toContain('a note of efua');
  const other = await browser.post('/sign-in', { name: 'kofi', password, code: await kofi.code(), kept });
  expect(other).toMatchObject({ status: 303, location: '/console' });
  await till.clock.advance(31 * minute);
  for (const path of ['/proposals/prp_1/approve', '/days/2026-03-06/close', '/me/password'])
    expect(
      await browser.post(path, { reason: 'x y', password: 'another horse battery' }),
      path,
    ).toMatchObject({
      ...{ status: 303, location: '/console/sign-in?ended=1' },
    });
});

test('every reason and explanation that a person typed is kept', async () => {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'finance');
  const browser = await efua.signIn();
  await till.clock.advance(31 * minute);
  for (const path of [
    ...['assign', 'block', 'unblock', 'reveal', 'proposals'].map((name) => `/payments/col_1/${name}`),
    ...['/proposals/prp_1/refuse', '/days/2026-03-06/differences', '/unplaced/unp_1/proposals'],
  ]) {
    const { status, text } = await browser.post(path, { reason: 'the caller asked for it' });
    expect({ status, isKept: text.includes('name="kept"') }, path).toEqual({ status: 403, isKept: true });
  }
});

test('a text that is no kept form of the person changes nothing at the sign-in', async () => {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'agent');
  for (const kept of [
    'x',
    JSON.stringify({ verb: 'Pay', path: '//thief.example', fields: { text: 'a b' } }),
  ]) {
    const answer = await createBrowser(till).post('/sign-in', {
      ...{ name: 'efua', password, code: await efua.code(), kept },
    });
    expect(answer, kept).toMatchObject({ status: 303, location: '/console' });
  }
});

test('a form that is sent before the password comes back after it with its fields; another one says that nothing was changed', async () => {
  const till = await createConsoleTill();
  const yaw = await createAccount(till, 'yaw', 'admin');
  const browser = await yaw.signIn();
  await till.clock.advance(6 * minute);
  const asked = await browser.post('/staff', { name: 'adjoa', role: 'agent' });
  expect(asked.status).toBe(403);
  expect(asked.text).toContain('Enter your password again');
  const [, kept = ''] = /name="kept" value="([\w-]+)"/.exec(asked.text) ?? [];
  const back = await browser.post('/confirm', { password, code: await yaw.code(), page: 'staff', kept });
  expect(back).toMatchObject({
    status: 200,
    text: expect.stringContaining('Your password was asked for first'),
  });
  for (const field of ['action="/console/staff"', 'name="name"', 'adjoa', 'name="role" value="agent"'])
    expect(back.text).toContain(field);
  expect((await browser.get('/staff')).text).not.toContain('adjoa');
  expect((await browser.post('/staff', { name: 'adjoa', role: 'agent' })).text).toContain('Code of adjoa');

  await till.clock.advance(6 * minute);
  const unsent = await browser.post('/me/password', { password: 'another horse battery' });
  expect(unsent).toMatchObject({ status: 303, location: '/console/confirm?page=me&unsent=1' });
  const page = await browser.get('/confirm?page=me&unsent=1');
  expect(page.text).toContain('name="unsent"');
  const confirmed = await browser.post('/confirm', {
    ...{ password, code: await yaw.code(), page: 'me', unsent: '1' },
  });
  expect(confirmed.location).toBe('/console/me');
  expect((await browser.get('/me')).text).toContain('Nothing was changed yet');
  expect((await browser.get('/me')).text).not.toContain('Nothing was changed yet');
});

test('a refused form of a person has what was typed', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'yaw', 'admin')).signIn();
  const person = await browser.post('/staff', { name: 'Kwame Mensah', role: 'finance' });
  expect(person.status).toBe(422);
  for (const part of ['value="Kwame Mensah"', '<option value="finance" selected'])
    expect(person.text).toContain(part);
});
