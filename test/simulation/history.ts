import { createHash } from 'node:crypto';

/** Events of a run in order. Two runs of one seed have equal histories and equal hashes. */
export type History = {
  record(who: string, what: string): void;
  /** All lines so far. */
  lines(): readonly string[];
  hash(): string;
};

export function createHistory(now: () => number, start: number): History {
  const lines: string[] = [];
  return {
    record(who, what) {
      lines.push(`${clockOf(now() - start)} ${who.padEnd(9)} ${what}`);
    },
    lines: () => lines,
    hash: () => createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16),
  };
}

/** Formats the time since the start, such as `1d 02:03:04.005`. */
function clockOf(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  const time = new Date(ms - days * 86_400_000).toISOString().slice(11, 23);
  return days === 0 ? time : `${days}d ${time}`;
}
