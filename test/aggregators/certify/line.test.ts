import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Exchanged } from '../../../src/aggregators/certify/certified.ts';
import { certifyLine, type Line } from '../../../src/aggregators/certify/line.ts';
import { demoChannels, wires } from '../../../src/aggregators/registry.ts';
import { type ChannelSettings, createChannel } from '../../../src/gateway/dialogue/channel.ts';
import { loadMenu } from '../../../src/menu/file/load.ts';
import { listen } from '../../../src/shared/http/server.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { parseMsisdn } from '../../../src/shared/msisdn.ts';
import { aggregatorOf } from '../../kit/dialects.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { createTill, type Till, type TillOptions } from '../../kit/till.ts';

const number = '0240000000';

function lineTo(url: string, till: Till, id: string, settings: Partial<ChannelSettings> = {}): Line {
  const channel = till.config.channels.find((one) => one.id === id);
  const merchant = till.config.merchants[0];
  const msisdn = parseMsisdn(number);
  const wire = wires[id];
  if (!channel || !merchant || !msisdn || !wire) throw new Error(`no channel ${id}`);
  const delays = till.config.timings.promptDelayMs;
  const aggregator = aggregatorOf(id);
  return {
    title: aggregator.title,
    wire,
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

type Spoil = (answer: Response, till: Till) => Response | Promise<Response>;

/**
 * Certifies a channel of a gateway over HTTP, with the answer to one request spoilt on its way. Time stands still.
 */
async function certifySpoilt(
  id: string,
  name?: string,
  spoil?: Spoil,
  settings?: Partial<ChannelSettings>,
): Promise<Exchanged[]> {
  const till = await createTill();
  let requests = 0;
  const app = {
    async fetch(request: Request): Promise<Response> {
      const answer = await till.gateway().app.fetch(request);
      return spoil && requests++ === orders[id]?.indexOf(name ?? '') ? spoil(answer, till) : answer;
    },
  };
  const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  const { clock } = till;
  return certifyLine({ fetch, clock, ids: systemIds(clock) }, lineTo(url, till, id, settings));
}

const orders: Readonly<Record<string, readonly string[]>> = {
  africastalking: [
    'first dial',
    'the same dial again',
    'an input that no screen takes',
    'the notice that the payer has left',
    'an input after that',
    'a dial with an answer along',
    'a broken body',
    'an oversize body',
    'a wrong secret',
  ],
  nalo: [
    'first dial',
    'the same dial again',
    'an input that no screen takes',
    'a dial with an answer along',
    'a broken body',
    'an oversize body',
    'a wrong secret',
  ],
};

const wrongOf = (exchanges: readonly Exchanged[]) =>
  exchanges.flatMap(({ name, wrong }) => wrong.map(({ field, message }) => `${name}: ${field}: ${message}`));

test.each(Object.entries(orders))('nothing is wrong with a good gateway behind %s', async (id, names) => {
  const exchanges = await certifySpoilt(id);
  expect(wrongOf(exchanges)).toEqual([]);
  expect(exchanges.map(({ name }) => name)).toEqual(names);
  expect(exchanges.map(({ answered }) => answered?.status)).toEqual([...names.slice(1).map(() => 200), 404]);
  expect(exchanges[0]?.sent).toMatchObject({ method: 'POST', path: `/ussd/${id}/***` });
  expect(exchanges[0]?.sent.body).toContain('certify-');
  expect(exchanges[0]?.answered?.body).toContain('Demo Shop');
});

const says =
  (body: string, contentType = 'text/plain; charset=utf-8'): Spoil =>
  () =>
    new Response(body, { headers: { 'content-type': contentType } });
const late =
  (ms: number): Spoil =>
  async (answer, till) => {
    await till.clock.advance(ms);
    return answer;
  };

test.each<[what: string, id: string, name: string, spoil: Spoil, wrong: string[]]>([
  [
    'another content type',
    'africastalking',
    'a dial with an answer along',
    says('CON Amount', 'text/html'),
    ['content-type: expected text/plain; charset=utf-8, got text/html'],
  ],
  [
    'another character set',
    'africastalking',
    'a dial with an answer along',
    says('CON Amount', 'text/plain; charset=latin1'),
    ['content-type: expected text/plain; charset=utf-8, got text/plain; charset=latin1'],
  ],
  [
    'a text that is too long',
    'africastalking',
    'a dial with an answer along',
    says(`CON ${'x'.repeat(181)}[`),
    ['text: expected at most 182 septets, got 183'],
  ],
  [
    'characters that no handset is sure to show',
    'africastalking',
    'a dial with an answer along',
    says('CON Pay ₵20 é'),
    ['text: expected only characters of this channel\'s screens, got also "₵" "é"'],
  ],
  [
    'a screen without a text',
    'africastalking',
    'a dial with an answer along',
    says('CON '),
    ['text: expected something to read, got nothing'],
  ],
  [
    'what is no screen',
    'africastalking',
    'a dial with an answer along',
    says('Amount'),
    ["screen: expected one that Africa's Talking shows, got none that it can read"],
  ],
  [
    'the end where the session begins',
    'africastalking',
    'the same dial again',
    says('END Sorry'),
    [
      'screen: expected one that goes on, got the end: "Sorry"',
      'body: expected the same bytes as before, got others',
    ],
  ],
  [
    'other bytes for the same request',
    'africastalking',
    'the same dial again',
    says('CON Demo Shop '),
    ['body: expected the same bytes as before, got others'],
  ],
  [
    'a session that goes on after its end',
    'africastalking',
    'an input after that',
    says('CON Demo Shop'),
    ['screen: expected the end, got one that goes on: "Demo Shop"'],
  ],
  [
    'no answer to a notice',
    'africastalking',
    'the notice that the payer has left',
    says(''),
    ['body: expected an answer, got nothing'],
  ],
  [
    'an error',
    'africastalking',
    'a broken body',
    () => new Response('', { status: 500 }),
    ['status: expected 200, got 500'],
  ],
  [
    'a refusal of what is large',
    'africastalking',
    'an oversize body',
    () => new Response('', { status: 413 }),
    ['status: expected 200, got 413'],
  ],
  [
    'a welcome for everybody',
    'nalo',
    'a wrong secret',
    says('{}', 'application/json'),
    ['status: expected 404, got 200'],
  ],
  [
    'what is no JSON',
    'nalo',
    'a broken body',
    says('<html>', 'application/json'),
    ['body: expected JSON, got "<html>"'],
  ],
  [
    'an answer that is late',
    'nalo',
    'first dial',
    late(4_500),
    ['time: expected at most 4000 ms, got 4500 ms'],
  ],
  [
    'an answer that does not come',
    'nalo',
    'a wrong secret',
    late(10_001),
    ['answer: expected one within 10 s, got none'],
  ],
])('a gateway that gives %s is found out', async (_, id, name, spoil, wrong) => {
  const found = wrongOf(await certifySpoilt(id, name, spoil));
  expect(found).toEqual(wrong.map((one) => `${name}: ${one}`));
});

test("the channel's own limits and signs count, and its line break is none of them", async () => {
  const settings = { textLimit: 80, forbidden: '&', lineBreak: '^' };
  const name = 'a dial with an answer along';
  const text = `CON A & B^${'x'.repeat(75)}`;
  const found = wrongOf(await certifySpoilt('africastalking', name, says(text), settings));
  expect(found.filter((one) => one.startsWith(name))).toEqual([
    `${name}: text: expected at most 80 septets, got 81`,
    `${name}: text: expected only characters of this channel's screens, got also "&"`,
  ]);
});

test('letters outside the GSM alphabet are judged by the alphabet of the channel, and by the room that they take', async () => {
  const name = 'a dial with an answer along';
  const wrongWith = async (text: string, settings: object) => {
    const found = wrongOf(await certifySpoilt('africastalking', name, says(`CON ${text}`), settings));
    return found.filter((one) => one.startsWith(name));
  };
  const unicode = { alphabet: 'unicode' } as const;
  expect(await wrongWith('Tua ɔ', {})).toEqual([
    `${name}: text: expected only characters of this channel's screens, got also "ɔ"`,
  ]);
  expect(await wrongWith('ɔ'.repeat(80), unicode)).toEqual([]);
  expect(await wrongWith(`Tua ${'ɔ'.repeat(76)}🎉`, unicode)).toEqual([
    `${name}: text: expected only characters of this channel's screens, got also "🎉"`,
  ]);
  expect(await wrongWith('ɔ'.repeat(81), unicode)).toEqual([
    `${name}: text: expected at most 182 septets, got 185`,
  ]);
});

test('where nobody listens, every exchange says so', async () => {
  const till = await createTill();
  const { url, close } = await listen({ fetch: () => new Response() }, { host: '127.0.0.1', port: 0 }, '-');
  await close(0);
  const { clock } = till;
  const exchanges = await certifyLine({ fetch, clock, ids: systemIds(clock) }, lineTo(url, till, 'nalo'));
  expect(exchanges.filter(({ answered }) => answered)).toEqual([]);
  for (const one of wrongOf(exchanges))
    expect(one).toMatch(/answer: expected one, got none \(.*ECONNREFUSED/);
});

test('the secret is in nothing that is told, also where the gateway says it back', async () => {
  const secret = 'secret-of-nalo-0123456789';
  const exchanges = await certifySpoilt('nalo', 'first dial', says(`<${secret}>`, `text/${secret}`));
  expect(wrongOf(exchanges)).toContain('first dial: content-type: expected application/json, got text/***');
  expect(JSON.stringify(exchanges)).not.toContain(secret);
});

/** Certifies every channel of a till, and returns what was collected. */
async function collectedBy(options: TillOptions): Promise<{ till: Till; seen: string[]; collected: number }> {
  const till = await createTill(options);
  const { clock } = till;
  const request: typeof fetch = async (url, init) => till.gateway().app.request(String(url), init);
  const seen: string[] = [];
  for (const { id } of demoChannels) {
    const line = lineTo('http://gateway.test', till, id);
    const exchanges = await certifyLine({ fetch: request, clock, ids: systemIds(clock) }, line);
    expect(wrongOf(exchanges)).toEqual([]);
    seen.push(...exchanges.map(({ answered }) => answered?.body ?? ''));
  }
  await clock.advance(30_000);
  return { till, seen, collected: (await till.find(number)).length };
}

test('certifying opens no collection and calls no service, on any channel', async () => {
  const { till, collected } = await collectedBy({});
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

test('not even where one answer leads to the screen that asks for the yes', async () => {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(file, shortestMenu);
  const menu = loadMenu(file);
  if (!menu.ok) throw new Error(JSON.stringify(menu.errors));
  const configure: TillOptions['configure'] = ({ merchants }) => {
    for (const merchant of merchants) merchant.menu = menu.menu;
  };
  const { seen, collected } = await collectedBy({ configure });
  expect(seen.some((body) => body.includes('Pay GHS 20.00?'))).toBe(true);
  expect(collected).toBe(0);
});
