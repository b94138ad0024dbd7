import { aggregatorNames, demoChannels, simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { Dial } from '../../src/aggregators/simulated-aggregator.ts';
import { signPayload } from '../../src/service/webhook/attempt.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import { mutateRequest, mutateText, type RequestToSend } from '../kit/hostile-request.ts';
import { hostileBody, malformedMessages } from '../kit/hostile-values.ts';
import type { Random } from '../kit/random.ts';
import { type ProgramName, type Programs, secretOf } from './programs.ts';

/** One hostile request, as bytes. */
export type HostileRequest = {
  /** The class of the attack. */
  kind: string;
  program: ProgramName;
  bytes: Buffer;
  isHead?: boolean;
  /** The statuses that are right. 429 and a closed connection are always right for a request without a secret. */
  expected: readonly number[];
  /** The request has a valid secret: it is never limited. */
  isAuthenticated?: true;
  /** Time limit of the answer, in milliseconds. */
  withinMs?: number;
};

type Head = {
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
};

/** The time limit of the channels' aggregators. */
const channelMs = 10_000;

const json = { 'content-type': 'application/json' };

const notFound = [404];

/** After an unused `upgrade` header, Node notices a malformed message only when its headers are late. */
const headerTimeout = 408;

const programNames: readonly [ProgramName, ProgramName] = ['gateway', 'service'];

function httpRequest({ method = 'POST', path, headers = {}, body = '' }: Head): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' && bytes.length === 0 ? '' : `content-length: ${bytes.length}\r\n`;
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}${length}\r\n`, 'latin1'),
    bytes,
  ]);
}

function dialOf(random: Random, name: string): Dial | undefined {
  const channel = demoChannels.find(({ aggregator }) => aggregator === name);
  const msisdn = parseMsisdn(`0551${random.int(100_000, 999_999)}`);
  if (!channel || !msisdn) return undefined;
  const { serviceCode, settings } = channel;
  return {
    session: `h${random.int(1, 1_000_000_000)}`,
    msisdn,
    operator: operatorByPrefix(msisdn),
    serviceCode,
    dialled: serviceCode,
    settings,
  };
}

/** Returns the request of a random aggregator, and its channel. */
function createCallback(random: Random): { channel: string; request: RequestToSend } {
  const name = random.pick(aggregatorNames);
  const dial = dialOf(random, name);
  const simulated = simulatedAggregators[name];
  const channel = demoChannels.find(({ aggregator }) => aggregator === name)?.id ?? name;
  if (!dial || !simulated) throw new Error(`no channel of ${name}`);
  // No confirmation: a prompt to a stranger's phone would be a success of the attack.
  return { channel, request: simulated.request(dial, random.pick([[], ['1'], ['9']])) };
}

function sent(channel: string, secret: string, { method, to, contentType, body }: RequestToSend): Buffer {
  const path = encodeTarget(`/ussd/${channel}/${secret}${to}`);
  return httpRequest({
    method,
    path,
    headers: { 'content-type': contentType },
    body: Buffer.from(body as string),
  });
}

/** Only the octets that a request line can have, and at most as many as a server reads. */
const encodeTarget = (path: string) => path.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 4_000);

type Kind = (random: Random, programs: Programs) => Omit<HostileRequest, 'kind'>;

const wrongSecret: Kind = (random, { channelSecret }) => {
  const { channel, request } = createCallback(random);
  const secret = secretOf(channelSecret, channel);
  const given = random.pick(['', 'x', secret.slice(1), `${secret}x`, 'x'.repeat(3_900)]);
  return { program: 'gateway', bytes: sent(channel, given, request), expected: notFound };
};

const mutatedCallback: Kind = (random, { channelSecret }) => {
  const { channel, request } = createCallback(random);
  return {
    program: 'gateway',
    bytes: sent(channel, secretOf(channelSecret, channel), mutateRequest(random, request)),
    expected: [200],
    isAuthenticated: true,
    withinMs: channelMs,
  };
};

function event(random: Random): string {
  return JSON.stringify({
    id: `evt_${random.int(1, 1_000_000)}`,
    type: random.pick(['payment.session.paid', 'payment.session.failed', 'x']),
    created_at: '2026-03-06T09:00:00Z',
    data: { id: `pay_${random.int(1, 1_000)}`, amount_minor: random.int(1, 100_000) },
  });
}

const forgedWebhook: Kind = (random) => {
  const body = random.happens(0.5) ? event(random) : mutateText(random, event(random));
  const signature = random.pick([
    signPayload(['whsec_of_a_stranger_0123456789'], Date.now(), body),
    `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
    `t=1,t=2,v1=${'0'.repeat(64)}`,
    'v1=',
    '',
  ]);
  const path = `/webhooks/${random.pick(['shop', 'stranger', 'sh%6fp', 'x'.repeat(500)])}`;
  const bytes = httpRequest({ path, headers: { ...json, 'service-signature': signature }, body });
  return { program: 'gateway', bytes, expected: [401, 413] };
};

