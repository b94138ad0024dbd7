import Database from 'better-sqlite3';

/*
 * Holds a database file until the process ends: `child-lock.ts <file> [whole]`. Prints `locked` once it has it: the
 * right to write, or the whole file, so that nobody else can even read.
 */
const [, , file = '', whole] = process.argv;
const database = new Database(file, { fileMustExist: true });
if (whole) database.pragma('locking_mode = EXCLUSIVE');
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
setInterval(() => {}, 60_000);
