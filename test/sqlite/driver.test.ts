import { expect, test } from 'vitest';
import { UserError } from '../../src/shared/errors.ts';
import { loadDriver } from '../../src/sqlite/driver.ts';

function failWith(code: string): () => never {
  return () => {
    throw Object.assign(new Error('cannot load'), { code });
  };
}

test('a missing package of SQLite is an error that says what to do', () => {
  const load = () => loadDriver(failWith('MODULE_NOT_FOUND'), 'better-sqlite3-13');
  expect(load).toThrow(UserError);
  expect(load).toThrow(/better-sqlite3-13 is not installed.*npm install --include=optional/);
});

test('a package of SQLite without its binary is an error that says what to do', () => {
  class Driver {
    constructor() {
      throw new Error('Could not locate the bindings file. Tried:\n → /a/better_sqlite3.node');
    }
  }
  const load = () => loadDriver(() => Driver, 'better-sqlite3');
  expect(load).toThrow(UserError);
  expect(load).toThrow(/better-sqlite3 has no binary for Node .*Run "npm rebuild better-sqlite3"/);
});

test('another failure to load SQLite is not reported as a missing package', () => {
  expect(() => loadDriver(failWith('ERR_DLOPEN_FAILED'), 'better-sqlite3-13')).toThrow('cannot load');
});
