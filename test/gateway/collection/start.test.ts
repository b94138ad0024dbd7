import { expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { readShortReference } from '../../../src/shared/short-reference.ts';
import { number, openBench } from './bench.ts';

const bodyOf = ({ createBody }: CollectionRow) => JSON.parse(createBody) as Record<string, unknown>;

test('without a reference of its own a collection goes by its short one, in its row and in its create call', async () => {
  const { open } = openBench();
  const { row } = await open({ payer: number(7) });
  expect(readShortReference(row.shortReference)).toBe(row.shortReference);
  expect(row.reference).toBe(row.shortReference);
  expect(bodyOf(row)).toEqual({
    msisdn: number(7),
    amount_minor: 2_000,
    network: 'mtn',
    mode: 'offline',
    reference: row.shortReference,
  });
});

test('what the menu asked for is the reference, and the short one stands beside it', async () => {
  const { open } = openBench();
  const { row } = await open({ reference: 'INV-7', shortReference: '48217362' });
  expect(row).toMatchObject({ reference: 'INV-7', shortReference: '48217362' });
  expect(bodyOf(row).reference).toBe('INV-7');
});

test('a short reference that the screen has shown is the one that is sent', async () => {
  const { open } = openBench();
  const { row } = await open({ shortReference: '48217362' });
  expect(row).toMatchObject({ reference: '48217362', shortReference: '48217362' });
  expect(bodyOf(row).reference).toBe('48217362');
});

test("a quote's call is made again under its key where its bytes are the payment's, and left alone where they are not", async () => {
  const { open, collections } = openBench();
  const { row: plain } = await open({ payer: number(1), reference: 'INV-1' });
  const same = { key: 'quo_1.create.0123', body: plain.createBody.replace(number(1), number(2)) };
  const { row } = await open({ payer: number(2), reference: 'INV-1', create: same, shownTotalMinor: 2_020 });
  expect(await collections.find(row.id)).toMatchObject({
    createKey: same.key,
    createBody: same.body,
    shownTotalMinor: 2_020,
  });
  const { row: other } = await open({ payer: number(3), reference: 'INV-1', create: same });
  expect(other.createKey).toContain(`${other.id}.create.`);
  expect(JSON.parse(other.createBody)).toMatchObject({ msisdn: number(3) });
});

test('two collections never share a key', async () => {
  const { open } = openBench();
  const rows = [(await open({ payer: number(1) })).row, (await open({ payer: number(2) })).row];
  expect(new Set(rows.flatMap(({ createKey, initiateKey }) => [createKey, initiateKey])).size).toBe(4);
});
