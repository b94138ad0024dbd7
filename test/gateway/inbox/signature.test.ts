import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SignatureSettings, verifySignature } from '../../../src/gateway/inbox/signature.ts';

const now = Date.parse('2026-03-06T09:00:00Z');
const body = Buffer.from('{"id":"evt_1","type":"payment.session.paid","data":{"id":"pay_1"}}');
const secret = 'whsec_test_0123456789abcdef';

const settings: SignatureSettings = {
  header: 'service-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  timestampUnit: 'seconds',
  signedText: '{t}.{body}',
  secretEncoding: 'text',
  toleranceMs: 300_000,
};

type Signing = { secret?: string; at?: number; body?: Uint8Array } & Partial<SignatureSettings>;

/** Returns the two header values that the service computes for a body. */
function sign({ secret: key = secret, at = now, body: signed = body, ...changed }: Signing = {}) {
  const { algorithm, encoding, timestampUnit } = { ...settings, ...changed };
  const t = String(timestampUnit === 'seconds' ? Math.floor(at / 1000) : at);
  return { t, v1: createHmac(algorithm, key).update(`${t}.`).update(signed).digest(encoding) };
}

function header(signing: Signing = {}): string {
  const { t, v1 } = sign(signing);
  return `t=${t},v1=${v1}`;
}

function verify(
  given: string | undefined,
  {
    secrets = [secret],
    bytes = body as Uint8Array,
    ...changed
  }: Partial<SignatureSettings> & { secrets?: string[]; bytes?: Uint8Array } = {},
) {
  return verifySignature({ ...settings, ...changed }, secrets, {
    header: given,
    body: bytes,
    receivedAt: now,
  });
}

const valid = { kind: 'valid', secretIndex: 0 };
const forged = { kind: 'forged' };

test('the signature of a known body is verified', () => {
  const known = 't=1772787600,v1=145114ced78878c02480c153c6dc851677be7fcae112e8f7a8c88a570676a3a0';
  const bytes = Buffer.from('{"id":"evt_1"}');
  expect(
    verifySignature(settings, ['whsec_test'], { header: known, body: bytes, receivedAt: 1_772_787_600_999 }),
  ).toEqual(valid);
});

test('a merchant with fewer secrets than others accepts no further secret', () => {
  const bytes = Buffer.from('{"id":"evt_1"}');
  const empty = createHmac('sha256', '').update('1772787600.').update(bytes).digest('hex');
  const signed = { header: `t=1772787600,v1=${empty}`, body: bytes, receivedAt: 1_772_787_600_999 };
  expect(verifySignature(settings, ['whsec_test'], signed, 5)).toEqual(forged);
  expect(verifySignature(settings, [], signed, 5)).toEqual(forged);
});

const formats = (['sha256', 'sha512'] as const).flatMap((algorithm) =>
  (['hex', 'base64'] as const).flatMap((encoding) =>
    (['seconds', 'milliseconds'] as const).map((timestampUnit) => ({ algorithm, encoding, timestampUnit })),
  ),
);

test.each(formats)(
  '$algorithm in $encoding with a time in $timestampUnit is accepted only when it is configured',
  (format) => {
    expect(verify(header(format), format)).toEqual(valid);
    for (const other of formats) {
      if (other === format) continue;
      const accepted = verify(header(other), format).kind === 'valid';
      expect(accepted).toBe(false);
    }
  },
);

test('the configured text is signed, in its order, with the event id of the request header', () => {
  const time = String(now / 1000);
  const signOver = (...parts: string[]) =>
    `t=${time},v1=${createHmac('sha256', secret).update(parts.join('')).digest('hex')}`;
  const verifyOver = (signedText: string, given: string, eventId?: string) =>
    verifySignature({ ...settings, signedText }, [secret], { header: given, eventId, body, receivedAt: now });
  const text = body.toString();
  const withId = signOver('evt_1', '.', time, '.', text);
  expect(verifyOver('{id}.{t}.{body}', withId, 'evt_1')).toEqual(valid);
  expect(verifyOver('{id}.{t}.{body}', withId, 'evt_2')).toEqual(forged);
  expect(verifyOver('{id}.{t}.{body}', signOver('', '.', time, '.', text))).toEqual(forged);
  expect(verifyOver('{t}.{body}', withId, 'evt_1')).toEqual(forged);
  expect(verifyOver('{body}|{t}', signOver(text, '|', time))).toEqual(valid);
  expect(verifyOver('{t}{body}', signOver(time, text))).toEqual(valid);
  expect(verifyOver('{t}{body}', header())).toEqual(forged);
});