/** A delivery that an attacker has captured, sent again, or long after it was signed. */
const replayedWebhook: Kind = (random, { webhookSecret }) => {
  const isStale = random.happens(0.5);
  const body = JSON.stringify({
    ...{ id: `evt_captured_${random.int(1, 5)}`, type: 'payment.session.paid' },
    ...{ created_at: '2026-03-06T09:00:00Z', data: { id: 'pay_captured' } },
  });
  const signedAt = Date.now() - (isStale ? 3_600_000 : 0);
  const headers = { ...json, 'service-signature': signPayload([webhookSecret], signedAt, body) };
  const bytes = httpRequest({ path: '/webhooks/shop', headers, body });
  return { program: 'gateway', bytes, expected: [200], isAuthenticated: true };
};

const wildBody: Kind = (random, { strangerKey }) => {
  const isMerchant = random.happens(0.5);
  const program = random.pick(programNames);
  const path = program === 'gateway' ? '/webhooks/shop' : '/v1/payments/sessions';
  const authorization = { authorization: `Bearer ${strangerKey}` };
  const headers = { ...json, ...(isMerchant && program === 'service' ? authorization : {}) };
  const bytes = httpRequest({ path, headers, body: Buffer.from(hostileBody(random) as string) });
  return { program, bytes, expected: [400, 401, 413] };
};

function oddPaths(channelSecret: string): string[] {
  return [
    ...'/a // /../../etc/passwd /%zz /%00 /ussd /ussd/nalo /webhooks /.env /wp-login.php'.split(' '),
    ...[
      ...'/v1/payments /v1/payments/sessions/x/initiate /backoffice/keys /docs/x /metrics/'.split(' '),
      '/HEALTHZ',
    ],
    ...[`/ussd/nalo/x/${channelSecret}`, `/${'x'.repeat(3_000)}`, `/a?${'b=c&'.repeat(500)}`, '/a#b', '*'],
  ];
}

const oddRequest: Kind = (random, { channelSecret }) => {
  const program = random.pick(programNames);
  const method = random.pick('TRACE PROPFIND OPTIONS HEAD DELETE PATCH PUT GET SEARCH'.split(' '));
  const path = random.pick(oddPaths(channelSecret));
  const headers = random.pick<Readonly<Record<string, string>>>([
    {},
    { expect: '100-continue' },
    { 'content-encoding': 'gzip' },
    { 'x-forwarded-for': '10.0.0.1, 127.0.0.1', forwarded: 'for=127.0.0.1' },
    { 'x-http-method-override': 'DELETE', 'x-original-url': '/healthz' },
    { cookie: 'a=b; '.repeat(300) },
    { connection: 'upgrade', upgrade: 'h2c' },
  ]);
  const isHead = method === 'HEAD';
  // The service names the methods of an address, because its API is documented. The gateway does not.
  const expected = program === 'service' ? [400, 401, 404, 405] : [400, 401, 404];
  return { program, bytes: httpRequest({ method, path, headers }), isHead, expected };
};

