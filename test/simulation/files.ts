import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { accountOfStaff, type StaffName, staffRoles, tokenOfStaff } from '../kit/staff.ts';

/** Returns a folder for temporary files: in memory, where the machine has such a file system. */
export function scratch(): string {
  const folder = join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dialtill-simulation');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Returns the path of a template database for the runs of this process. The file is removed when the process exits. */
export function templateFile(name: string): string {
  const file = join(scratch(), `${name}-${process.pid}.db`);
  const remove = () => {
    for (const end of ['', '-wal', '-shm', '.lock', '.seen']) rmSync(`${file}${end}`, { force: true });
  };
  remove();
  process.once('exit', remove);
  return file;
}

let template: Promise<string> | undefined;

/** Copies a migrated gateway database into `folder`. Migrating takes most of a start. */
export async function freshFile(folder: string): Promise<string> {
  template ??= migrated();
  const file = join(folder, 'gateway.db');
  copyFileSync(await template, file);
  return file;
}

async function migrated(): Promise<string> {
  const file = templateFile('gateway');
  await createLedger(file, systemClock());
  return file;
}

/** The writes with which each database of a gateway begins: the accounts of its support staff, who are signed in. */
export function accountsOfStaff(): Write[] {
  const names = Object.keys(staffRoles) as StaffName[];
  return names.flatMap((name) => [accountOfStaff(name), tokenOfStaff(name)]);
}

/** Creates the database of a gateway, with the accounts of its support staff. */
export async function createLedger(file: string, clock: Clock): Promise<void> {
  const store = createSqliteStore({ file, schema: 'gateway', clock });
  await store.apply(accountsOfStaff());
  await store.close();
}
