import { escapeControls, type Output, printable } from './protected-output.ts';
import { type Paint, paintFor } from './terminal.ts';

type Page = { data: readonly unknown[]; total: number; next: string | null };

/** Formats rows in aligned columns, two spaces apart. The first row contains the headings. */
export function table(paint: Paint, unbroken: readonly (readonly string[])[]): string {
  const rows = unbroken.map((row) => row.map(oneLine));
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

/** Prints the rows of a list as a table, or else that there are none. @param footer the lines below the table. */
export function printRows<Row>(
  { stdout, noColor }: { stdout: Output; noColor: boolean },
  { data, total = data.length }: { data: readonly Row[]; total?: number },
  shown: { none: string; head: readonly string[]; cells(row: Row): readonly string[]; footer?: string },
): void {
  const { none, head, cells, footer = '' } = shown;
  if (total === 0) stdout.write(`${none}\n`);
  else stdout.write(table(paintFor(stdout, noColor), [head, ...data.map(cells)]) + footer);
}

/** Returns a text without line breaks, so that a value cannot look like a line of the program. */
export function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** Formats a count with its noun: `1 input`, `2 inputs`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats the size of a result with pages, and the cursor of the next page. */
export function pageFooter({ data, total, next }: Page, noun: string, note = ''): string {
  return (
    `shown: ${data.length} of ${plural(total, noun)}${note}\n` +
    (next === null ? '' : `next page: --after ${oneLine(printable(next))}\n`)
  );
}

/** Prints a whole list as JSON, in the shape of all lists of commands: the rows, their number, and no next page. */
export function printListJson(stream: Output, data: readonly unknown[]): void {
  printJson(stream, { data, total: data.length, next: null });
}

/** Prints JSON. Control and formatting characters are escaped, so that they have no effect in a terminal. */
export function printJson(output: Output, value: unknown): void {
  output.write(`${escapeControls(JSON.stringify(value, null, 2))}\n`);
}

/** Prints the answer to a command: as JSON with `--json`, else as a text without its control and formatting characters. */
export function printAnswer(
  output: Output,
  { json = false }: { json?: boolean },
  answer: unknown,
  text: string,
): void {
  if (json) printJson(output, answer);
  else output.write(printable(`${text}\n`));
}

/** Formats a time as `2026-03-06 09:00:01.500` in UTC, which is Ghana's time all year. */
export function showTime(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '');
}

/** Returns a text as one word of a shell command, quoted when necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
