import { expect, test } from 'vitest';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { readShortReference } from '../../../src/shared/short-reference.ts';
import { createBench, number } from './bench.ts';

const bodyOf = ({ createBody }: CollectionRow) => JSON.parse(createBody) as Record<string, unknown>;

test('without a reference of the payer, the short reference is stored and sent', async () => {
  const { open } = createBench();
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

test('the payer’s own reference is stored and sent, besides the short reference', async () => {
  const { open } = createBench();
  const { row } = await open({ reference: 'INV-7', shortReference: '48217362' });
  expect(row).toMatchObject({ reference: 'INV-7', shortReference: '48217362' });
  expect(bodyOf(row).reference).toBe('INV-7');
});

test('the short reference that a screen has shown is stored and sent', async () => {
  const { open } = createBench();
  const { row } = await open({ shortReference: '48217362' });
  expect(row).toMatchObject({ reference: '48217362', shortReference: '48217362' });
  expect(bodyOf(row).reference).toBe('48217362');
});

test("the create call of a quote is reused only when its bytes equal the payment's", async () => {
  const { open, collections } = createBench();
  const { row: plain } = await open({ payer: number(1), reference: 'INV-1' });
  const same = { key: 'quo_1.create.0123', body: plain.createBody.replace(number(1), number(2)) };
  const { row } = await open({ payer: number(2), reference: 'INV-1', create: same, shownTotalMinor: 2_020 });
  expect(await collections.find(row.id)).toMatchObject({
    createKey: same.key,
    createBody: same.body,
    shownTotalMinor: 2_020,
  });
  const { row: other } = await open({ payer: number(3), reference: 'INV-1', create: same });
  expect(other.createKey).toMatch(/^create\.[\w-]{16}$/);
  expect(other.createKey).not.toBe(same.key);
  expect(JSON.parse(other.createBody)).toMatchObject({ msisdn: number(3) });
});

test('two collections never share a key', async () => {
  const { open } = createBench();
  const rows = [(await open({ payer: number(1) })).row, (await open({ payer: number(2) })).row];
  expect(new Set(rows.flatMap(({ createKey, initiateKey }) => [createKey, initiateKey])).size).toBe(4);
});
