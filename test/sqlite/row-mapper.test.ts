import { eq, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { build, createRowMapper } from '../../src/sqlite/statement.ts';

const payment = sqliteTable('payment', {
  id: text('id').notNull(),
  amountMinor: integer('amount_minor'),
  paidAt: integer('paid_at', { mode: 'timestamp_ms' }),
});
const note = sqliteTable('note', {
  paymentId: text('payment_id').notNull(),
  'a "quoted" name': text('words'),
});

const mapperOf = (select: { readonly _: { readonly selectedFields: object } }) =>
  createRowMapper(select._.selectedFields);

test('a row of columns becomes an object with the names of the select, in its order', () => {
  const map = mapperOf(build.select({ amount: payment.amountMinor, id: payment.id }).from(payment));
  expect(map?.([2_000, 'col_1'])).toStrictEqual({ amount: 2_000, id: 'col_1' });
});

test('a name with quotes is a name, and not a part of the program', () => {
  const map = mapperOf(build.select().from(note));
  expect(map?.(['col_1', 'thanks'])).toStrictEqual({ paymentId: 'col_1', 'a "quoted" name': 'thanks' });
});

test('of a join without a second row, its part is null', () => {
  const select = build
    .select({ payment: { id: payment.id, amountMinor: payment.amountMinor }, note })
    .from(payment)
    .leftJoin(note, eq(note.paymentId, payment.id));
  const map = mapperOf(select);
  expect(map?.(['col_1', 20, 'col_1', 'thanks'])).toStrictEqual({
    payment: { id: 'col_1', amountMinor: 20 },
    note: { paymentId: 'col_1', 'a "quoted" name': 'thanks' },
  });
  expect(map?.(['col_1', 20, null, null])).toStrictEqual({
    payment: { id: 'col_1', amountMinor: 20 },
    note: null,
  });
});

test('a select with a column or an expression that converts its values is left to Drizzle', () => {
  expect(mapperOf(build.select({ at: payment.paidAt }).from(payment))).toBeUndefined();
  expect(mapperOf(build.select({ all: sql`count(*)`.mapWith(Number) }).from(payment))).toBeUndefined();
});
