import { expect, test } from 'vitest';
import { basic, callStaff, signInStaff, staffActions, staffTokens, withStaff } from '../../kit/staff.ts';
import { createTill, type Till } from '../../kit/till.ts';

async function createStaffed(): Promise<Till> {
  const till = await createTill({ configure: withStaff });
  await signInStaff(till, 'ama');
  await signInStaff(till, 'kofi');
  return till;
}

/** Posts a note with these headers, and returns the status and the code of the answer. */
async function post(till: Till, headers: Record<string, string>, body = '{"text":"hello"}') {
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  const answer = await till.gateway().app.request('/staff/v1/collections/col_1/notes', request);
  const { error } = (await answer.json()) as { error?: { code: string } };
  return [answer.status, error?.code];
}

test('a gateway without the console serves no staff API', async () => {
  const till = await createTill();
  const authorization = basic('ama', staffTokens.ama);
  expect(await post(till, { authorization })).toEqual([404, 'not_found']);
});

test.each([
  ['no credentials', {}],
  ['a wrong token', { authorization: basic('ama', `${staffTokens.ama}x`) }],
  ['the token of another person', { authorization: basic('ama', staffTokens.kofi) }],
  ['an unknown name', { authorization: basic('yaw', staffTokens.ama) }],
  ['an empty token', { authorization: basic('ama', '') }],
  ['another scheme', { authorization: `Bearer ${staffTokens.ama}` }],
  ['a header that is no base64', { authorization: 'Basic ***' }],
  ['a long header', { authorization: basic('ama', 'x'.repeat(1_000)) }],
])('a request with %s is rejected, and nothing is recorded', async (_, headers) => {
  const till = await createStaffed();
  expect(await post(till, headers as Record<string, string>)).toEqual([401, 'wrong_secret']);
  expect(await staffActions(till)).toEqual([]);
  expect(till.logged()).not.toContain(staffTokens.ama);
});

test.each([
  ['a form of another site', { 'content-type': 'text/plain' }, '{"text":"hello"}', [400, 'invalid_request']],
  ['a body that is no JSON', {}, '{"text', [400, 'invalid_request']],
  ['a missing field', {}, '{}', [400, 'invalid_request']],
  ['an unknown field', {}, '{"text":"hello","by":"kofi"}', [400, 'invalid_request']],
  ['an empty note', {}, '{"text":"  "}', [400, 'invalid_request']],
  ['a note that moves the cursor of a terminal', {}, '{"text":"a\\u001b[2J"}', [400, 'invalid_request']],
  ['a large body', {}, JSON.stringify({ text: 'x'.repeat(17_000) }), [413, 'body_too_large']],
  ['an unknown collection', {}, '{"text":"hello"}', [404, 'not_found']],
])('%s is rejected, and nothing is recorded', async (_, headers, body, expected) => {
  const till = await createStaffed();
  const authorization = basic('ama', staffTokens.ama);
  expect(await post(till, { authorization, ...headers }, body)).toEqual(expected);
  expect(await staffActions(till)).toEqual([]);
});

test('a note is recorded with its author, and changes nothing of the collection', async () => {
  const till = await createStaffed();
  const before = await till.prompted();
  const text = 'the payer sends the receipt';
  const answer = await callStaff(till, 'ama', `/collections/${before.id}/notes`, { text });
  expect(answer).toMatchObject({ status: 200, body: { collectionId: before.id, actor: 'ama', text } });
  expect(await staffActions(till)).toEqual([
    { actor: 'ama', action: 'note', result: 'done', subject: before.id, detail: { text } },
  ]);
  expect(await till.only('0244123456')).toEqual(before);
  expect(await till.verify()).toMatchObject({ ok: true });
});

test('one person is limited to 60 calls at once, and others are not', async () => {
  const till = await createStaffed();
  const statuses: number[] = [];
  const note = (name: 'ama' | 'kofi') => callStaff(till, name, '/collections/col_1/notes', { text: 'hello' });
  for (let call = 0; call < 61; call++) statuses.push((await note('ama')).status);
  expect(statuses.filter((status) => status === 404)).toHaveLength(60);
  expect(statuses.at(-1)).toBe(429);
  expect((await note('kofi')).status).toBe(404);
});