test('the key is the text of the secret, or the bytes that it encodes, as configured', () => {
  const key = Buffer.from('000102030405060708090a0b0c0d0e0f1011121314151617ff', 'hex');
  const encoded = key.toString('base64');
  const time = String(now / 1000);
  const signed = `t=${time},v1=${createHmac('sha256', key).update(`${time}.`).update(body).digest('hex')}`;
  const base64Secrets = { secretEncoding: 'base64' } as const;
  for (const given of [`whsec_${encoded}`, encoded, encoded.replace(/=+$/, '')]) {
    expect(verify(signed, { ...base64Secrets, secrets: [given] })).toEqual(valid);
    expect(verify(signed, { secrets: [given] })).toEqual(forged);
    expect(verify(header({ secret: given }), { ...base64Secrets, secrets: [given] })).toEqual(forged);
    expect(verify(header({ secret: given }), { secrets: [given] })).toEqual(valid);
  }
});

test('a secret that is not base64, or is empty, verifies no signature when secrets are base64', () => {
  for (const given of ['whsec_', '', 'whsec_not base64!', 'whsec_====']) {
    const secrets = [given];
    expect(verify(header({ secret: '' }), { secrets, secretEncoding: 'base64' })).toEqual(forged);
    expect(verify(header({ secret: given }), { secrets, secretEncoding: 'base64' })).toEqual(forged);
  }
});

test.each([
  ['300 s ago', -300_000, 'valid'],
  ['300 s ahead', 300_000, 'valid'],
  ['301 s ago', -301_000, 'stale'],
  ['301 s ahead', 301_000, 'stale'],
  ['a day ago', -86_400_000, 'stale'],
])('a delivery signed %s is %s', (_, offset, kind) => {
  expect(verify(header({ at: now + offset }))).toEqual({ kind, secretIndex: 0 });
});

test('both secrets are accepted during a rotation, and the index of the matching one is returned', () => {
  const next = 'whsec_next_0123456789abcdef';
  const secrets = [secret, next];
  expect(verify(header(), { secrets })).toEqual(valid);
  expect(verify(header({ secret: next }), { secrets })).toEqual({ kind: 'valid', secretIndex: 1 });
  const both = `${header()},v1=${sign({ secret: next }).v1}`;
  expect(verify(both, { secrets })).toEqual(valid);
  expect(verify(both, { secrets: [next] })).toEqual(valid);
  expect(verify(both, { secrets: ['whsec_wrong_0123456789abcdef'] })).toEqual(forged);
  expect(verify(header(), { secrets: [] })).toEqual(forged);
});

test('an empty secret verifies no signature', () => {
  expect(verify(header({ secret: '' }), { secrets: [''] })).toEqual(forged);
  expect(verify(header({ secret: '' }), { secrets: ['', secret] })).toEqual(forged);
});

const { t, v1 } = sign();
const base64 = sign({ encoding: 'base64' }).v1;

