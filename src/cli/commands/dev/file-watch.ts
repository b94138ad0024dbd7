import { statSync } from 'node:fs';
import type { Clock } from '../../../shared/clock.ts';

const intervalMs = 300;

/** Files whose changes are noticed. */
export type FileWatch = {
  /** Replaces the files. A file that was not watched counts as unchanged now; a change of another one is never lost. */
  watch(files: readonly string[]): void;
  stop(): void;
};

/**
 * Calls `onChange` after a watched file was written, created or removed, within 300 ms. Files are compared by time and size, which
 * works with every editor and file system. Node's `watchFile` compares with a later state than the one at its call, and so loses a
 * change that follows the call at once.
 */
export function createFileWatch(clock: Pick<Clock, 'sleep'>, onChange: (file: string) => void): FileWatch {
  let stamps = new Map<string, string>();
  const stopped = new AbortController();

  function look() {
    for (const [file, before] of stamps) {
      const now = stampOf(file);
      if (now === before) continue;
      stamps.set(file, now);
      onChange(file);
    }
  }

  async function lookUntilStopped() {
    while (!stopped.signal.aborted) {
      look();
      await clock.sleep(intervalMs, stopped.signal);
    }
  }

  void lookUntilStopped();
  return {
    watch(files) {
      stamps = new Map(files.map((file) => [file, stamps.get(file) ?? stampOf(file)]));
    },
    stop: () => stopped.abort(),
  };
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size}` : 'absent';
}
