import type { Output, Paint } from './terminal.ts';

/** Formats rows in aligned columns, two spaces apart. The first row contains the headings. */
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

/** Formats a count with its noun: `1 input`, `2 inputs`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Prints JSON. Control and formatting characters are escaped, so that they have no effect in a terminal. */
export function printJson(output: Output, value: unknown): void {
  const text = JSON.stringify(value, null, 2).replace(/[^\P{C}\n]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
  output.write(`${text}\n`);
}

/** Formats a time as `2026-03-06 09:00:01.500` in UTC, which is Ghana's time all year. */
export function showTime(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '');
}
