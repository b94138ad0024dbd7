import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPublicFetch } from '../../src/service/webhook/delivery-fetch.ts';
import { isPublicAddress } from '../../src/shared/http/addresses.ts';
import {
  AddressRejectedError,
  checkedLookup,
  isAddressRejected,
  type NameLookup,
} from '../../src/shared/http/checked-fetch.ts';
import { openLiveMerchant, openMerchant, refusal } from './support.ts';
import { admin, deliveries, delivery, payingRail, payLive } from './webhook-support.ts';

/** For what goes over real sockets on a busy machine. */
const patient = { timeout: 10_000 };

const privateAddresses = [
  ...'127.0.0.1 10.0.0.1 172.16.3.4 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0'.split(' '),
  ...'255.255.255.255 224.0.0.1 198.18.0.1 192.0.2.1 :: ::1 fd00::1 fe80::1 fec0::1 ff02::1'.split(' '),
  ...'::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1'.split(' '),
  '100::1',
];

test.each(privateAddresses)('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['93.184.216.34', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each(['', 'example.com', '10.0.0', '8.8.8.8:443', ' 8.8.8.8'])('%j is not a public address', (text) => {
  expect(isPublicAddress(text)).toBe(false);
});

const family = (address: string) => (address.includes(':') ? 6 : 4);

/** A name server that answers every name with these addresses. */
function resolvesTo(...addresses: string[]): NameLookup {
  return (_name, _options, done) =>
    done(
      null,
      addresses.map((address): LookupAddress => ({ address, family: family(address) })),
    );
}

function look(lookup: NameLookup, all: boolean) {
  return new Promise<unknown>((resolve) =>
    checkedLookup(isPublicAddress, lookup)('merchant.example', { all }, (fault, address) =>
      resolve(fault ?? address),
    ),
  );
}

test('a socket gets the public addresses of a name, and none when one of them is private', async () => {
  const both = resolvesTo('93.184.216.34', '2606:4700:4700::1111');
  expect(await look(both, false)).toBe('93.184.216.34');
  expect(await look(both, true)).toMatchObject([{ address: '93.184.216.34' }, { family: 6 }]);
  for (const all of [true, false]) {
    expect(await look(resolvesTo('93.184.216.34', '10.0.0.1'), all)).toBeInstanceOf(AddressRejectedError);
    expect(await look(resolvesTo(), all)).toMatchObject({ message: 'the name has no address' });
  }
});

const request = {
  ...({ method: 'POST', redirect: 'manual', body: '{}' } as const),
  headers: { 'content-type': 'application/json' },
  signal: new AbortController().signal,
};

/** A listener that counts who connects. */
async function listen(host: string) {
  let connected = 0;
  const server = createServer((socket) => {
    connected++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, connected: () => connected };
}

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'no connection is made to a name that resolves to %s, although a server listens there',
  async (address) => {
    const { port, connected } = await listen(address.includes('.') ? '127.0.0.1' : address);
    const failure = await createPublicFetch(resolvesTo(address))(
      `https://merchant.example:${port}/`,
      request,
    ).catch((fault: unknown) => fault);
    expect(isAddressRejected(failure)).toBe(true);
    expect(connected()).toBe(0);
  },
);

test('no connection is made to a private address in any spelling', async () => {
  const { port, connected } = await listen('127.0.0.1');
  const never: NameLookup = () => {
    throw new Error('looked up');
  };
  for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost']) {
    const failure = await createPublicFetch(never)(`https://${host}:${port}/`, request).catch(
      (fault: unknown) => fault,
    );
    expect(isAddressRejected(failure), host).toBe(true);
  }
  expect(connected()).toBe(0);
});

test('each request resolves its name again, so a name that becomes private is rejected', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  let looked = 0;
  const send = createPublicFetch((name, options, done) => {
    looked++;
    resolvesTo(...(answers.shift() ?? []))(name, options, done);
  });
  for (let count = 0; count < 2; count++) {
    await expect(send('https://merchant.example/', request)).rejects.toSatisfy(isAddressRejected);
  }
  expect(looked).toBe(2);
});

test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.1'])(
  'a live delivery to a name that resolves to %s fails with address_refused and is retried on schedule',
  async (address) => {
    const { bench, liveKey, merchantId } = await openLiveMerchant({
      liveRail: payingRail,
      fetchPublic: createPublicFetch(resolvesTo(address)),
    });
    await bench.service.setWebhook({ merchantId, livemode: true, url: 'https://merchant.example/hook' });
    await payLive(bench, liveKey);
    const [event] = await vi.waitFor(async () => {
      await bench.clock.advance(0);
      const list = await deliveries(bench, merchantId, '?livemode=true');
      expect(list).toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'address_refused' }]);
      return list;
    }, patient);
    await bench.clock.advance(5_000);
    await vi.waitFor(async () => {
      await bench.clock.advance(0);
      expect((await delivery(bench, event?.event_id)).log).toMatchObject([
        { number: 1, status: null, error: 'address_refused' },
        { number: 2, status: null, error: 'address_refused' },
      ]);
    }, patient);
    expect(bench.received).toEqual([]);
  },
);

test.each([
  ...'http://merchant.example/hook https://127.0.0.1/hook https://10.1.2.3/hook'.split(' '),
  ...'https://0x7f.1/hook https://[::1]/hook https://[fd00::1]/hook'.split(' '),
  ...'https://[::ffff:10.0.0.1]/hook https://169.254.169.254/latest/meta-data'.split(' '),
  ...'https://localhost/hook https://LOCALHOST./hook https://api.localhost/hook'.split(' '),
  ...'https://printer.local/hook https://metadata.google.internal/hook https://intranet/hook'.split(' '),
])('%s is rejected as the live URL and accepted as the test URL', async (url) => {
  const { bench, merchantId } = await openMerchant();
  const set = (livemode: boolean) =>
    admin(bench, 'PUT', `/merchants/${merchantId}/webhook`, { livemode, url });
  expect(await refusal(await set(true))).toEqual({ status: 400, code: 'private_url', param: 'url' });
  expect((await set(false)).status).toBe(200);
});

test('a public https URL is accepted as the live URL', async () => {
  const { bench, merchantId } = await openMerchant();
  for (const url of ['https://merchant.example/hook', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]/']) {
    const answer = await admin(bench, 'PUT', `/merchants/${merchantId}/webhook`, { livemode: true, url });
    expect(answer.status, url).toBe(200);
  }
});
