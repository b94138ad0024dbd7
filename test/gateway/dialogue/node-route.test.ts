import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ask, serve } from '../../kit/local-server.ts';
import { callbackUrl } from '../../kit/phone.ts';
import { createTill, type Till } from '../../kit/till.ts';

/*
 * A server answers the usual callbacks without Hono. Over a real socket, each request gets the answer that the app gives.
 */

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string | Uint8Array };
type Got = { status: number; headers: Record<string, unknown>; body: string };

/** Headers that the server adds to each response, and the id of the request. */
const ownHeaders = 'connection keep-alive date x-request-id transfer-encoding content-length'.split(' ');

function withoutOwn(headers: Iterable<[string, unknown]>): Record<string, unknown> {
  return Object.fromEntries([...headers].filter(([name]) => !ownHeaders.includes(name)));
}

async function askServer(port: number, { path, ...sent }: Sent): Promise<Got> {
  const { headers, ...answer } = await ask(port, path, sent);
  return { ...answer, headers: withoutOwn(Object.entries(headers)) };
}

async function askApp(till: Till, { method, path, headers, body }: Sent): Promise<Got> {
  const content = method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.from(body ?? '') };
  const init = { method, headers: headers ?? {}, ...content };
  const answer = await till.gateway().app.request(`http://gateway.test${path}`, init);
  return { status: answer.status, headers: withoutOwn(answer.headers), body: await answer.text() };
}

let till: Till;
let answered: string[] = [];
let port = 0;

async function openServer(): Promise<void> {
  till = await createTill();
  answered = [];
  const { app, access, answerDirectly } = till.gateway();
  const served = {
    fetch: app.fetch,
    access,
    answerDirectly(...[incoming, outgoing, deny]: Parameters<typeof answerDirectly>) {
      const isAnswered = answerDirectly(incoming, outgoing, deny);
      if (isAnswered) answered.push(incoming.url ?? '');
      return isAnswered;
    },
  };
  const server = await serve(served);
  port = server.port;
}

const url = () => new URL(callbackUrl(till, 'africastalking')).pathname;
const form = (session: string, text = '') =>
  `sessionId=${session}&phoneNumber=%2B233244123456&networkCode=62001&text=${text}`;
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

const inParts = (fields: string) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=-x-' },
  body: `${[...new URLSearchParams(fields)]
    .map(([name, value]) => `---x-\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}---x---\r\n`,
});
const compressed = (text: string | Uint8Array) => ({
  headers: { ...headers, 'content-encoding': 'gzip' },
  body: gzipSync(text),
});

type Case = [what: string, isDirect: boolean, sent: (session: string) => Sent];
const post = (behind: string, body: (session: string) => string | Uint8Array) => (session: string) => ({
  ...{ method: 'POST', path: `${url()}${behind}`, headers },
  body: body(session),
});
const cases: Case[] = [
  ['a form', true, post('', form)],
  ['a form with a dialled suffix', true, post('', (session) => form(session, '1*20'))],
  ['a slash behind the secret', true, post('/', form)],
  ['a longer path', true, post('/session/s-1/start', form)],
  ['a query beside the form', true, post('?text=1&text=2&x=%41+b', (session) => form(session))],
  ['a byte order mark', true, post('', (session) => `\ufeff${form(session)}`)],
  [
    'bytes that are not text',
    true,
    post('', (session) => Buffer.concat([Buffer.from(form(session)), Buffer.of(0xe2, 0x28, 0xff)])),
  ],
  ['no body', true, post('', () => '')],
  ['PUT', true, (session) => ({ method: 'PUT', path: url(), headers, body: form(session) })],
  ['GET', true, (session) => ({ method: 'GET', path: `${url()}?${form(session)}` })],
  ['an encoded path', false, post('/x%79', form)],
  ['an oversized body', false, post('', () => 'x'.repeat(64 * 1024 + 1))],
  [
    'a form in parts',
    false,
    (session) => ({ method: 'POST', path: url(), ...inParts(form(session, '1*20')) }),
  ],
  [
    'a compressed form',
    false,
    (session) => ({ method: 'POST', path: url(), ...compressed(form(session, '1*20')) }),
  ],
  [
    'parts that never end',
    false,
    (session) => ({ method: 'POST', path: url(), ...inParts(form(session)), body: '---x-' }),
  ],
  ['HEAD', false, (session) => ({ method: 'HEAD', path: `${url()}?${form(session)}` })],
  ['DELETE', false, () => ({ method: 'DELETE', path: url() })],
  [
    'a wrong secret',
    false,
    (session) => ({ method: 'POST', path: `${url()}x`, headers, body: form(session) }),
  ],
  ['a channel that does not exist', false, () => ({ method: 'POST', path: '/ussd/none/secret', headers })],
  ['a name that every object has', false, () => ({ method: 'POST', path: '/ussd/constructor/x', headers })],
];

test('every form of a callback gets the same answer from the server as from the app', async () => {
  await openServer();
  let sessions = 0;
  for (const [what, isDirect, sent] of cases) {
    answered = [];
    const byServer = await askServer(port, sent(`s-${++sessions}`));
    expect([what, answered.length > 0]).toEqual([what, isDirect]);
    const byApp = await askApp(till, sent(`s-${++sessions}`));
    expect({ what, ...byServer }).toEqual({ what, ...byApp });
  }
});

const confirm = /^CON Pay GHS 20\.00/;
const unread = /^END /;
const readable: [what: string, screen: RegExp, sent: (session: string) => Sent][] = [
  ['parts', confirm, (session) => ({ method: 'POST', path: url(), ...inParts(form(session, '1*20')) })],
  ['gzip', confirm, (session) => ({ method: 'POST', path: url(), ...compressed(form(session, '1*20')) })],
  [
    'parts in gzip',
    confirm,
    (session) => {
      const { headers: types, body } = inParts(form(session, '1*20'));
      return {
        method: 'POST',
        path: url(),
        ...compressed(body),
        headers: { ...types, 'content-encoding': 'gzip' },
      };
    },
  ],
  [
    'another compression',
    unread,
    (session) => ({
      ...{ method: 'POST', path: url(), headers: { 'content-encoding': 'br' } },
      body: brotliCompressSync(form(session)),
    }),
  ],
  [
    'gzip of a megabyte',
    unread,
    () => ({ method: 'POST', path: url(), ...compressed(Buffer.alloc(1_000_000)) }),
  ],
  ['what is no gzip', unread, () => ({ method: 'POST', path: url(), ...compressed(''), body: 'x' })],
];

test('a body in parts or compressed is read like a form, and an unreadable one gets an END screen', async () => {
  await openServer();
  for (const [at, [what, screen, sent]] of readable.entries()) {
    const { status, body } = await askServer(port, sent(`s-${at}`));
    expect([what, status, body]).toEqual([what, 200, expect.stringMatching(screen)]);
  }
});

test('a # that the query of a callback does not encode belongs to its value', async () => {
  await openServer();
  const path = new URL(callbackUrl(till, 'wigal-v1')).pathname;
  const dialled = (hash: string) =>
    `${path}?network=MTN&sessionid=s${hash.length}&mode=START&msisdn=233244123456&userdata=*718*5${hash}&username=u&trafficid=t&other=`;
  const [raw, encoded] = [
    await askServer(port, { method: 'GET', path: dialled('#') }),
    await askServer(port, { method: 'GET', path: dialled('%23') }),
  ];
  expect([raw.status, encoded.status]).toEqual([200, 200]);
  expect(raw.body).toContain('Demo Shop');
  expect(raw.body.replaceAll('s1', 's3')).toBe(encoded.body);
});
