import { Database } from '../../src/sqlite/driver.ts';

/*
 * Locks a database file until the process ends: `child-lock.ts <file> [whole]`. Prints `locked` when it has the
 * write lock, or, with `whole`, excludes readers too.
 */
const [, , file = '', whole] = process.argv;
const database = new Database(file, { fileMustExist: true });
if (whole) database.pragma('locking_mode = EXCLUSIVE');
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
// A connection that nothing refers to is garbage collected, which releases the lock.
setInterval(() => database.open, 60_000);
