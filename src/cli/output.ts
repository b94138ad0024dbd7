import type { Output, Paint } from './terminal.ts';

/** Columns separated by two blanks, as wide as their widest cell; the first row is the head. */
export function table(paint: Paint, rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...body] = lines;
  return `${[paint('bold', head), ...body].join('\n')}\n`;
}

export function printJson(output: Output, value: unknown): void {
  output.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** `2026-03-06 09:00:01.500`, UTC, which is Ghana's time all year. */
export function showTime(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '');
}
