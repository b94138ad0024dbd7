import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/shared/clock.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';

/** Where files may live that need not outlive the run: in memory, where the machine has such a place. */
export function scratch(): string {
  const folder = join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'dialtill-simulation');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A name for a database that many runs of this process begin with. It goes when the process does. */
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

/** A gateway's database in that folder, migrated already: most of what a start costs. */
export async function freshFile(folder: string): Promise<string> {
  template ??= migrated();
  const file = join(folder, 'gateway.db');
  copyFileSync(await template, file);
  return file;
}

async function migrated(): Promise<string> {
  const file = templateFile('gateway');
  await createSqliteStore({ file, schema: 'gateway', clock: systemClock() }).close();
  return file;
}
