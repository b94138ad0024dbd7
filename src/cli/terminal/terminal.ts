import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ConfirmInput } from '../../contract/staff/account.ts';
import { type Output, printable } from './output.ts';

export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** Breaks a text into lines of at most `width` characters, between words when possible. */
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

/** Draws a phone with a title, such as the dialled code, above the text of its screen. */
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

export type LineReader = {
  /** Prints `question` and returns the next line; `undefined` after ctrl-c or ctrl-d. */
  ask(question: string): Promise<string | undefined>;
  /** Discards lines that were typed before a question. */
  discard(): void;
  /** A signal that aborts after ctrl-c or ctrl-d. */
  left: AbortSignal;
  /** Releases the input. A waiting question gets `undefined`. */
  close(): void;
};

/** Creates a reader of typed lines. A line that is typed before a question answers the next one. */
export function createLineReader(input: Input, output: Output): LineReader {
  const terminal = input.isTTY === true;
  const reader = createInterface({ input, output: output.raw, terminal, historySize: 0 });
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
        reader.setPrompt(output.shown(question));
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

/** Asks a question that "y" or "yes" confirms. Without a terminal, the question is not asked and nothing is confirmed. */
export async function askConfirmation(
  deps: { stdin: Input; stdout: Output },
  question: string,
): Promise<boolean> {
  if (!deps.stdin.isTTY || !deps.stdout.isTTY) return false;
  const reader = createLineReader(deps.stdin, deps.stdout);
  const answer = await reader.ask(`${question} [y/N] `);
  reader.close();
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

export const credentialQuestions = [
  { text: 'Password: ', isHidden: true },
  { text: 'Code of the app, or a recovery code: ' },
] as const;

/** Asks for the password and a code before something that needs them. `undefined` without a terminal. */
export async function askCredentials(
  io: { stdin: Input; stderr: Output },
  name: string,
): Promise<ConfirmInput | undefined> {
  if (!io.stdin.isTTY) return undefined;
  io.stderr.write(`This needs the password of ${name} and a code.\n`);
  const [password, code] = (await askLines(io, credentialQuestions)) ?? [];
  if (!password || !code) return undefined;
  return { password, code: code.trim() };
}

type Question = {
  text: string;
  /** The answer is not shown while it is typed. */
  isHidden?: boolean;
};

/**
 * Asks questions at the terminal, and returns one line for each. Questions go to `stderr`, so that the output of the command can be
 * used. Without a terminal, nothing is asked: the lines of the input are the answers.
 *
 * @returns `undefined` when the input ends before the last answer, or after ctrl-c or ctrl-d.
 */
export async function askLines(
  { stdin, stderr }: { stdin: Input; stderr: Output },
  questions: readonly Question[],
): Promise<string[] | undefined> {
  const isTerminal = stdin.isTTY === true;
  let isMuted = false;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) stderr.raw.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: stdin, output, terminal: isTerminal, historySize: 0 });
  reader.on('SIGINT', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const { text, isHidden = false } of questions) {
      if (isTerminal) {
        isMuted = false;
        reader.setPrompt(stderr.shown(text));
        reader.prompt();
        isMuted = isHidden;
      }
      const line = await lines.next();
      if (isTerminal && isHidden) stderr.write('\n');
      if (line.done === true) return undefined;
      answers.push(line.value);
    }
    return answers;
  } finally {
    reader.close();
  }
}
