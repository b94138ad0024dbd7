import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoChannels, simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { CertifiedExchange } from '../../src/certify/certification.ts';
import { type CertifiedChannel, certifyChannel } from '../../src/certify/certify-channel.ts';
import { type ChannelSettings, createChannel } from '../../src/gateway/dialogue/channel.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { parseMsisdn } from '../../src/shared/msisdn.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { serve } from '../kit/local-server.ts';
import { createTill, type Till, type TillOptions } from '../kit/till.ts';

const number = '0240000000';

function channelAt(
  url: string,
  till: Till,
  id: string,
  settings: Partial<ChannelSettings> = {},
): CertifiedChannel {
  const channel = till.config.channels.find((one) => one.id === id);
  const merchant = till.config.merchants[0];
  const msisdn = parseMsisdn(number);
  const simulated = simulatedAggregators[id];
  if (!channel || !merchant || !msisdn || !simulated) throw new Error(`no channel ${id}`);
  const delays = till.config.timings.promptDelayMs;
  const aggregator = aggregatorOf(id);
  return {
    title: aggregator.title,
    aggregator: simulated,
    callback: (secret) => `${url}/ussd/${id}/${secret}`,
    secret: channel.secret,
    channel: createChannel(
      aggregator,
      { ...channel, ...settings },
      { ...merchant, attendants: new Set(), livemode: 0 },
      delays,
    ),
    dialler: { msisdn, operator: 'mtn', serviceCode: channel.serviceCode, settings: channel.settings },
  };
}

type Alter = (answer: Response, till: Till) => Response | Promise<Response>;

/**
 * Certifies a channel of a gateway over HTTP. `alter` replaces the answer to the exchange `name`. The clock does not advance.
 */
async function certifyAltered(
  id: string,
  name?: string,
  alter?: Alter,
  settings?: Partial<ChannelSettings>,
): Promise<CertifiedExchange[]> {
  const till = await createTill();
  let requests = 0;
  const app = {
    async fetch(request: Request): Promise<Response> {
      const answer = await till.gateway().app.fetch(request);
      return alter && requests++ === exchangeNames[id]?.indexOf(name ?? '') ? alter(answer, till) : answer;
    },
  };
  const { url } = await serve(app);
  const { clock } = till;
  return certifyChannel({ fetch, clock, ids: systemIds(clock) }, channelAt(url, till, id, settings));
}

const exchangeNames: Readonly<Record<string, readonly string[]>> = {
  africastalking: [
    'first dial',
    'repeated dial',
    'unexpected input',
    'end notice',
    'input after the end notice',
    'direct-dial string',
    'broken body',
    'oversize body',
    'wrong secret',
  ],
  nalo: [
    'first dial',
    'repeated dial',
    'unexpected input',
    'direct-dial string',
    'broken body',
    'oversize body',
    'wrong secret',
  ],
};

const problemsOf = (exchanges: readonly CertifiedExchange[]) =>
  exchanges.flatMap(({ name, problems }) =>
    problems.map(({ field, message }) => `${name}: ${field}: ${message}`),
  );

test.each(Object.entries(exchangeNames))('a correct gateway behind %s has no problems', async (id, names) => {
  const exchanges = await certifyAltered(id);
  expect(problemsOf(exchanges)).toEqual([]);
  expect(exchanges.map(({ name }) => name)).toEqual(names);
  expect(exchanges.map(({ answer }) => answer?.status)).toEqual([...names.slice(1).map(() => 200), 404]);
  expect(exchanges[0]?.request).toMatchObject({ method: 'POST', path: `/ussd/${id}/***` });
  expect(exchanges[0]?.request.body).toContain('certify-');
  expect(exchanges[0]?.answer?.body).toContain('Demo Shop');
});

const respond =
  (body: string, contentType = 'text/plain; charset=utf-8'): Alter =>
  () =>
    new Response(body, { headers: { 'content-type': contentType } });
