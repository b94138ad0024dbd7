import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
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
  const [, escaped = ''] = /name="kept" value="([^"]+)"/.exec(refused.text) ?? [];
  const kept = escaped
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  const answer = await browser.post('/sign-in', {
    ...{ name: 'efua', password: 'correct horse battery', code: await efua.code(), kept },
  });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain(`action="/console/payments/${id}/notes"`);
  expect(answer.text).toContain(
    'the caller has the SMS, and &quot;&lt;b&gt;asks&lt;/b&gt;&quot; again</textarea>',
  );
  expect((await browser.post(`/payments/${id}/notes`, { text: typed })).status).toBe(303);
  expect((await staffActions(till)).filter(({ action }) => action === 'note')).toHaveLength(1);
});

test('a password is not kept, and a kept form names no address outside of the console', async () => {
  const till = await createConsoleTill();
  const efua = await createAccount(till, 'efua', 'agent');
  const browser = await efua.signIn();
  await till.clock.advance(31 * minute);
  const secret = await browser.post('/me/password', { password: 'another horse battery' });
  expect(secret).toMatchObject({ status: 303, location: '/console/sign-in?ended=1' });
  for (const path of [
    'https://thief.example/console/x',
    '//thief.example',
    '/console/../x',
    '/staff/v1/reviews',
  ]) {
    const answer = await browser.post('/sign-in', {
      ...{ name: 'efua', password: 'correct horse battery', code: await efua.code() },
      kept: JSON.stringify({ path, fields: { text: 'a b' } }),
    });
    expect(answer, path).toMatchObject({ status: 303, location: '/console' });
  }
});
