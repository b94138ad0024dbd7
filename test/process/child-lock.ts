import Database from 'better-sqlite3';

/*
 * Holds the write lock of a database file until the process ends: `child-lock.ts <file>`. Prints `locked` once it has it.
 */
const [, , file = ''] = process.argv;
const database = new Database(file, { fileMustExist: true });
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
setInterval(() => {}, 60_000);
