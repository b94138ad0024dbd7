import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createNameLookup } from '../../../src/shared/http/checked-fetch.ts';

/** The type of a question for an IPv4 address. */
const typeA = 1;

/** Starts a name server that has 192.0.2.1 for `quiet.test`, no other name, and no answer for names of `slow.test`. */
async function startNameServer() {
  const asked: string[] = [];
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const { name, end } = readName(query);
    asked.push(name);
    if (name.endsWith('slow.test')) return;
    const isFound = name === 'quiet.test' && query.readUInt16BE(end) === typeA;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(name === 'quiet.test' ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(isFound ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 1]);
    server.send(
      Buffer.concat([header, query.subarray(12, end + 4), ...(isFound ? [record] : [])]),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const lookupName = createNameLookup([`127.0.0.1:${server.address().port}`]);
  const find = (name: string) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      lookupName(name, { all: true }, (fault, found) => (fault ? reject(fault) : resolve(found)));
    });
  return { asked, find };
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

test('names whose server does not answer delay no other name', async () => {
  const { asked, find } = await startNameServer();
  let ended = 0;
  for (let n = 0; n < 32; n++) {
    void find(`n${n}.slow.test`).catch(() => {
      ended += 1;
    });
  }
  while (!asked.includes('n31.slow.test')) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await find('quiet.test')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  expect(ended).toBe(0);
});

test('the system finds the names of this machine', async () => {
  const { asked, find } = await startNameServer();
  expect((await find('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
  expect(asked).toEqual([]);
});

test('a name that no name server has is not found', async () => {
  const { asked, find } = await startNameServer();
  await expect(find('nowhere.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect(asked).toContain('nowhere.invalid');
});
