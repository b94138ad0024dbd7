import { expect, test } from 'vitest';
import { callbackUrl } from '../kit/phone.ts';
import { createTill, type Till } from '../kit/till.ts';

const number = '0244123456';

/** Requests a session's status, or sends its end notice, on the paths that Infobip appends to the callback URL. */
async function send(till: Till, method: 'GET' | 'PUT', action: 'status' | 'end'): Promise<unknown> {
  const url = `${callbackUrl(till, 'infobip')}/session/infobip-${number}/${action}`;
  const body = method === 'PUT' ? JSON.stringify({ exitCode: 540, reason: 'aborted' }) : null;
  const answer = await till.gateway().app.request(url, { method, body });
  expect(answer.status).toBe(200);
  return answer.json();
}

test('an END on the first screen is sent as a menu, and the next input gets the same text and closes the session', async () => {
  const till = await createTill();
  // The suffix contains all answers, and a 2 that declines on the confirm screen.
  const session = till.session(number, 'infobip', { dialled: '*800*5*1*20*2#' });
  const first = JSON.parse((await session.send([])).body);
  expect(first).toEqual({
    shouldClose: false,
    ussdMenu: expect.stringMatching(/cancelled/i),
    responseExitCode: 200,
    responseMessage: '',
  });
  await till.clock.advance(5_000);
  const closing = { ...first, shouldClose: true };
  expect(JSON.parse((await session.send(['1'])).body)).toEqual(closing);
  expect(JSON.parse((await session.send(['1'])).body)).toEqual(closing);
  await till.clock.advance(5_000);
  expect(JSON.parse((await session.send(['1', '1'])).body)).toEqual(closing);
  expect(await till.find(number)).toEqual([]);
});

test('a session is alive until its END or its end notice, and the notice creates no collection', async () => {
  const till = await createTill();
  const session = till.session(number, 'infobip');
  const alive = { sessionActive: true, responseExitCode: 200 };
  const over = { sessionActive: false, responseExitCode: 200 };
  expect(await send(till, 'GET', 'status')).toEqual(over);
  await session.send([]);
  expect(await send(till, 'GET', 'status')).toEqual(alive);
  expect(await send(till, 'PUT', 'end')).toEqual({ responseExitCode: 200, responseMessage: '' });
  expect(await send(till, 'GET', 'status')).toEqual(over);
  await till.clock.advance(5_000);
  expect(JSON.parse((await session.send(['1'])).body)).toMatchObject({ shouldClose: true });
  expect(await till.find(number)).toEqual([]);
});