const delayed =
  (ms: number): Alter =>
  async (answer, till) => {
    await till.clock.advance(ms);
    return answer;
  };

test.each<[reply: string, id: string, name: string, alter: Alter, problems: string[]]>([
  [
    'another content type',
    'africastalking',
    'direct-dial string',
    respond('CON Amount', 'text/html'),
    ['content-type: expected text/plain; charset=utf-8, got text/html'],
  ],
  [
    'another charset',
    'africastalking',
    'direct-dial string',
    respond('CON Amount', 'text/plain; charset=latin1'),
    ['content-type: expected text/plain; charset=utf-8, got text/plain; charset=latin1'],
  ],
  [
    'a text that is too long',
    'africastalking',
    'direct-dial string',
    respond(`CON ${'x'.repeat(181)}[`),
    ['text: expected at most 182 septets, got 183'],
  ],
  [
    'characters outside the alphabet of screens',
    'africastalking',
    'direct-dial string',
    respond('CON Pay ₵20 é'),
    ['text: expected only characters of this channel\'s screens, got also "₵" "é"'],
  ],
  [
    'an empty screen',
    'africastalking',
    'direct-dial string',
    respond('CON '),
    ['text: expected a text, got an empty one'],
  ],
  [
    'no screen',
    'africastalking',
    'direct-dial string',
    respond('Amount'),
    ["screen: expected a screen that Africa's Talking can show, got none"],
  ],
  [
    'an end screen for a dial',
    'africastalking',
    'repeated dial',
    respond('END Sorry'),
    [
      'screen: expected a screen that continues, got an end screen: "Sorry"',
      'body: expected the bytes of the first answer, got others',
    ],
  ],
  [
    'other bytes for a repeated request',
    'africastalking',
    'repeated dial',
    respond('CON Demo Shop '),
    ['body: expected the bytes of the first answer, got others'],
  ],
  [
    'a session that continues after its end notice',
    'africastalking',
    'input after the end notice',
    respond('CON Demo Shop'),
    ['screen: expected an end screen, got a screen that continues: "Demo Shop"'],
  ],
  [
    'an empty answer to an end notice',
    'africastalking',
    'end notice',
    respond(''),
    ['body: expected a text, got an empty body'],
  ],
  [
    'an error status',
    'africastalking',
    'broken body',
    () => new Response('', { status: 500 }),
    ['status: expected 200, got 500'],
  ],
  [
    'a rejected oversize body',
    'africastalking',
    'oversize body',
    () => new Response('', { status: 413 }),
    ['status: expected 200, got 413'],
  ],
  [
    'a screen despite a wrong secret',
    'nalo',
    'wrong secret',
    respond('{}', 'application/json'),
    ['status: expected 404, got 200'],
  ],
  [
    'no JSON',
    'nalo',
    'broken body',
    respond('<html>', 'application/json'),
    ['body: expected JSON, got "<html>"'],
  ],
  ['a late answer', 'nalo', 'first dial', delayed(4_500), ['time: expected at most 4000 ms, got 4500 ms']],
  [
    'no answer',
    'nalo',
    'wrong secret',
    delayed(10_001),
    ['answer: expected an answer within 10 s, got none'],
  ],
])('%s is reported as a problem', async (_, id, name, alter, problems) => {
  const found = problemsOf(await certifyAltered(id, name, alter));
  expect(found).toEqual(problems.map((problem) => `${name}: ${problem}`));
});

test('the text limit and the forbidden characters of the channel apply, and its line break is allowed', async () => {
  const settings = { textLimit: 80, forbidden: '&', lineBreak: '^' };
  const name = 'direct-dial string';
  const text = `CON A & B^${'x'.repeat(75)}`;
  const found = problemsOf(await certifyAltered('africastalking', name, respond(text), settings));
  expect(found.filter((one) => one.startsWith(name))).toEqual([
    `${name}: text: expected at most 80 septets, got 81`,
    `${name}: text: expected only characters of this channel's screens, got also "&"`,
  ]);
});

