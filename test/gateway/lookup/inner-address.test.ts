import { expect, test } from 'vitest';
import { systemClock } from '../../../src/shared/clock.ts';
import type { NameLookup } from '../../../src/shared/http/checked-lookup.ts';
import { startServer } from '../../kit/local-server.ts';
import { createLookupBench, lookupRequest, merchantAt } from './support.ts';

const longMs = 5_000;
const fees = { url: '/fees', request: lookupRequest };

/** A name server that returns these addresses, the last one from then on. */
function resolvesTo(...addresses: string[]): NameLookup {
  return (_name, _options, done) => {
    const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? '';
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

const portOf = (url: string) => new URL(url).port;

test.each([
  ...'http://127.0.0.1 http://[::1] http://[::ffff:127.0.0.1] http://2130706433'.split(' '),
  'http://erp.example',
])('a lookup of a live key sends nothing to %s', async (origin) => {
  const system = await startServer((response) => response.end('{"a":1}'));
  const bench = createLookupBench(systemClock(), { livemode: true, resolve: resolvesTo('127.0.0.1') });
  const merchant = merchantAt(`${origin}:${portOf(system.url)}`);
  expect(await bench.lookups.ask(merchant, fees, longMs)).toEqual({ kind: 'none' });
  expect(system.questions).toEqual([]);
  expect(bench.outcomes).toEqual(['unreachable']);
  expect(bench.logged()).toContain('ADDRESS_REJECTED');
});

test.each(['169.254.169.254', '10.0.0.1', '192.168.1.1', 'fd00::1', '100.64.0.1', '0.0.0.0'])(
  'a lookup of a test key sends nothing to %s',
  async (address) => {
    const bench = createLookupBench(systemClock(), { resolve: resolvesTo(address) });
    await bench.lookups.ask(merchantAt('http://erp.example'), fees, longMs);
    await bench.lookups.ask(
      merchantAt(`http://${address.includes(':') ? `[${address}]` : address}`),
      fees,
      longMs,
    );
    expect(bench.logged().match(/ADDRESS_REJECTED/g)).toHaveLength(2);
  },
);

test('a lookup of a live key reaches a network that the configuration allows for its merchant, and for no other', async () => {
  const system = await startServer((response) => response.end('{"a":1}'));
  const bench = createLookupBench(systemClock(), { livemode: true, resolve: resolvesTo('127.0.0.1') });
  const url = `http://erp.example:${portOf(system.url)}`;
  const found = { kind: 'found', fields: { a: 1 } };
  expect(await bench.lookups.ask(merchantAt(url, 'one', ['127.0.0.0/8']), fees, longMs)).toEqual(found);
  // The connection of the first merchant is still open.
  expect(await bench.lookups.ask(merchantAt(url, 'two'), fees, longMs)).toEqual({ kind: 'none' });
  expect(await bench.lookups.ask(merchantAt(url, 'three', ['10.0.0.0/8']), fees, longMs)).toEqual({
    kind: 'none',
  });
  expect(system.questions).toHaveLength(1);
});

test('a name that first resolves to an allowed address and then to a private one is rejected', async () => {
  const system = await startServer((response) =>
    response.writeHead(200, { connection: 'close' }).end('{"a":1}'),
  );
  const resolve = resolvesTo('127.0.0.1', '169.254.169.254');
  const bench = createLookupBench(systemClock(), { livemode: true, resolve });
  const merchant = merchantAt(`http://erp.example:${portOf(system.url)}`, 'one', ['127.0.0.1']);
  expect(await bench.lookups.ask(merchant, fees, longMs)).toMatchObject({ kind: 'found' });
  expect(await bench.lookups.ask(merchant, fees, longMs)).toEqual({ kind: 'none' });
  expect(bench.logged()).toContain('ADDRESS_REJECTED');
});
