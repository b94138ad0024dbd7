import { existsSync } from 'node:fs';

const memory = '/dev/shm';

/**
 * Puts the temporary folders of this process into memory, where the machine has a file system there: tens of thousands
 * of commits are then not a test of its disk.
 */
export function keepFilesInMemory(): void {
  if (existsSync(memory)) process.env.TMPDIR = memory;
}