const largeHeader: Kind = (random) => {
  const program = random.pick(programNames);
  const bytes = httpRequest({ method: 'GET', path: '/a', headers: { x: 'y'.repeat(33_000) } });
  return { program, bytes, expected: [431, headerTimeout] };
};

const serviceStranger: Kind = (random, { key }) => {
  const token = random.pick([
    '',
    'sk_test_wrong',
    'sk_live_wrong',
    key.slice(0, -1),
    `${key}x`,
    'x'.repeat(300),
  ]);
  const authorization = random.pick([`Bearer ${token}`, `Basic ${btoa('a:b')}`, token, `bearer  ${token}`]);
  const [method, path, body] = random.pick<readonly [method: string, path: string, body: string]>([
    ['GET', '/v1/payments/sessions', ''],
    ['POST', '/v1/payments/sessions', '{}'],
    ['GET', '/v1/payments/sessions/pay_1/status', ''],
    ['POST', '/v1/payments/sessions/pay_1/initiate', '{}'],
    ['GET', '/backoffice/merchants', ''],
    ['POST', '/backoffice/merchants', '{"name":"x"}'],
  ]);
  const bytes = httpRequest({ method, path, headers: { ...json, authorization }, body });
  return { program: 'service', bytes, expected: [401, 403] };
};

/** A merchant with a valid key asks for the objects of another merchant. */
const otherMerchant: Kind = (random, { strangerKey }) => {
  const headers = {
    ...json,
    authorization: `Bearer ${strangerKey}`,
    'idempotency-key': `k${random.int(1, 1e9)}`,
  };
  const id = random.pick(['pay_captured', 'pay_1', "pay_' OR 1=1", 'pay_%00', '..%2f..']);
  const [method, path, body] = random.pick<readonly [method: string, path: string, body: string]>([
    ['GET', `/v1/payments/sessions/${encodeURIComponent(id)}/status`, ''],
    ['POST', `/v1/payments/sessions/${encodeURIComponent(id)}/initiate`, '{}'],
    ['GET', `/v1/payments/sessions/${encodeURIComponent(id)}`, ''],
  ]);
  return {
    program: 'service',
    bytes: httpRequest({ method, path, headers, body }),
    expected: notFound,
    isAuthenticated: true,
  };
};

const malformed: Kind = (random) => ({
  program: random.pick(programNames),
  bytes: Buffer.from(random.pick(malformedMessages), 'latin1'),
  expected: [400, 401, 404, 405, 413, 417, 431, headerTimeout],
});

const pipeline: Kind = (random) => ({
  program: random.pick(programNames),
  bytes: Buffer.concat(Array(random.int(2, 50)).fill(httpRequest({ method: 'GET', path: '/a' }))),
  expected: notFound,
});

/** The classes, with their share of the requests. */
const kinds: readonly (readonly [kind: string, share: number, create: Kind])[] = [
  ['wrong secret', 20, wrongSecret],
  ['mutated callback', 10, mutatedCallback],
  ['forged webhook', 20, forgedWebhook],
  ['replayed webhook', 4, replayedWebhook],
  ['hostile body', 6, wildBody],
  ['odd request', 14, oddRequest],
  ['large header', 1, largeHeader],
  ['wrong key', 15, serviceStranger],
  ['other merchant', 6, otherMerchant],
  ['malformed HTTP', 3, malformed],
  ['pipelining', 1, pipeline],
];

const totalShare = kinds.reduce((sum, [, share]) => sum + share, 0);

/** Creates a hostile request of a random class. */
export function createHostileRequest(random: Random, programs: Programs): HostileRequest {
  let rest = random.real() * totalShare;
  for (const [kind, share, create] of kinds) {
    rest -= share;
    if (rest < 0) return { kind, ...create(random, programs) };
  }
  return { kind: 'malformed HTTP', ...malformed(random, programs) };
}
