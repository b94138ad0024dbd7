import { Writable } from 'node:stream';
import { styleText } from 'node:util';

/**
 * An output of the program. Control and formatting characters are written in escaped form, such as `\u001b`, so that
 * only the program's own styles have an effect on a terminal. Line breaks are kept.
 */
export type Output = {
  readonly isTTY: boolean;
  write(text: string): void;
  /** Returns what `write` writes for a text. */
  shown(text: string): string;
  /** For data that a program reads, such as CSV: unchanged, unless the output is a terminal. */
  readonly data: NodeJS.WritableStream;
  /** For a line editor, which moves the cursor itself. */
  readonly raw: NodeJS.WritableStream;
};

export type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';

/**
 * A style is marked by noncharacters of Unicode until it is written. A text with an escape sequence therefore never
 * styles anything.
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

/** Returns the text in a style, for an `Output`. */
export function styled(style: Style, text: string): string {
  const [open, close] = marks[style];
  return `${open}${text}${close}`;
}

/** Returns control and formatting characters as `\u001b`, as JSON does. Line breaks stay. */
export function escapeControls(text: string): string {
  return text.replace(unprintable, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Creates the output of a stream of the process. */
export function protectOutput(stream: NodeJS.WritableStream & { isTTY?: boolean }): Output {
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
    shown,
    write: (text) => void stream.write(shown(text)),
    data: isTTY ? onTerminal() : stream,
    raw: stream,
  };
}
