import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Output } from './protected-output.ts';
import type { Input } from './terminal.ts';

export type Question = {
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
