import { expect, test } from 'vitest';
import { getName, requireFile } from '../../src/gateway/database/database-location.ts';

const server = { url: 'postgres://till:hidden@db.test:5433/ledger?sslmode=require', maxConnections: 2 };

test('the name of a server shows neither its user, nor its password, nor its parameters', () => {
  expect(getName(server)).toBe('postgres://db.test:5433/ledger');
  expect(getName({ file: '/data/till.db' })).toBe('/data/till.db');
});

test('a command for files rejects a server, by its name', () => {
  expect(requireFile({ file: '/data/till.db' })).toBe('/data/till.db');
  expect(() => requireFile(server)).toThrow(/^postgres:\/\/db\.test:5433\/ledger: this command restores/);
});
