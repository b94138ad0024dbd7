import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

export type Output = NodeJS.WritableStream & { isTTY?: boolean };
export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The text without what could move a cursor or colour a terminal; line breaks stay. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '');
}

type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red';
export type Paint = (style: Style, text: string) => string;

/** Colours where a person looks at a terminal and has not asked for none (https://no-color.org). */
export function paintFor(output: Output, noColor: boolean): Paint {
  if (!output.isTTY || noColor) return (_, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/** Breaks a text into lines of at most `width` characters, between words where it can. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const blank = rest.lastIndexOf(' ', width);
      const at = blank > 0 ? blank : width;
      lines.push(rest.slice(0, at));
      rest = rest.slice(at).trimStart();
    }
    return [...lines, rest];
  });
}

const screenWidth = 30;

/** A phone with a text on its screen, and the dialled code above it. */
export function drawPhone(title: string, text: string): string {
  const row = (line: string) => `│ ${line.padEnd(screenWidth)} │`;
  const bar = '─'.repeat(screenWidth + 2);
  return [
    `┌${bar}┐`,
    ...wrap(printable(title), screenWidth).map(row),
    `├${bar}┤`,
    ...wrap(printable(text), screenWidth).map(row),
    `└${bar}┘`,
  ].join('\n');
}

export type Lines = {
  /** The next line typed after `question`; `undefined` once the person has left (ctrl-c, ctrl-d). */
  ask(question: string): Promise<string | undefined>;
  /** Forgets lines typed before they were asked for. */
  discard(): void;
  /** Aborts when the person leaves. */
  left: AbortSignal;
  close(): void;
};

/** Lines from a person. What is typed ahead is kept for the next question. */
export function createLineReader(input: Input, output: Output): Lines {
  const terminal = input.isTTY === true;
  const reader = createInterface({ input, output, terminal, historySize: 0 });
  const left = new AbortController();
  let typed: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;

  reader.on('line', (line) => {
    if (waiting) waiting(line);
    else typed.push(line);
    waiting = undefined;
  });
  reader.on('SIGINT', () => reader.close());
  reader.on('close', () => {
    left.abort();
    waiting?.(undefined);
    waiting = undefined;
  });

  return {
    ask(question) {
      const ahead = typed.shift();
      if (ahead !== undefined || left.signal.aborted) return Promise.resolve(ahead);
      return new Promise((resolve) => {
        waiting = resolve;
        reader.setPrompt(question);
        reader.prompt();
      });
    },
    discard() {
      typed = [];
    },
    left: left.signal,
    close: () => reader.close(),
  };
}