test('letters outside the GSM alphabet are checked against the alphabet of the channel, and counted by their size', async () => {
  const name = 'direct-dial string';
  const problemsWith = async (text: string, settings: object) => {
    const found = problemsOf(await certifyAltered('africastalking', name, respond(`CON ${text}`), settings));
    return found.filter((one) => one.startsWith(name));
  };
  const unicode = { alphabet: 'unicode' } as const;
  expect(await problemsWith('Tua ɔ', {})).toEqual([
    `${name}: text: expected only characters of this channel's screens, got also "ɔ"`,
  ]);
  expect(await problemsWith('ɔ'.repeat(80), unicode)).toEqual([]);
  expect(await problemsWith(`Tua ${'ɔ'.repeat(76)}🎉`, unicode)).toEqual([
    `${name}: text: expected only characters of this channel's screens, got also "🎉"`,
  ]);
  expect(await problemsWith('ɔ'.repeat(81), unicode)).toEqual([
    `${name}: text: expected at most 182 septets, got 185`,
  ]);
});

test('every exchange with a gateway that does not listen reports the failed connection', async () => {
  const till = await createTill();
  const { url, close } = await listen({ fetch: () => new Response() }, { host: '127.0.0.1', port: 0 }, '-');
  await close(0);
  const { clock } = till;
  const exchanges = await certifyChannel(
    { fetch, clock, ids: systemIds(clock) },
    channelAt(url, till, 'nalo'),
  );
  expect(exchanges.filter(({ answer }) => answer)).toEqual([]);
  for (const one of problemsOf(exchanges))
    expect(one).toMatch(/answer: expected an answer, got none \(.*ECONNREFUSED/);
});

test('the report never contains the secret, even if the gateway sends it back', async () => {
  const secret = 'secret-of-nalo-0123456789';
  const exchanges = await certifyAltered('nalo', 'first dial', respond(`<${secret}>`, `text/${secret}`));
  expect(problemsOf(exchanges)).toContain(
    'first dial: content-type: expected application/json, got text/***',
  );
  expect(JSON.stringify(exchanges)).not.toContain(secret);
});

/** Certifies every channel of a till, and returns the bodies of all answers and the number of collections. */
async function certifyAll(
  options: TillOptions,
): Promise<{ till: Till; bodies: string[]; collected: number }> {
  const till = await createTill(options);
  const { clock } = till;
  const request: typeof fetch = async (url, init) => till.gateway().app.request(String(url), init);
  const bodies: string[] = [];
  for (const { id } of demoChannels) {
    const channel = channelAt('http://gateway.test', till, id);
    const exchanges = await certifyChannel({ fetch: request, clock, ids: systemIds(clock) }, channel);
    expect(problemsOf(exchanges)).toEqual([]);
    bodies.push(...exchanges.map(({ answer }) => answer?.body ?? ''));
  }
  await clock.advance(30_000);
  return { till, bodies, collected: (await till.find(number)).length };
}

test('certifying creates no collection and sends no call to the service, on any channel', async () => {
  const { till, collected } = await certifyAll({});
  expect({ collected, calls: till.calls }).toEqual({ collected: 0, calls: [] });
  await till.pay(number);
  expect(await till.find(number)).toHaveLength(1);
});

const shortestMenu = `
languages: [en]
start: goods
screens:
  goods:
    kind: choose
    text: Goods
    options:
      - { label: Bread, set: { payer: own, amount: "20.00" }, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {amount}" }
`;

test('certifying confirms no payment if the first answer leads to the confirm screen', async () => {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(file, shortestMenu);
  const menu = loadMenu(file);
  if (!menu.ok) throw new Error(JSON.stringify(menu.errors));
  const configure: TillOptions['configure'] = ({ merchants }) => {
    for (const merchant of merchants) merchant.menu = menu.menu;
  };
  const { bodies, collected } = await certifyAll({ configure });
  expect(bodies.some((body) => body.includes('Pay GHS 20.00?'))).toBe(true);
  expect(collected).toBe(0);
});