test.each([
  ['blanks around names and values', ` t = ${t} , v1 = ${v1} `],
  ['the values the other format round', `v1=${v1},t=${t}`],
  ['other schemes beside it', `t=${t},v0=abc,v1=${v1},v2=${v1},x`],
  ['a wrong one beside the right one', `t=${t},v1=${'0'.repeat(64)},v1=${v1}`],
  ['a part that has no value', `t=${t},v1=${v1},t1`],
  ['2048 characters', `t=${t},v1=${v1},x=`.padEnd(2048, 'x')],
  ['ten of them', `t=${t}${',v1=00'.repeat(9)},v1=${v1}`],
])('S40: a header with %s is accepted', (_, given) => {
  expect(verify(given)).toEqual(valid);
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['no time', `v1=${v1}`],
  ['no signature', `t=${t}`],
  ['an empty signature', `t=${t},v1=`],
  ['two times', `t=${t},t=${t},v1=${v1}`],
  ['another time', `t=${Number(t) + 1},v1=${v1}`],
  ['a time with a sign', `t=+${t},v1=${v1}`],
  ['a time with a fraction', `t=${t}.0,v1=${v1}`],
  ['NaN for a time', `t=NaN,v1=${v1}`],
  ['a time of seventeen digits', `t=${t.padStart(17, '0')},v1=${v1}`],
  ['upper-case hex', `t=${t},v1=${v1.toUpperCase()}`],
  ['half the signature', `t=${t},v1=${v1.slice(0, 32)}`],
  ['a longer signature', `t=${t},v1=${v1}00`],
  ['a digit and a blank more', `t=${t},v1=${v1} 0`],
  ['another scheme only', `t=${t},v0=${v1}`],
  ['eleven signatures', `t=${t}${',v1=00'.repeat(10)},v1=${v1}`],
  ['a megabyte', `t=${t},v1=${v1},x=${'x'.repeat(2 ** 20)}`],
])('S40: a header with %s is forged', (_, given) => {
  expect(verify(given)).toEqual(forged);
});

test.each([`+${t}`, `${t}.0`, 'NaN', t.padStart(17, '0'), ''])(
  'S40: %j is no time, also when it is signed',
  (time) => {
    const signature = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
    expect(verify(`t=${time},v1=${signature}`)).toEqual(forged);
  },
);

/** The last letter before the padding has two unused bits, so that the next letter encodes the same bytes. */
const nearBase64 = base64.replace(
  /(.)=$/,
  (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`,
);

test.each([
  ['without padding', base64.replace(/=+$/, '')],
  ['with too much padding', `${base64}=`],
  ['in the alphabet for URLs', base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')],
  ['with another last letter for the same bytes', nearBase64],
  ['with a line break', `${base64.slice(0, 20)}\n${base64.slice(20)}`],
])('base64 %s is not accepted as the signature', (_, given) => {
  expect(verify(`t=${t},v1=${base64}`, { encoding: 'base64' })).toEqual(valid);
  expect(verify(`t=${t},v1=${given}`, { encoding: 'base64' })).toEqual(forged);
});

test('a body with one changed byte is forged', () => {
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Uint8Array.from(body);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      expect(verify(header(), { bytes })).toEqual(forged);
    }),
  );
});

test('the signature covers the raw bytes of a body that is not UTF-8', () => {
  const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x80);
  expect(verify(header({ body: bytes }), { bytes })).toEqual(valid);
});

type Format = (typeof formats)[number];

/** Generates headers of every kind, most of them similar to a valid one. */
function garbled(format: Format): fc.Arbitrary<string> {
  const good = header(format);
  const exact = sign(format);
  const parts = [
    't=',
    'v1=',
    ',',
    '=',
    ' ',
    exact.t,
    exact.v1,
    exact.v1.toUpperCase(),
    'NaN',
    '-1',
    '1e9',
    '\0',
    '0',
  ];
  return fc.oneof(
    fc.string({ maxLength: 300, unit: 'binary' }),
    fc
      .tuple(fc.nat(good.length), fc.nat(3), fc.string({ maxLength: 3, unit: 'binary' }))
      .map(([at, removed, put]) => good.slice(0, at) + put + good.slice(at + removed)),
    fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join('')),
  );
}

test.each(formats)(
  'S40: no header throws, and an accepted one contains the exact values ($algorithm $encoding $timestampUnit)',
  (format) => {
    const exact = sign(format);
    fc.assert(
      fc.property(garbled(format), (given) => {
        if (verify(given, format).kind === 'forged') return;
        const values = given.split(',').map((part) => part.replace(/\s/g, ''));
        expect(values).toContain(`t=${exact.t}`);
        expect(values).toContain(`v1=${exact.v1}`);
      }),
      { numRuns: 500 },
    );
  },
);
