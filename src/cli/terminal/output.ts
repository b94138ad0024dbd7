import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { plural } from '../../shared/plural.ts';

/**
 * An output of the program. Control and formatting characters are written in escaped form, such as `\u001b`, so that
 * only the program's own styles have an effect on a terminal. Line breaks are kept.
 */
export type Output = {
  readonly isTTY: boolean;
  write(text: string): void;
  /** Styles a text. Returns it unchanged when colours are off. */
  readonly paint: Paint;
  /** Returns what `write` writes for a text. */
  shown(text: string): string;
  /** For data that a program reads, such as CSV: unchanged, unless the output is a terminal. */
  readonly data: NodeJS.WritableStream;
  /** For a line editor, which moves the cursor itself. */
  readonly raw: NodeJS.WritableStream;
};

type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

/** Returns the text in a style. */
export type Paint = (style: Style, text: string) => string;

/**
 * A style is marked by noncharacters of Unicode until it is written, so escape sequences in a text have no effect. A text of
 * unknown origin passes through `printable`, because it could contain these marks.
 */
const marks: Readonly<Record<Style, readonly [open: string, close: string]>> = {
  bold: ['\ufdd0', '\ufdd1'],
  dim: ['\ufdd2', '\ufdd3'],
  cyan: ['\ufdd4', '\ufdd5'],
  green: ['\ufdd6', '\ufdd7'],
  yellow: ['\ufdd8', '\ufdd9'],
  red: ['\ufdda', '\ufddb'],
};

const sequences = new Map(
  Object.entries(marks).flatMap(([style, [open, close]]) => {
    const [before, after] = styleText(style as Style, '\n', { validateStream: false }).split('\n');
    return [[open, before ?? ''] as const, [close, after ?? ''] as const];
  }),
);

/** Control, formatting, private and unassigned characters, and lone surrogates. They include the marks of styles. */
const unprintable = /[^\P{C}\n]/gu;

/** Returns the text without control and formatting characters. Line breaks stay. */
export function printable(text: string): string {
  return text.replace(unprintable, '');
}

function styled(style: Style, text: string): string {
  const [open, close] = marks[style];
  return `${open}${text}${close}`;
}

/** Returns control and formatting characters as `\u001b`, as JSON does. Line breaks stay. */
function escapeControls(text: string): string {
  return text.replace(unprintable, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * Wraps a stream of the process so that a text cannot send control characters to a terminal.
 *
 * @param noColor true when the environment variable NO_COLOR is set (https://no-color.org).
 */
export function protectOutput(
  stream: NodeJS.WritableStream & { isTTY?: boolean },
  { noColor = false }: { noColor?: boolean } = {},
): Output {
  const isTTY = stream.isTTY === true;
  const shown = (text: string) =>
    text.replace(unprintable, (one) => (isTTY && sequences.get(one)) || escapeControls(one));
  const onTerminal = () =>
    new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => void stream.write(shown(chunk.toString()), done),
    });
  return {
    isTTY,
    paint: isTTY && !noColor ? styled : (_, text) => text,
    shown,
    write: (text) => void stream.write(shown(text)),
    data: isTTY ? onTerminal() : stream,
    raw: stream,
  };
}

/** Where a command prints, and how it ends. */
export type CommandOutput = {
  stdout: Output;
  stderr: Output;
  exit(code: number): void;
};

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

/** Prints the rows of a list as a table, or a line that there are none. @param footer the lines below a table with rows. */
export function printRows<Row>(
  stdout: Output,
  { data, total = data.length }: { data: readonly Row[]; total?: number },
  shown: { none: string; head: readonly string[]; cells(row: Row): readonly string[]; footer?: string },
): void {
  const { none, head, cells, footer = '' } = shown;
  if (total === 0) stdout.write(`${none}\n`);
  else stdout.write(table(stdout.paint, [head, ...data.map(cells)]) + footer);
}

/** Formats names and values in two columns, one pair per line. @param width of the names. */
export function labelledLines(
  pairs: readonly (readonly [name: string, value: string])[],
  width = 16,
): string[] {
  return pairs.map(([name, value]) => `${name.padEnd(width)} ${oneLine(value)}`);
}

/** Returns a text without line breaks, so that a value cannot look like a line of the program. */
export function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
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

/** Returns a text as one word of a shell command, quoted when necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
