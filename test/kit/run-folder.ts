import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what is made once for all tests of a run. */
    runFolder: string;
  }
}

const memory = '/dev/shm';

/** Many times what the tests hold at once. */
const enoughBytes = 1_000_000_000;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= enoughBytes;
}

/**
 * Gives a run of the tests one folder, which goes away with it. Temporary files lie in it: in memory, where the machine
 * has a file system with room there, for tens of thousands of commits are not a test of its disk.
 */
export default function createRunFolder({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(hasRoom(memory) ? memory : tmpdir(), 'dialtill-run-'));
  process.env.TMPDIR = folder;
  provide('runFolder', folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also where the run is broken off.
  process.once('exit', remove);
  return remove;
}
