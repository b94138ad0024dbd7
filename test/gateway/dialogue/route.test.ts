import { describe, expect, test } from 'vitest';
import { callbackUrl, channelNames } from '../../kit/phone.ts';
import { createTill, payer, type Till } from '../../kit/till.ts';

const dial = 'sessionId=s-1&phoneNumber=%2B233244123456&networkCode=62001&text=';

function post(
  till: Till,
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  return Promise.resolve(till.gateway().app.request(url, { method: 'POST', body, headers }));
}

/** True for a response that the aggregator shows as the last screen. */
const isEnd = {
  africastalking: (body: string) => body.startsWith('END ') && body.length > 10,
  nalo: (body: string) => {
    const { MSG, MSGTYPE } = JSON.parse(body) as Record<string, unknown>;
    return MSGTYPE === false && typeof MSG === 'string' && MSG.length > 10;
  },
};

describe('a request without the right callback URL', () => {
  test.each([
    { whose: 'another secret', path: '/ussd/africastalking/secret-of-africastalking-0123456788' },
    { whose: 'half the secret', path: '/ussd/africastalking/secret-of-africastalking' },
    { whose: "another channel's secret", path: '/ussd/africastalking/secret-of-nalo-0123456789' },
    { whose: 'no channel', path: '/ussd/nobody/secret-of-africastalking-0123456789' },
    { whose: 'a name that every object has', path: '/ussd/constructor/secret-of-africastalking-0123456789' },
    { whose: 'no secret', path: '/ussd/africastalking' },
    { whose: 'an empty secret', path: '/ussd/africastalking/' },
    {
      whose: 'a longer path behind another secret',
      path: '/ussd/africastalking/secret-of-nalo-0123456789/x',
    },
    { whose: 'a secret further back', path: '/ussd/africastalking/x/secret-of-africastalking-0123456789' },
  ])('gets the same 404 as for any other path: $whose', async ({ path }) => {
    const till = await createTill();
    const answer = await post(till, `http://gateway.test${path}`, dial);
    const other = await post(till, 'http://gateway.test/nothing/here', dial);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe(await other.text());
  });

  test('gets the same 404 for an oversized body, so that it reveals no channel', async () => {
    const till = await createTill();
    for (const path of ['/ussd/africastalking/wrong', '/ussd/nobody/wrong']) {
      const answer = await post(till, `http://gateway.test${path}`, 'x'.repeat(100_000));
      expect(answer.status).toBe(404);
    }
  });

  test.each(['GET', 'PUT'])('gets the same 404 for %s', async (method) => {
    const till = await createTill();
    const url = `http://gateway.test/ussd/africastalking/secret-of-nalo-0123456789?${dial}`;
    expect((await till.gateway().app.request(url, { method })).status).toBe(404);
  });

  test.each([
    ['HEAD', 200],
    ['DELETE', 404],
    ['PATCH', 404],
    ['OPTIONS', 404],
  ])('with the callback URL, %s gets %i and presses no key', async (method, status) => {
    const till = await createTill();
    const url = callbackUrl(till, 'africastalking');
    const answer = await till.gateway().app.request(`${url}?${dial}`, { method });
    expect(answer.status).toBe(status);
    if (method === 'HEAD') {
      const got = await till.gateway().app.request(`${url}?sessionId=other&${dial}`);
      const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => name !== 'x-request-id');
      expect([await answer.text(), headersOf(answer)]).toEqual(['', headersOf(got)]);
      expect(till.logged()).not.toContain('could not be read');
    }
    // The session has not started, so these three inputs are a dialled suffix.
    const screen = await post(till, url, `${dial}1*20*1`);
    expect(await screen.text()).toContain('CON Pay GHS 20.00');
  });
});

test.each([
  { how: 'POST', method: 'POST', behind: '', body: dial },
  { how: 'GET with a query', method: 'GET', behind: `?${dial}`, body: undefined },
  { how: 'PUT', method: 'PUT', behind: '', body: dial },
  { how: 'a longer path', method: 'POST', behind: '/session/s-1/start', body: dial },
])('a request with the callback URL gets a screen by $how', async ({ method, behind, body }) => {
  const till = await createTill();
  const init = body === undefined ? { method } : { method, body };
  const answer = await till.gateway().app.request(`${callbackUrl(till, 'africastalking')}${behind}`, init);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/^CON Demo Shop/);
});

test("the gateway's own screens use the menu's messages and its first language", async () => {
  const till = await createTill();
  const [merchant] = till.config.merchants;
  if (!merchant) throw new Error('no merchant');
  const fault = { en: 'Come to the counter.', tw: 'Bra ha.' };
  merchant.menu = { ...merchant.menu, languages: ['tw', 'en'], messages: { fault } };
  await till.restart();
  const answer = await post(till, callbackUrl(till, 'africastalking'), 'hello');
  expect(await answer.text()).toBe('END Bra ha.');
});

