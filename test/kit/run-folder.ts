import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for files that all tests of a run share. */
    runFolder: string;
  }
}

const memory = '/dev/shm';

/** Many times the size of the files that exist at once. */
const minFreeBytes = 1_000_000_000;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= minFreeBytes;
}

/**
 * Creates the folder of one test run, which also holds its temporary files, and deletes it after the run. The folder is in
 * memory where the machine has space there, because the tests commit tens of thousands of times.
 */
export default function createRunFolder({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(hasRoom(memory) ? memory : tmpdir(), 'dialtill-run-'));
  process.env.TMPDIR = folder;
  provide('runFolder', folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also removes the folder of an interrupted run.
  process.once('exit', remove);
  return remove;
}
