import type { Progress } from './stage.ts';

const clearLine = '\r\u001b[K';

/** Shows how much of the week has happened: on a terminal in one line that is removed at the end, elsewhere a line for each day. */
export function createProgress(output: { isTTY?: boolean; write(text: string): unknown }) {
  let shown = '';
  return {
    report({ day, days, percent }: Progress): void {
      const line = `day ${day} of ${days}${output.isTTY ? `, ${percent} %` : ''}`;
      if (line === shown) return;
      shown = line;
      output.write(output.isTTY ? `${clearLine}${line}` : `${line}\n`);
    },
    end(): void {
      if (output.isTTY) output.write(clearLine);
    },
  };
}