const garbage: Record<string, string | Uint8Array<ArrayBuffer>> = {
  nothing: '',
  'an unrelated text': 'hello',
  'a broken object': '{"MSISDN": "0244',
  'an array': '[1,2,3]',
  'deep nesting': '['.repeat(30_000),
  'bytes that are not text': new Uint8Array(1_000).map((_, index) => index % 256),
  'another country': 'sessionId=s-1&phoneNumber=%2B15551234567&text=&MSISDN=%2B15551234567',
  'an invalid number': 'sessionId=s-1&phoneNumber=constructor&text=&MSISDN=constructor',
  'its own prototype': '{"__proto__":{"MSISDN":"0244123456"},"constructor":1}',
  'an input that no keypad can type':
    `sessionId=s-1&phoneNumber=0244123456&text=${'1'.repeat(5_000)}` +
    `&MSISDN=0244123456&USERDATA=${'1'.repeat(5_000)}`,
  'a body above the limit': 'x'.repeat(64 * 1024 + 1),
  'a body far above the limit': 'x'.repeat(5_000_000),
};

describe.each(channelNames)('a request with the callback URL of %s', (channel) => {
  test.each(Object.entries(garbage))('gets 200 and a last screen for %s', async (_what, body) => {
    const till = await createTill();
    const answer = await post(till, callbackUrl(till, channel), body);
    expect(answer.status).toBe(200);
    expect(isEnd[channel](await answer.text())).toBe(true);
  });

  test('gets 200 and a last screen for an endless body without a length', async () => {
    const till = await createTill();
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(120));
      },
    });
    const init = { method: 'POST', body: endless, duplex: 'half' } as const;
    const answer = await till.gateway().app.request(callbackUrl(till, channel), init);
    expect(answer.status).toBe(200);
    expect(isEnd[channel](await answer.text())).toBe(true);
    expect(sent).toBeLessThan(1_000_000);
  });

  test('gets 200 and a last screen while the database fails, and no prompt is sent', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    expect((await session.send([])).status).toBe(200);
    const gateway = till.gateway();
    const stopping = gateway.stop();
    await till.clock.advance(1_000);
    await stopping;
    const { status, body } = await session.send(['1']);
    expect(status).toBe(200);
    expect(isEnd[channel](body)).toBe(true);
    expect(body).toContain('Please try again.');
    expect(till.logged()).toContain('a USSD request could not be answered');
  });

  test('gets the content type of its aggregator, which no browser renders as a page', async () => {
    const till = await createTill();
    const { contentType } = await till.session(payer, channel).send([]);
    expect(contentType).toBe(channel === 'nalo' ? 'application/json' : 'text/plain; charset=utf-8');
  });
});

test('a request is read by its content, whatever its content type is', async () => {
  const till = await createTill();
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', '']) {
    const answer = await post(till, callbackUrl(till, 'africastalking'), dial, { 'content-type': type });
    expect(await answer.text()).toMatch(/^CON Demo Shop/);
  }
});

test('a field of the query string is used when the body lacks it', async () => {
  const till = await createTill();
  const answer = await post(till, `${callbackUrl(till, 'africastalking')}?${dial}`, '');
  expect(await answer.text()).toMatch(/^CON Demo Shop/);
});

test('no number, secret or input of a turn is in the log', async () => {
  const till = await createTill();
  await till.pay(payer, ['2', '0201234567', '2', '43.21', '1']);
  await post(till, callbackUrl(till, 'nalo'), 'hello 0244123456');
  const logged = till.logged();
  expect(logged).toContain('"turn"');
  for (const secret of ['244123456', '201234567', 'secret-of-', '43.21', '4321']) {
    expect(logged).not.toContain(secret);
  }
});

test.each([
  ['a landline', '+233302123456'],
  ['a landline in the local form', '0302123456'],
  ['a number of another country', '+2348031234567'],
])('a caller with %s reads that this number cannot pay', async (_, number) => {
  const till = await createTill();
  const text = 'Sorry, you cannot pay with this number. Please dial from a mobile number of Ghana.';
  const url = callbackUrl(till, 'africastalking');
  for (const input of ['', '1']) {
    const body = new URLSearchParams({
      sessionId: 's-9',
      phoneNumber: number,
      networkCode: '62001',
      text: input,
    });
    const answer = await post(till, url, body.toString());
    expect([answer.status, await answer.text()]).toEqual([200, `END ${text}`]);
  }
  expect(till.logged()).not.toContain(number.slice(-8));
});

test.each(['', 'unknown', '12', 'c2hhMjU2', '1'.repeat(16)])(
  'a number field with %j, which is no phone number, still reads as a fault',
  async (number) => {
    const till = await createTill();
    const body = new URLSearchParams({
      sessionId: 's-9',
      phoneNumber: number,
      networkCode: '62001',
      text: '',
    });
    const answer = await post(till, callbackUrl(till, 'africastalking'), body.toString());
    expect(await answer.text()).toBe('END Sorry, something went wrong. Please try again.');
  },
);

test('the name of an unknown network is logged once a day, ten names of a channel at most', async () => {
  const till = await createTill();
  const dialOn = (network: string) =>
    post(till, callbackUrl(till, 'africastalking'), dial.replace('62001', encodeURIComponent(network)));
  const names = () => till.logged().match(/"network":"[^"]*"/g) ?? [];
  await dialOn('Vodafone Ghana');
  await dialOn('99999');
  expect(names()).toEqual([]);
  await dialOn('Surf Line 0244123456');
  await dialOn('Surf Line 0244123456');
  expect(names()).toEqual(['"network":"Surf Line 23324****456"']);
  for (let one = 0; one < 20; one++) await dialOn(`network ${one}`);
  expect(names()).toHaveLength(10);
  expect(till.logged()).toContain('counted only, until tomorrow');
  await till.clock.advance(24 * 3_600_000);
  await dialOn('Surf Line 0244123456');
  expect(names()).toHaveLength(11);
});
